// Reads a font file that replaces a font that is not embedded. Finds glyphs by text or name, and their widths.
import { type CffFont, cffWidth, glyphNames, readCff } from "../../fonts/cff/cff.ts";
import { unicodeOfName } from "../../fonts/names/glyph-names.ts";
import { type CmapSubtable, readCmap } from "../../fonts/truetype/cmap.ts";
import { advanceWidth, readTrueType, type TrueTypeFont, unitsPerEm, viewOf } from "../../fonts/truetype/truetype.ts";
import { verticalForms } from "../../fonts/truetype/vertical-forms.ts";

interface Glyphs {
  readonly name: string;
  /** Returns the glyph of a text; 0 if there is none. */
  glyphOf(text: string): number;
  /** Returns the glyph with this name; 0 if there is none. */
  glyphNamed(name: string): number;
  /** Returns the vertical form of a glyph; the same glyph if it has none. */
  verticalOf(glyph: number): number;
  /** Returns the width in thousandths of an em. */
  widthOf(glyph: number): number;
}

export type Face = Glyphs &
  (
    | { readonly kind: "truetype"; readonly font: TrueTypeFont }
    | { readonly kind: "cff"; readonly font: CffFont; readonly names: readonly string[] }
  );

/** Maximum number of fonts to read from a collection. */
const MAX_FONTS = 64;

/** Characters with acceptable replacements, for faces that lack the character. */
const OTHERS = new Map([
  ["\u00a0", " "],
  ["\u00ad", "-"],
  ["\u2010", "-"],
  ["\u2011", "-"],
  ["\u2126", "\u03a9"],
  ["\u03a9", "\u2126"],
  ["\u2206", "\u0394"],
  ["\u0394", "\u2206"],
  ["\u00b5", "\u03bc"],
  ["\u03bc", "\u00b5"],
  ["\u2215", "\u2044"],
  ["\u2219", "\u00b7"],
  ["\u3000", " "],
  ["\u2002", " "],
  ["\u2003", " "],
  ["\u2009", " "],
]);

/**
 * @param index index in a collection
 * @returns undefined for a file that is not a font, or that cannot be embedded in a PDF
 */
export function openFace(name: string, bytes: Uint8Array, index: number): Face | undefined {
  const starts = fontStarts(bytes);
  const tables = tablesOf(bytes, starts[Math.min(index, starts.length - 1)]!);
  const table = tables.get("CFF ");
  const map = unicodeMap(tables);
  const cff = table && readCff(table);
  const names = cff && !cff.isCid ? glyphNames(cff) : [];
  const byName = new Map(names.map((one, glyph) => [one, glyph]));
  const byText = new Map<string, number>();
  if (!map) {
    names.forEach((one, glyph) => {
      const text = unicodeOfName(one);
      if (text !== undefined && !byText.has(text)) byText.set(text, glyph);
    });
  }
  let others: readonly CmapSubtable[] | undefined;
  const glyphOf = (codePoint: number) => {
    const own = map?.glyphOf(codePoint) ?? 0;
    if (own > 0 || starts.length === 1) return own;
    // The fonts of a collection share glyphs, but the cmap of each font lists only the characters of its language. The
    // cmaps of the other fonts are therefore searched too.
    others ??= starts
      .map((at) => tablesOf(bytes, at))
      .filter((other) => sharesGlyphs(other, table))
      .flatMap((other) => unicodeMap(other) ?? []);
    return others.reduce((found, other) => found || other.glyphOf(codePoint), 0);
  };
  const find = (text: string) => (text === "" ? 0 : map ? glyphOf(text.codePointAt(0) ?? 0) : (byText.get(text) ?? 0));
  let vertical: ReadonlyMap<number, number> | undefined;
  const glyphs = {
    name,
    glyphOf(text: string) {
      const isOne = text.length <= 2 && [...text].length === 1;
      const composed = isOne ? text : text.replace(VARIATIONS, "").normalize("NFC");
      if ([...composed].length > 1) return find(LIGATURES.get(text) ?? "");
      return find(composed) || find(OTHERS.get(composed) ?? "");
    },
    verticalOf(glyph: number) {
      vertical ??= verticalForms({ tables });
      return vertical.get(glyph) ?? glyph;
    },
    glyphNamed: (one: string) => byName.get(one) ?? 0,
  };
  if (cff) return { ...glyphs, kind: "cff", font: cff, names, widthOf: (glyph) => cffWidth(cff, glyph) ?? 0 };
  const font = index === 0 ? readTrueType(bytes) : undefined;
  if (!font) return undefined;
  const scale = 1000 / unitsPerEm(font);
  return { ...glyphs, kind: "truetype", font, widthOf: (glyph) => advanceWidth(font, glyph) * scale };
}

/** Variation selectors. They are ignored, because the default form of a character is acceptable. */
const VARIATIONS = /[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;

const LIGATURES = new Map([
  ["ff", "\ufb00"],
  ["fi", "\ufb01"],
  ["fl", "\ufb02"],
  ["ffi", "\ufb03"],
  ["ffl", "\ufb04"],
]);

/** Returns the Unicode subtable with the most characters. */
function unicodeMap(tables: ReadonlyMap<string, Uint8Array>): CmapSubtable | undefined {
  const maps = readCmap({ tables }) ?? [];
  return (
    maps.find(({ platform, encoding }) => platform === 3 && encoding === 10) ??
    maps.find(({ platform, encoding }) => platform === 3 && encoding === 1) ??
    maps.find(({ platform }) => platform === 0)
  );
}

const sharesGlyphs = (tables: ReadonlyMap<string, Uint8Array>, table: Uint8Array | undefined): boolean => {
  const other = tables.get("CFF ");
  return table !== undefined && other?.byteOffset === table.byteOffset && other.length === table.length;
};

/** Returns the offsets of the fonts in a file. A collection has a separate header (OpenType, "Font collections"). */
function fontStarts(bytes: Uint8Array): readonly number[] {
  const view = viewOf(bytes);
  if (view.getUint32(0) !== 0x74746366) return [0];
  return Array.from({ length: Math.min(view.getUint32(8), MAX_FONTS) }, (_, index) => view.getUint32(12 + 4 * index));
}

function tablesOf(bytes: Uint8Array, start: number): Map<string, Uint8Array> {
  const tables = new Map<string, Uint8Array>();
  const view = viewOf(bytes);
  const count = view.getUint16(start + 4);
  for (let at = start + 12; at < start + 12 + count * 16; at += 16) {
    const tag = String.fromCharCode(...bytes.subarray(at, at + 4));
    const [offset, length] = [view.getUint32(at + 8), view.getUint32(at + 12)];
    tables.set(tag, bytes.subarray(offset, offset + length));
  }
  return tables;
}
