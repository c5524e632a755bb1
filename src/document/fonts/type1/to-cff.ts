// Converts glyphs of Type 1 fonts to a CFF font without hints (Adobe Technical Note 5176). Outlines, widths, names and
// codes stay the same. Unlike encrypted Type 1, CFF compresses well.

import { MAX_BYTES, type NamedCff, type NamedGlyph, type WantedNames } from "../cff/named-cff.ts";
import { isWritable, type PlacedOutline, type2CharString } from "../cff/type2-writer.ts";
import { NOTDEF, standardEncoding } from "../names/glyph-names.ts";
import { TAGGED } from "../names/subset-tag.ts";
import type { Type1Outline } from "./charstring.ts";
import type { DrawnType1 } from "./subset-type1.ts";
import { hasPlainEncoding, type Type1Font } from "./type1.ts";

const NUMBER = "([-+.\\dEe]+)";
const UNIT_MATRIX = [0.001, 0, 0, 0.001, 0, 0];
/** Matches entries, other than outlines, that affect the appearance or the widths of glyphs. */
const MORE = /\/(?:Metrics|CDevProc)\b|\/PaintType\s+[^0\s]/;
const NOTHING = new Uint8Array(0);

/** @returns undefined if a glyph or the font uses unsupported features */
export function convertType1(drawn: DrawnType1, { names, codes }: WantedNames): NamedCff | undefined {
  const { font } = drawn;
  const head = Buffer.from(font.clear).toString("latin1");
  const name = /\/FontName\s*\/([!-~]{1,63})\s/.exec(head)?.[1]?.replace(TAGGED, "");
  if (MORE.test(head) || !hasUnitMatrix(head) || !hasPlainEncoding(font) || name === undefined) return undefined;
  const glyphs = new Map<string, NamedGlyph>();
  const repeated = repeatedNames(font);
  let bytes = 0;
  for (const one of [NOTDEF, ...names]) {
    if (glyphs.has(one) || (one !== NOTDEF && !font.glyphs.has(one))) continue;
    // If several glyphs have the same name, readers disagree on which one it means.
    const glyph = repeated.has(one) ? undefined : glyphOf(drawn, one);
    bytes += glyph?.charString.length ?? 0;
    if (!glyph || bytes > MAX_BYTES) return undefined;
    glyphs.set(one, glyph);
  }
  const found = new Map<number, string>();
  font.encoding.forEach((one, code) => {
    if (one !== undefined && glyphs.has(one)) found.set(code, one);
  });
  for (const code of codes) found.set(code, font.encoding[code] ?? NOTDEF);
  const box = new RegExp(`/FontBBox\\s*[{[]\\s*${Array(4).fill(NUMBER).join("\\s+")}`).exec(head);
  const numbers = (box?.slice(1) ?? []).map(Number);
  const hasStandardEncoding = font.encoding === standardEncoding();
  const shape = { box: numbers.every(isWritable) ? numbers : [], top: NOTHING, private: NOTHING };
  return { name, hasStandardEncoding, glyphs, codes: found, ...shape };
}

function hasUnitMatrix(head: string): boolean {
  const matrix = new RegExp(`/FontMatrix\\s*[{[]\\s*${Array(6).fill(NUMBER).join("\\s+")}\\s*[}\\]]`).exec(head);
  return matrix !== null && UNIT_MATRIX.every((value, index) => Number(matrix[index + 1]) === value);
}

function repeatedNames({ entries, glyphs }: Type1Font): Set<string> {
  return new Set(entries.filter((entry) => glyphs.get(entry.name) !== entry).map(({ name }) => name));
}

function glyphOf(drawn: DrawnType1, name: string): NamedGlyph | undefined {
  const glyph = drawn.font.glyphs.get(name);
  if (!glyph) return { width: 0, charString: type2CharString([])! };
  const outline = drawn.outlineOf(glyph.charString);
  const outlines = outline && placeOutlines(drawn, outline);
  const charString = outlines && type2CharString(outlines);
  return charString && isWritable(outline.width) ? { width: outline.width, charString } : undefined;
}

function placeOutlines(drawn: DrawnType1, outline: Type1Outline): PlacedOutline[] | undefined {
  if (!outline.parts) return [{ outline, origin: [0, 0] }];
  const { base, accent, dx, dy } = outline.parts;
  const [lower, upper] = [base, accent].map((code) => {
    const part = drawn.font.glyphs.get(standardEncoding()[code] ?? "");
    return part && drawn.outlineOf(part.charString);
  });
  if (!lower || !upper || lower.parts || upper.parts) return undefined;
  return [
    { outline: lower, origin: [0, 0] },
    { outline: upper, origin: [dx, dy] },
  ];
}
