// Inlines the subroutines of CFF glyphs, so that glyphs of several subsets can be compared: subsets of the same font
// number their subroutines differently. Hints stay.

import { NOTDEF } from "../names/glyph-names.ts";
import { TAGGED } from "../names/subset-tag.ts";
import { builtInEncoding, type CffFont, glyphNames, PRIVATE, TOP } from "./cff.ts";
import { MAX_BYTES, type NamedCff, type NamedGlyph, type WantedNames } from "./named-cff.ts";
import { copyEntry, type Index, readIndex } from "./syntax.ts";
import { glyphWidth, numberAt, subrBias } from "./type2-charstring.ts";
import { isWritable } from "./type2-writer.ts";
import { PLAIN_ESCAPES, STEMS } from "./used-subroutines.ts";

const MAX_DEPTH = 10;
/** Maximum bytes of one glyph (Adobe Technical Note 5177, appendix B), and maximum steps to inline it. */
const MAX_CHARSTRING = 65_535;
const MAX_STEPS = 200_000;
const [CALLSUBR, RETURN, ESCAPE, ENDCHAR, HINTMASK, CNTRMASK, CALLGSUBR] = [10, 11, 12, 14, 19, 20, 29];
const FONT_BBOX = 5;
/** DICT operator that marks a font as an obliqued copy of another font. */
const SYNTHETIC_BASE = 1220;
/** Operators whose operands differ between subsets: offsets and boxes, or names and notices. */
const PLACES: ReadonlySet<number> = new Set([TOP.charset, TOP.encoding, TOP.charStrings, TOP.private, FONT_BBOX]);
const NOTES = new Set([0, 1, 2, 3, 4, 13, 14, 1200, 1201, 1202, 1203, 1204, 1221, 1222]);
const WIDTHS: ReadonlySet<number> = new Set([PRIVATE.subrs, PRIVATE.defaultWidth, PRIVATE.nominalWidth]);
const NOTHING = readIndex(new Uint8Array(0), 0);

/**
 * @returns undefined for a CID font, or if a glyph has an unsupported operator
 * @throws RangeError if an entry is outside the font
 */
export function desubroutinize(font: CffFont, { names: wanted, codes }: WantedNames): NamedCff | undefined {
  const { private: dict, nominalWidth, defaultWidth, subrs } = font.subFonts[0]!;
  if (font.isCid || font.encodingPlace === 1 || font.nameIndex.count === 0) return undefined;
  if ((font.top.number(TOP.charStringType) ?? 2) !== 2 || font.top.has(SYNTHETIC_BASE)) return undefined;
  const names = glyphNames(font);
  const places = new Map(names.map((name, glyph) => [name, glyph]));
  // If two glyphs have the same name, readers disagree on which one it means.
  if (places.size !== names.length) return undefined;
  const glyphs = new Map<string, NamedGlyph>();
  let bytes = 0;
  for (const name of [NOTDEF, ...wanted]) {
    const index = places.get(name);
    if (index === undefined || glyphs.has(name)) continue;
    const flat = inlineSubroutines(font.charStrings.at(index), subrs, font.globalSubrs);
    const width = flat && glyphWidth(flat, NOTHING, NOTHING);
    if (!flat || !width) return undefined;
    const { operand } = width;
    const charString = operand ? without(flat, operand.start, operand.end) : flat;
    glyphs.set(name, { width: width.width === undefined ? defaultWidth : nominalWidth + width.width, charString });
    bytes += charString.length;
    if (bytes > MAX_BYTES) return undefined;
  }
  const own = builtInEncoding(font, names);
  const found = new Map<number, string>();
  own.forEach((name, code) => {
    if (name !== undefined && glyphs.has(name)) found.set(code, name);
  });
  for (const code of codes) found.set(code, own[code] ?? NOTDEF);
  const name = Buffer.from(font.nameIndex.at(0)).toString("latin1").replace(TAGGED, "");
  const box = font.top.numbers(FONT_BBOX) ?? [];
  const kept = font.top.entries.filter(({ operator }) => !PLACES.has(operator) && !NOTES.has(operator));
  return {
    name,
    hasStandardEncoding: font.encodingPlace === 0,
    glyphs,
    codes: found,
    box: box.every(isWritable) ? box : [],
    top: Buffer.concat(kept.map(copyEntry)),
    private: Buffer.concat(dict.entries.filter(({ operator }) => !WIDTHS.has(operator)).map(copyEntry)),
  };
}

const without = (bytes: Uint8Array, start: number, end: number) =>
  Uint8Array.from([...bytes.subarray(0, start), ...bytes.subarray(end)]);

/**
 * Returns a charstring with its subroutines inlined.
 * @returns undefined if the charstring is damaged, uses arithmetic operators, or is composed of other glyphs
 */
function inlineSubroutines(charString: Uint8Array, local: Index, global: Index): Uint8Array | undefined {
  const flat: number[] = [];
  const callers: { readonly bytes: Uint8Array; readonly at: number }[] = [];
  let operands: { readonly value: number; readonly offset: number }[] = [];
  let bytes = charString;
  let stems = 0;
  for (let at = 0, steps = 0; steps < MAX_STEPS && flat.length <= MAX_CHARSTRING; steps++) {
    const operator = at < bytes.length ? bytes[at]! : RETURN;
    let end = at + 1;
    if (operator === RETURN) {
      const caller = callers.pop();
      if (!caller) return undefined;
      ({ bytes, at } = caller);
      continue;
    }
    if (operator === CALLSUBR || operator === CALLGSUBR) {
      const index = operator === CALLSUBR ? local : global;
      const operand = operands.pop();
      const number = (operand?.value ?? Number.NaN) + subrBias(index.count);
      if (!operand || !(number >= 0 && number < index.count) || callers.length >= MAX_DEPTH) return undefined;
      flat.length = operand.offset;
      callers.push({ bytes, at: end });
      bytes = index.at(number);
      at = 0;
      continue;
    }
    if (operator >= 32 || operator === 28) {
      const [value, behind] = numberAt(bytes, at);
      operands.push({ value, offset: flat.length });
      end = behind;
    } else {
      if (operator === ENDCHAR && operands.length >= 4) return undefined;
      if (operator === ESCAPE && !PLAIN_ESCAPES.has(bytes[end++] ?? -1)) return undefined;
      if (STEMS.has(operator) || operator === HINTMASK || operator === CNTRMASK) stems += operands.length >> 1;
      if (operator === HINTMASK || operator === CNTRMASK) end += (stems + 7) >> 3;
      operands = [];
    }
    if (end > bytes.length) return undefined;
    for (let index = at; index < end; index++) flat.push(bytes[index]!);
    if (operator === ENDCHAR) return Uint8Array.from(flat);
    at = end;
  }
  return undefined;
}
