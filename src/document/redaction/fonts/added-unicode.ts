// Adds ToUnicode to a copy of a document, for fonts without it whose programs know their characters (ISO 32000-1,
// 9.10.3): MuPDF reads only the names of glyphs and the predefined character collections. Codes that no program explains
// are guessed, as other readers do.
import { decodedBytes } from "../../compression/recode-stream.ts";
import { glyphNames } from "../../fonts/cff/cff.ts";
import { standardEncoding, unicodeOfName, winAnsiEncoding } from "../../fonts/names/glyph-names.ts";
import { isSymbolic } from "../../fonts/symbolic.ts";
import { readCmap } from "../../fonts/truetype/cmap.ts";
import { glyphsByName } from "../../fonts/truetype/names.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, PdfStream, plainBody, Reference } from "../../objects/values.ts";
import { type FontProgram, namedProgram, programBytes, readProgram } from "../../pdfa/fonts/font-program.ts";
import { glyphFinder, reverseMaps } from "../../pdfa/fonts/simple/simple-truetype.ts";
import { readCMap } from "../../pdfa/fonts/to-unicode.ts";
import { CMap } from "../../text/cmap.ts";
import { readSimpleEncoding } from "../../text/simple-encoding.ts";
import { guessOfCid, guessOfNamed } from "./guesses.ts";
import { UnicodeWriter } from "./unicode-writer.ts";

/** Character collections that MuPDF knows. */
const KNOWN_ORDERING = /^(Japan[12]|GB1|CNS1|Korea1)$/;
/** Fonts whose glyph names have a meaning of their own. */
const OWN_NAMES = /Dingbats|Symbol/i;
/** Maximum number of codes of a document whose characters are searched for. */
const MAX_CODES = 8_000_000;

/**
 * @param fonts object numbers
 * @returns true if a font changed
 */
export function addUnicode(file: PdfFile, fonts: Iterable<number>, signal: AbortSignal): boolean {
  let left = MAX_CODES;
  let isChanged = false;
  for (const number of fonts) {
    signal.throwIfAborted();
    const reference = new Reference(number);
    const font = file.dictionary(reference);
    if (!font || left <= 0 || file.stream(font.get("ToUnicode"))) continue;
    const writer = new UnicodeWriter();
    left -= addCharacters(file, font, writer);
    if (writer.isEmpty) continue;
    const stream = new PdfStream(new Dictionary(), plainBody(writer.bytes()));
    file.put(reference, font.clone().set("ToUnicode", file.add(stream)));
    isChanged = true;
  }
  return isChanged;
}

/** @returns the number of codes that were searched for */
function addCharacters(file: PdfFile, font: Dictionary, writer: UnicodeWriter): number {
  const subtype = file.name(font.get("Subtype"));
  if (subtype === "Type0") return addComposite(file, font, writer);
  if (subtype === "TrueType") addTrueType(file, font, writer);
  else addNamed(file, font, writer);
  return 256;
}

function addComposite(file: PdfFile, font: Dictionary, writer: UnicodeWriter): number {
  const inner = file.dictionary(file.array(font.get("DescendantFonts"))?.[0]);
  const isIdentity = file.name(font.get("Encoding"))?.startsWith("Identity") === true;
  const map = isIdentity ? CMap.identity(false) : readCMap(file, font.get("Encoding"));
  const ordering = file.string(file.dictionary(inner?.get("CIDSystemInfo"))?.get("Ordering"))?.latin1 ?? "";
  if (!inner || !map || KNOWN_ORDERING.test(ordering)) return 0;
  const stream = file.stream(inner.get("CIDToGIDMap"));
  const glyphs = stream && decodedBytes(file, stream);
  const glyphOf = (cid: number) => (glyphs ? ((glyphs[cid * 2] ?? 0) << 8) | (glyphs[cid * 2 + 1] ?? 0) : cid);
  const ofGlyph = charactersOf(programOf(file, inner));
  let count = 0;
  for (const bytes of new Set(map.allSpaces().map((space) => space.bytes))) {
    const size = bytes <= 2 ? 256 ** bytes : 0;
    count += size;
    for (let code = 0; code < size; code++) {
      const cid = map.cidOf(code, bytes);
      if (cid !== undefined) writer.add(code, bytes, ofGlyph(glyphOf(cid)) ?? guessOfCid(cid));
    }
  }
  return count;
}

/** Adds the characters of codes without a name that readers know, and of codes without a glyph. */
function addTrueType(file: PdfFile, font: Dictionary, writer: UnicodeWriter): void {
  const program = programOf(file, font);
  if (program?.kind !== "truetype") return;
  const isOfProgram = isSymbolic(file.number(file.dictionary(font.get("FontDescriptor"))?.get("Flags")));
  const encoding = readSimpleEncoding(file, font.get("Encoding"), []);
  const usual = readSimpleEncoding(file, font.get("Encoding"), winAnsiEncoding());
  const { glyphOf } = glyphFinder(program.font, readCmap(program.font) ?? [], encoding, isOfProgram);
  const ofGlyph = charactersOf(program);
  for (let code = 0; code < 256; code++) {
    const glyph = glyphOf(code);
    // MuPDF ignores the names of missing glyphs.
    if (glyph === 0) writer.add(code, 1, textOfName(usual.names[code]));
    else if (textOfName(encoding.names[code]) === undefined) writer.add(code, 1, ofGlyph(glyph) ?? guessOfNamed(code));
  }
}

/** Adds guesses for codes with a name that no reader knows. */
function addNamed(file: PdfFile, font: Dictionary, writer: UnicodeWriter): void {
  if (OWN_NAMES.test(file.name(font.get("BaseFont")) ?? "")) return;
  const program = programOf(file, font);
  const isDrawn = font.has("CharProcs");
  const base = isDrawn ? [] : program ? (namedProgram(program)?.encoding ?? []) : standardEncoding();
  const { names } = readSimpleEncoding(file, font.get("Encoding"), base);
  for (const [code, name] of names.entries())
    if (name !== undefined && textOfName(name) === undefined) writer.add(code, 1, guessOfNamed(code, name));
}

/** Returns the characters of a program by glyph. */
function charactersOf(program: FontProgram | undefined): (glyph: number) => string | undefined {
  if (program?.kind === "cff" && !program.font.isCid) {
    const names = glyphNames(program.font);
    return (glyph) => textOfName(names[glyph]);
  }
  if (program?.kind !== "truetype") return () => undefined;
  const names = new Map([...glyphsByName(program.font)].map(([name, glyph]) => [glyph, name]));
  const ofCmap = reverseMaps(readCmap(program.font) ?? []);
  return (glyph) => ofCmap(glyph) ?? textOfName(names.get(glyph));
}

function programOf(file: PdfFile, font: Dictionary): FontProgram | undefined {
  const bytes = programBytes(file, file.dictionary(font.get("FontDescriptor")));
  return bytes && readProgram(bytes);
}

const textOfName = (name: string | undefined) => (name === undefined ? undefined : unicodeOfName(name));
