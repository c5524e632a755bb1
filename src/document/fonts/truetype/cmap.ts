// Reads the cmap of TrueType fonts (OpenType, "cmap").
import { type TrueTypeFont, viewOf } from "./truetype.ts";

/** Returns the glyph of a code in a subtable; 0 if there is none. */
export type GlyphLookup = (code: number) => number;

export interface CmapSubtable {
  readonly platform: number;
  readonly encoding: number;
  readonly glyphOf: GlyphLookup;
  /** Returns all codes with a glyph, unordered. */
  entries(): Iterable<readonly [code: number, glyph: number]>;
}

/** Maximum number of codes read from one subtable. */
const MAX_ENTRIES = 200_000;

/** @returns all subtables; undefined if one has an unknown format */
export function readCmap({ tables }: Pick<TrueTypeFont, "tables">): CmapSubtable[] | undefined {
  const cmap = tables.get("cmap");
  if (!cmap || cmap.length < 4) return [];
  const view = viewOf(cmap);
  const maps: CmapSubtable[] = [];
  for (let index = 0; index < view.getUint16(2) && 12 + index * 8 <= cmap.length; index++) {
    const start = view.getUint32(4 + index * 8 + 4);
    if (start + 8 > cmap.length) return undefined;
    const table = viewOf(cmap.subarray(start));
    // Format 14 (variation sequences) only modifies other mappings.
    if (table.getUint16(0) === 14) continue;
    const glyphOf = readMap(table);
    if (!glyphOf) return undefined;
    maps.push({
      platform: view.getUint16(4 + index * 8),
      encoding: view.getUint16(6 + index * 8),
      glyphOf,
      entries: () => entriesOf(table),
    });
  }
  return maps;
}

/** Reads a subtable (OpenType, "cmap"). Entries outside the table map to glyph 0. */
function readMap(view: DataView): GlyphLookup | undefined {
  const word = (at: number) => (at >= 0 && at + 2 <= view.byteLength ? view.getUint16(at) : 0);
  const long = (at: number) => (at + 4 <= view.byteLength ? view.getUint32(at) : 0);
  switch (view.getUint16(0)) {
    case 0:
      return (code) => (code < 256 && 6 + code < view.byteLength ? view.getUint8(6 + code) : 0);
    case 4:
      return segmentGlyphs(word);
    case 6:
      return (code) => {
        const index = code - word(6);
        return index >= 0 && index < word(8) ? word(10 + index * 2) : 0;
      };
    case 12:
      return groupGlyphs(view, long);
    default:
      return undefined;
  }
}

function segmentGlyphs(word: (at: number) => number): GlyphLookup {
  const twice = word(6);
  const segmentOf = searchIn(Math.ceil(twice / 2), (segment) => word(14 + segment * 2));
  return (code) => {
    const segment = 2 * segmentOf(code);
    if (segment >= twice || code < word(16 + twice + segment)) return 0;
    return glyphInSegment(word, twice, segment, code);
  };
}

function groupGlyphs(view: DataView, long: (at: number) => number): GlyphLookup {
  const groups = Math.max(0, Math.min(long(12), Math.ceil((view.byteLength - 16) / 12)));
  const groupOf = searchIn(
    groups,
    (group) => long(16 + group * 12 + 4),
    (group) => long(16 + group * 12),
  );
  return (code) => {
    const group = groupOf(code);
    const at = 16 + group * 12;
    return group < groups && code >= long(at) ? long(at + 8) + code - long(at) : 0;
  };
}

/**
 * Creates a search over ranges of codes. It is a binary search, because large fonts have thousands of ranges. Ranges
 * that are not sorted, although they should be (OpenType, "cmap"), are searched linearly.
 * @param lastOf returns the last code of a range
 * @param firstOf returns the first code of a range; used only if the ranges are not sorted
 * @returns a function that returns the index of the first range that ends at or after a code; the number of ranges if
 * there is none
 */
function searchIn(
  count: number,
  lastOf: (index: number) => number,
  firstOf: (index: number) => number = () => 0,
): (code: number) => number {
  let inOrder: boolean | undefined;
  return (code) => {
    inOrder ??= isInOrder(count, lastOf);
    if (!inOrder) {
      let index = 0;
      while (index < count && (lastOf(index) < code || firstOf(index) > code)) index++;
      return index;
    }
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (lastOf(middle) < code) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

function isInOrder(count: number, lastOf: (index: number) => number): boolean {
  for (let index = 1; index < count; index++) if (lastOf(index) < lastOf(index - 1)) return false;
  return true;
}

function glyphInSegment(word: (at: number) => number, twice: number, segment: number, code: number): number {
  const delta = word(16 + twice * 2 + segment);
  const rangeOffset = 16 + twice * 3 + segment;
  const range = word(rangeOffset);
  if (range === 0) return (code + delta) & 0xffff;
  const glyph = word(rangeOffset + range + (code - word(16 + twice + segment)) * 2);
  return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
}

function* entriesOf(view: DataView): Generator<readonly [number, number]> {
  const word = (at: number) => (at >= 0 && at + 2 <= view.byteLength ? view.getUint16(at) : 0);
  let left = MAX_ENTRIES;
  for (const [first, last, glyphOf] of runsOf(view, word)) {
    for (let code = first; code <= last && left-- > 0; code++) {
      const glyph = glyphOf(code);
      if (glyph > 0) yield [code, glyph];
    }
  }
}

type Run = readonly [first: number, last: number, glyphOf: GlyphLookup];

function* runsOf(view: DataView, word: (at: number) => number): Generator<Run> {
  const format = word(0);
  if (format === 0) yield [0, 255, readMap(view)!];
  if (format === 6) yield [word(6), word(6) + word(8) - 1, readMap(view)!];
  if (format === 4) {
    const twice = word(6);
    for (let segment = 0; segment < twice; segment += 2) {
      const last = word(14 + segment);
      const first = word(16 + twice + segment);
      yield [first, Math.min(last, 0xfffe), (code) => glyphInSegment(word, twice, segment, code)];
    }
  }
  if (format !== 12 || view.byteLength < 16) return;
  const groups = Math.min(view.getUint32(12), Math.floor((view.byteLength - 16) / 12));
  for (let at = 16; at < 16 + groups * 12; at += 12) {
    const [first, last, glyph] = [view.getUint32(at), view.getUint32(at + 4), view.getUint32(at + 8)];
    yield [first, Math.min(last, 0x10ffff), (code) => (glyph + code - first) & 0xffff];
  }
}
