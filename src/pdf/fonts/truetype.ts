// TrueType font programs as PDF embeds them (ISO 32000-1, 9.9): tables, outlines by glyph, character maps. Knows no PDF.

export interface TrueTypeFont {
  readonly version: number;
  /** By tag, in the order of the directory. */
  readonly tables: ReadonlyMap<string, Uint8Array>;
  readonly glyphCount: number;
  /** Where the outline of each glyph begins, and behind the last one its end. */
  readonly offsets: Uint32Array;
}

const VERSIONS = [0x00010000, 0x74727565];
/** Of a glyph made of others (OpenType, "glyf"). */
const WORDS = 0x0001;
const SCALE = 0x0008;
const MORE = 0x0020;
const TWO_SCALES = 0x0040;
const TWO_BY_TWO = 0x0080;
const MAX_COMPONENTS = 256;

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** @returns undefined for what is no TrueType font, or one whose tables are not where they are said to be */
export function readTrueType(bytes: Uint8Array): TrueTypeFont | undefined {
  if (bytes.length < 12) return undefined;
  const view = viewOf(bytes);
  const version = view.getUint32(0);
  const count = view.getUint16(4);
  if (!VERSIONS.includes(version) || bytes.length < 12 + 16 * count) return undefined;
  const tables = new Map<string, Uint8Array>();
  for (let at = 12; at < 12 + 16 * count; at += 16) {
    const tag = String.fromCharCode(...bytes.subarray(at, at + 4));
    const [start, length] = [view.getUint32(at + 8), view.getUint32(at + 12)];
    if (start + length > bytes.length) return undefined;
    tables.set(tag, bytes.subarray(start, start + length));
  }
  const [head, maxp, loca, glyf] = ["head", "maxp", "loca", "glyf"].map((tag) => tables.get(tag));
  if (!head || head.length < 54 || !maxp || maxp.length < 6 || !loca || !glyf) return undefined;
  const glyphCount = viewOf(maxp).getUint16(4);
  const offsets = readOffsets(loca, glyphCount, viewOf(head).getInt16(50) !== 0, glyf.length);
  return offsets && { version, tables, glyphCount, offsets };
}

function readOffsets(loca: Uint8Array, glyphCount: number, isLong: boolean, limit: number): Uint32Array | undefined {
  if (loca.length < (glyphCount + 1) * (isLong ? 4 : 2)) return undefined;
  const view = viewOf(loca);
  const offsets = new Uint32Array(glyphCount + 1);
  for (let glyph = 0; glyph <= glyphCount; glyph++) {
    offsets[glyph] = isLong ? view.getUint32(glyph * 4) : view.getUint16(glyph * 2) * 2;
    if (offsets[glyph]! > limit || (glyph > 0 && offsets[glyph]! < offsets[glyph - 1]!)) return undefined;
  }
  return offsets;
}

/** The outline's bytes; none for a glyph without. */
export function outlineOf({ tables, offsets }: TrueTypeFont, glyph: number): Uint8Array {
  return tables.get("glyf")!.subarray(offsets[glyph]!, offsets[glyph + 1]!);
}

/** @returns with the glyphs that those are made of, and glyph 0; undefined where an outline is damaged */
export function withComponents(font: TrueTypeFont, glyphs: ReadonlySet<number>): Set<number> | undefined {
  const all = new Set<number>([0]);
  const waiting = [0, ...glyphs];
  for (let glyph = waiting.pop(); glyph !== undefined; glyph = waiting.pop()) {
    if (glyph >= font.glyphCount) continue;
    all.add(glyph);
    const components = componentsOf(outlineOf(font, glyph));
    if (!components) return undefined;
    for (const component of components) if (!all.has(component)) waiting.push(component);
  }
  return all;
}

function componentsOf(outline: Uint8Array): number[] | undefined {
  const components: number[] = [];
  if (outline.length < 10) return components;
  const view = viewOf(outline);
  if (view.getInt16(0) >= 0) return components;
  for (let at = 10, flags = MORE; (flags & MORE) !== 0; ) {
    if (at + 4 > outline.length || components.length > MAX_COMPONENTS) return undefined;
    flags = view.getUint16(at);
    components.push(view.getUint16(at + 2));
    at += 4 + (flags & WORDS ? 4 : 2) + (flags & SCALE ? 2 : flags & TWO_SCALES ? 4 : flags & TWO_BY_TWO ? 8 : 0);
  }
  return components;
}

/** What a character map gives for a code; 0 where it has none. */
export type GlyphOf = (code: number) => number;

export interface CharacterMap {
  readonly platform: number;
  readonly encoding: number;
  readonly glyphOf: GlyphOf;
}

/** @returns all of them, whatever they are for; undefined where one is of a kind that is not known */
export function characterMaps({ tables }: TrueTypeFont): CharacterMap[] | undefined {
  const cmap = tables.get("cmap");
  if (!cmap || cmap.length < 4) return [];
  const view = viewOf(cmap);
  const maps: CharacterMap[] = [];
  for (let index = 0; index < view.getUint16(2) && 12 + index * 8 <= cmap.length; index++) {
    const start = view.getUint32(4 + index * 8 + 4);
    if (start + 8 > cmap.length) return undefined;
    const glyphOf = readMap(viewOf(cmap.subarray(start)));
    if (!glyphOf) return undefined;
    maps.push({ platform: view.getUint16(4 + index * 8), encoding: view.getUint16(6 + index * 8), glyphOf });
  }
  return maps;
}

/** OpenType, "cmap". What lies outside of the table is glyph 0. */
function readMap(view: DataView): GlyphOf | undefined {
  const word = (at: number) => (at >= 0 && at + 2 <= view.byteLength ? view.getUint16(at) : 0);
  const long = (at: number) => (at + 4 <= view.byteLength ? view.getUint32(at) : 0);
  switch (view.getUint16(0)) {
    case 0:
      return (code) => (code < 256 && 6 + code < view.byteLength ? view.getUint8(6 + code) : 0);
    case 4:
      return (code) => segmentGlyph(word, code);
    case 6:
      return (code) => {
        const index = code - word(6);
        return index >= 0 && index < word(8) ? word(10 + index * 2) : 0;
      };
    case 12:
      return (code) => {
        for (let group = 0; group < Math.min(long(12), view.byteLength / 12); group++) {
          const at = 16 + group * 12;
          if (code >= long(at) && code <= long(at + 4)) return long(at + 8) + code - long(at);
        }
        return 0;
      };
    default:
      return undefined;
  }
}

function segmentGlyph(word: (at: number) => number, code: number): number {
  const twice = word(6);
  for (let segment = 0; segment < twice; segment += 2) {
    if (code > word(14 + segment)) continue;
    const first = word(16 + twice + segment);
    if (code < first) return 0;
    const delta = word(16 + twice * 2 + segment);
    const place = 16 + twice * 3 + segment;
    const range = word(place);
    if (range === 0) return (code + delta) & 0xffff;
    const glyph = word(place + range + (code - first) * 2);
    return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
  }
  return 0;
}
