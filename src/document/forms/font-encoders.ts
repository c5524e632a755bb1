// Encodes new text for fonts that a document contains. In a simple font, glyph names identify the codes; in a composite
// font, a Unicode CMap, ToUnicode or the font program does (ISO 32000-1, 9.6.6, 9.7.5 and 9.10.3).
import { EngineFailure } from "../contract/failure.ts";
import { dingbatsEncoding, standardEncoding, symbolEncoding, unicodeOfName } from "../fonts/names/glyph-names.ts";
import { standardWidths } from "../fonts/names/standard-widths.ts";
import { readCmap } from "../fonts/truetype/cmap.ts";
import { readTrueType } from "../fonts/truetype/truetype.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { type Dictionary, PdfStream, type Value } from "../objects/values.ts";
import { parseCMap } from "../text/cmap.ts";
import { CidWidths, simpleWidths } from "../text/font-widths.ts";
import { readSimpleEncoding } from "../text/simple-encoding.ts";

/** A character encoded in a font. */
export interface Encoded {
  /** The bytes of the code, as characters U+0000 to U+00FF. */
  readonly code: string;
  /** Advance width, in thousandths of the font size. */
  readonly width: number;
}

/** @returns undefined for a character missing from the font */
export type Encoder = (character: string) => Encoded | undefined;

/** Matches characters of all character collections for Chinese, Japanese and Korean (9.7.5.2). */
const IN_COLLECTIONS =
  /[ -~\u0391-\u03a9\u03b1-\u03c9\u0401\u0410-\u044f\u0451\u2010-\u266f\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\u{20000}-\u{3ffff}]/u;
const HANGUL = /[\u3130-\u318f\uac00-\ud7a3]/;
const MAX_PROGRAM_BYTES = 16 * 2 ** 20;
/** Code of the bullet in WinAnsiEncoding. */
const BULLET = 0x95;
const UNKNOWN_WIDTH = 500;
const FULL_WIDTH = 1000;
const twoBytes = (code: number) => String.fromCharCode(code >> 8, code & 0xff);

/** @returns undefined for fonts whose codes cannot be mapped to characters */
export function encoderOf(file: PdfFile, font: Dictionary): Encoder | undefined {
  return file.name(font.get("Subtype")) === "Type0" ? compositeEncoder(file, font) : simpleEncoder(file, font);
}

function simpleEncoder(file: PdfFile, font: Dictionary): Encoder {
  const baseFont = file.name(font.get("BaseFont")) ?? "";
  const isDingbats = /dingbats/i.test(baseFont);
  const builtIn = isDingbats ? dingbatsEncoding() : /^symbol/i.test(baseFont) ? symbolEncoding() : standardEncoding();
  const { names } = readSimpleEncoding(file, font.get("Encoding"), builtIn);
  const declaredWidths = simpleWidths(file, font);
  const standard = standardWidths(baseFont);
  const known = new Map<string, Encoded>();
  names.forEach((name, code) => {
    const character = name === undefined ? undefined : unicodeOfName(name, isDingbats);
    if (character === undefined || known.has(character)) return;
    // In WinAnsiEncoding, unused codes mean a bullet (annex D.2, note 3), but only some readers follow this rule.
    if (name === "bullet" && code < BULLET && names[BULLET] === name) return;
    const width = declaredWidths ? declaredWidths(code) : (standard(character) ?? UNKNOWN_WIDTH);
    // In a subset font, the width of a missing glyph is 0.
    if (width > 0) known.set(character, { code: String.fromCharCode(code), width });
  });
  return (character) => known.get(character === "\u00a0" ? " " : character);
}

function compositeEncoder(file: PdfFile, font: Dictionary): Encoder | undefined {
  const inner = file.dictionary(file.array(font.get("DescendantFonts"))?.[0]);
  const encoding = file.name(font.get("Encoding")) ?? "";
  if (!inner) return undefined;
  if (/^Uni.*-(UCS2|UTF16)-/.test(encoding)) {
    return (character) => {
      if (!IN_COLLECTIONS.test(character) && !(encoding.startsWith("UniKS") && HANGUL.test(character)))
        return undefined;
      return {
        code: [...Array(character.length).keys()].map((at) => twoBytes(character.charCodeAt(at))).join(""),
        width: character < "\u0080" ? UNKNOWN_WIDTH : FULL_WIDTH,
      };
    };
  }
  if (!encoding.startsWith("Identity")) return undefined;
  const widths = new CidWidths(file, inner);
  const codes = codesByCharacter(file, font);
  const glyphOf = programGlyphs(file, inner);
  return (character) => {
    const code = codes.get(character) ?? glyphOf?.(character.codePointAt(0)!);
    return code ? { code: twoBytes(code), width: widths.of(code) } : undefined;
  };
}

function codesByCharacter(file: PdfFile, font: Dictionary): ReadonlyMap<string, number> {
  const codes = new Map<string, number>();
  const bytes = decode(file, font.get("ToUnicode"));
  for (const [code, text] of bytes ? parseCMap(bytes).unicode : []) if (!codes.has(text)) codes.set(text, code);
  return codes;
}

/**
 * Returns the Unicode cmap of a TrueType program, whose glyph numbers are also the codes. Returns undefined if the font
 * has a CIDToGIDMap, because the codes then differ.
 */
function programGlyphs(file: PdfFile, inner: Dictionary): ((code: number) => number) | undefined {
  if (file.stream(inner.get("CIDToGIDMap"))) return undefined;
  const bytes = decode(file, file.dictionary(inner.get("FontDescriptor"))?.get("FontFile2"));
  const program = bytes && readTrueType(bytes, true);
  return (
    program &&
    readCmap(program)?.findLast(({ platform, encoding }) => {
      return platform === 0 || (platform === 3 && (encoding === 1 || encoding === 10));
    })?.glyphOf
  );
}

function decode(file: PdfFile, value: Value | undefined): Uint8Array | undefined {
  const stream = file.resolve(value);
  if (!(stream instanceof PdfStream)) return undefined;
  try {
    return stream.body.decoded(MAX_PROGRAM_BYTES);
  } catch (error) {
    if (error instanceof EngineFailure && error.reason !== "crashed") return undefined;
    throw error;
  }
}
