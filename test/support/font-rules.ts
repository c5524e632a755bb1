// Finds violations of the font rules in a document (ISO 19005-1, 6.3; -2, 6.2.11), independently of a validator: the
// same findings that a validator would report.

import { cffWidth } from "../../src/document/fonts/cff/cff.ts";
import { readCmap } from "../../src/document/fonts/truetype/cmap.ts";
import { advanceWidth, unitsPerEm } from "../../src/document/fonts/truetype/truetype.ts";
import { Budget } from "../../src/document/objects/budget.ts";
import { MupdfSource } from "../../src/document/objects/engine/mupdf-source.ts";
import { PdfFile } from "../../src/document/objects/pdf-file.ts";
import type { Dictionary } from "../../src/document/objects/values.ts";
import {
  type FontProgram,
  namedProgram,
  programBytes,
  readProgram,
} from "../../src/document/pdfa/fonts/font-program.ts";
import { readToUnicode } from "../../src/document/pdfa/fonts/to-unicode.ts";
import type { PdfaLevel } from "../../src/document/pdfa/level.ts";
import { CMap, parseCMap } from "../../src/document/text/cmap.ts";
import { CidWidths, simpleWidths } from "../../src/document/text/font-widths.ts";
import { walkShownText } from "../../src/document/text/shown-text.ts";
import { readSimpleEncoding } from "../../src/document/text/simple-encoding.ts";

const MIB = 2 ** 20;
const TAGGED = /^[A-Z]{6}\+/;

/** A glyph that a character code selects in a font. */
interface Shown {
  readonly code: number;
  /** Width in the font program. Undefined if there is no such glyph; null if the glyph is `.notdef`. */
  readonly programWidth: number | undefined | null;
  readonly width: number;
}

/** Returns the violated rules, each as one word, sorted. */
export async function brokenFontRules(pdf: Uint8Array, level: PdfaLevel): Promise<string[]> {
  const source = await MupdfSource.open(pdf, 512 * MIB, new Budget(512 * MIB));
  try {
    const file = PdfFile.of(source, new Budget(512 * MIB));
    const strings = new Map<Dictionary, string[]>();
    walkShownText(file, (value, texts, mode) => {
      const font = file.dictionary(value);
      if (!font || mode === 3) return;
      strings.set(font, [...(strings.get(font) ?? []), ...texts.map(({ latin1 }) => latin1)]);
    });
    const broken = new Set<string>();
    for (const [font, texts] of strings)
      for (const rule of rulesOf(file, font, texts.join(""), level)) broken.add(rule);
    return [...broken].sort();
  } finally {
    source.close();
  }
}

function* rulesOf(file: PdfFile, font: Dictionary, text: string, level: PdfaLevel): Generator<string> {
  const subtype = file.name(font.get("Subtype"));
  if (subtype === "Type3") return;
  const inner = subtype === "Type0" ? file.dictionary(file.array(font.get("DescendantFonts"))![0])! : font;
  const descriptor = file.dictionary(inner.get("FontDescriptor"));
  const bytes = programBytes(file, descriptor);
  const program = bytes && readProgram(bytes);
  if (!program || !descriptor) {
    yield "embedded";
    return;
  }
  if (level.part === 1 && program.kind === "cff" && program.isWrapped) yield "opentype";
  const shown =
    subtype === "Type0" ? compositeGlyphs(file, font, inner, program, text) : simpleGlyphs(file, font, program, text);
  for (const { programWidth, width } of shown) {
    if (programWidth === undefined) yield "glyph";
    else if (programWidth === null) yield "notdef";
    else if (Math.abs(programWidth - width) > 1) yield "width";
  }
  if (level.conformance === "u") {
    const unicode = readToUnicode(file, font.get("ToUnicode"));
    if (shown.some(({ code }) => !/^[^\0\ufeff\ufffe]+$/.test(unicode.get(code) ?? ""))) yield "unicode";
  }
  if (subtype === "Type0") yield* compositeRules(file, font, inner, descriptor, level);
  else yield* simpleRules(file, font, descriptor, program, level);
}

function* simpleRules(file: PdfFile, font: Dictionary, descriptor: Dictionary, program: FontProgram, level: PdfaLevel) {
  const [first, last] = [file.number(font.get("FirstChar")), file.number(font.get("LastChar"))];
  if (first === undefined || last === undefined || file.array(font.get("Widths"))?.length !== last - first + 1)
    yield "widths";
  const isSubset = TAGGED.test(file.name(font.get("BaseFont")) ?? "");
  if (program.kind !== "truetype") {
    const listed = file.string(descriptor.get("CharSet"))?.latin1;
    const isWhole = listed?.split("/").length === namedProgram(program)!.names.size;
    if (isSubset && (level.part === 1 ? !isWhole : listed !== undefined && !isWhole)) yield "charset";
    return;
  }
  const isSymbolic = (file.number(descriptor.get("Flags"))! & 4) !== 0;
  const { baseName, differences } = readSimpleEncoding(file, font.get("Encoding"), []);
  const maps = readCmap(program.font)!;
  if (isSymbolic ? font.has("Encoding") || maps.length !== 1 : !/^(WinAnsi|MacRoman)/.test(baseName ?? ""))
    yield "encoding";
  if (!isSymbolic && level.part === 1 && differences.size > 0) yield "encoding";
}

function simpleGlyphs(file: PdfFile, font: Dictionary, program: FontProgram, text: string): Shown[] {
  const widths = simpleWidths(file, font) ?? (() => 0);
  const codes = [...new Set(text)].map((character) => character.charCodeAt(0));
  if (program.kind === "truetype") {
    const maps = readCmap(program.font)!;
    const scale = 1000 / unitsPerEm(program.font);
    const latin1 = new TextDecoder("windows-1252");
    return codes.map((code) => {
      const character = latin1.decode(Uint8Array.of(code)).codePointAt(0)!;
      const glyph = maps.map(({ glyphOf }) => glyphOf(0xf000 + code) || glyphOf(character)).find((one) => one > 0) ?? 0;
      return {
        code,
        width: widths(code),
        programWidth: glyph === 0 ? null : advanceWidth(program.font, glyph) * scale,
      };
    });
  }
  const named = namedProgram(program)!;
  const { names } = readSimpleEncoding(file, font.get("Encoding"), named.encoding);
  return codes.map((code) => {
    const name = names[code];
    return { code, width: widths(code), programWidth: name === undefined ? null : named.widthOf(name) };
  });
}

function compositeGlyphs(
  file: PdfFile,
  font: Dictionary,
  inner: Dictionary,
  program: FontProgram,
  text: string,
): Shown[] {
  const stream = file.stream(font.get("Encoding"));
  const map = stream ? parseCMap(stream.body.decoded(MIB)) : CMap.identity(false);
  const widths = new CidWidths(file, inner);
  const listed = file.stream(inner.get("CIDToGIDMap"))?.body.decoded(MIB);
  return map.split(text).map(({ code, bytes }) => {
    const cid = map.cidOf(code, bytes) ?? 0;
    const width = widths.of(cid);
    if (cid === 0) return { code, width, programWidth: null };
    if (program.kind === "cff") {
      const { font: cff } = program;
      const glyph = cff.isCid ? cff.charset.indexOf(cid) : cid;
      return { code, width, programWidth: glyph < 0 ? undefined : cffWidth(cff, glyph) };
    }
    if (program.kind !== "truetype") throw new Error("a Type 1 program in a Type 0 font");
    const glyph = listed ? listed[cid * 2]! * 256 + listed[cid * 2 + 1]! : cid;
    if (glyph >= program.font.glyphCount) return { code, width, programWidth: undefined };
    const programWidth = glyph === 0 ? null : (advanceWidth(program.font, glyph) * 1000) / unitsPerEm(program.font);
    return { code, width, programWidth };
  });
}

function* compositeRules(file: PdfFile, font: Dictionary, inner: Dictionary, descriptor: Dictionary, level: PdfaLevel) {
  if (file.name(inner.get("Subtype")) === "CIDFontType2" && !inner.has("CIDToGIDMap")) yield "glyph map";
  const name = file.name(font.get("Encoding"));
  if (name !== undefined && !name.startsWith("Identity")) yield "cmap";
  const stream = file.stream(font.get("Encoding"));
  if (stream) {
    const map = parseCMap(stream.body.decoded(MIB));
    if (map.baseName !== undefined) yield "cmap";
    if ((file.number(stream.dictionary.get("WMode")) ?? 0) !== (map.isVertical ? 1 : 0)) yield "mode";
  }
  const isSubset = TAGGED.test(file.name(inner.get("BaseFont")) ?? "");
  if (isSubset && (level.part === 1) !== descriptor.has("CIDSet")) yield "cidset";
}
