// Reads embedded TrueType font programs (ISO 32000-1, 9.9): tables, outlines by glyph, metrics.

export interface TrueTypeFont {
  readonly version: number;
  /** Tables by tag, in directory order. */
  readonly tables: ReadonlyMap<string, Uint8Array>;
  readonly glyphCount: number;
  /** Outline offset by glyph, and the end of the last outline. */
  readonly offsets: Uint32Array;
}

const VERSIONS = [0x00010000, 0x74727565];
/** Flags of a composite glyph (OpenType, "glyf"). */
const WORDS = 0x0001;
const SCALE = 0x0008;
const MORE = 0x0020;
const TWO_SCALES = 0x0040;
const TWO_BY_TWO = 0x0080;
const MAX_COMPONENTS = 256;

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/**
 * @param isLenient accepts truncated tables and misplaced outlines, and treats missing parts as empty
 * @returns undefined if the bytes are not a TrueType font, or a table is outside the font
 */
export function readTrueType(bytes: Uint8Array, isLenient = false): TrueTypeFont | undefined {
  if (bytes.length < 12) return undefined;
  const view = viewOf(bytes);
  const version = view.getUint32(0);
  const count = view.getUint16(4);
  if (!VERSIONS.includes(version) || bytes.length < 12 + 16 * count) return undefined;
  const tables = new Map<string, Uint8Array>();
  for (let at = 12; at < 12 + 16 * count; at += 16) {
    const tag = String.fromCharCode(...bytes.subarray(at, at + 4));
    const [start, length] = [view.getUint32(at + 8), view.getUint32(at + 12)];
    if (start + length > bytes.length && !isLenient) return undefined;
    tables.set(tag, bytes.subarray(start, start + length));
  }
  const [head, maxp, loca, glyf] = ["head", "maxp", "loca", "glyf"].map((tag) => tables.get(tag));
  if (!head || head.length < 54 || !maxp || maxp.length < 6 || !loca || !glyf) return undefined;
  const glyphCount = viewOf(maxp).getUint16(4);
  const offsets = readOffsets(loca, glyphCount, viewOf(head).getInt16(50) !== 0, glyf.length, isLenient);
  return offsets && { version, tables, glyphCount, offsets };
}

function readOffsets(
  loca: Uint8Array,
  glyphCount: number,
  isLong: boolean,
  limit: number,
  isLenient: boolean,
): Uint32Array | undefined {
  const size = isLong ? 4 : 2;
  if (loca.length < (glyphCount + 1) * size && !isLenient) return undefined;
  const view = viewOf(loca);
  const offsets = new Uint32Array(glyphCount + 1);
  for (let glyph = 0; glyph <= glyphCount; glyph++) {
    if ((glyph + 1) * size > loca.length) {
      offsets[glyph] = offsets[glyph - 1] ?? 0;
      continue;
    }
    offsets[glyph] = isLong ? view.getUint32(glyph * 4) : view.getUint16(glyph * 2) * 2;
    if (offsets[glyph]! > limit || (glyph > 0 && offsets[glyph]! < offsets[glyph - 1]!)) {
      if (!isLenient) return undefined;
      offsets[glyph] = offsets[glyph - 1] ?? 0;
    }
  }
  return offsets;
}

/** Returns the bytes of an outline; empty for a blank glyph. */
export function outlineOf({ tables, offsets }: TrueTypeFont, glyph: number): Uint8Array {
  return tables.get("glyf")!.subarray(offsets[glyph], offsets[glyph + 1]);
}

/** @returns the glyphs, their components, and glyph 0; undefined if an outline is damaged */
export function glyphClosure(font: TrueTypeFont, glyphs: ReadonlySet<number>): Set<number> | undefined {
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
  return componentOffsets(outline)?.map((at) => viewOf(outline).getUint16(at));
}

/** Returns the offsets of the component glyph numbers in an outline; undefined if the outline is damaged. */
export function componentOffsets(outline: Uint8Array): number[] | undefined {
  const places: number[] = [];
  if (outline.length < 10) return places;
  const view = viewOf(outline);
  if (view.getInt16(0) >= 0) return places;
  for (let at = 10, flags = MORE; (flags & MORE) !== 0; ) {
    if (at + 4 > outline.length || places.length > MAX_COMPONENTS) return undefined;
    flags = view.getUint16(at);
    places.push(at + 2);
    at += 4 + (flags & WORDS ? 4 : 2) + (flags & SCALE ? 2 : flags & TWO_SCALES ? 4 : flags & TWO_BY_TWO ? 8 : 0);
  }
  return places;
}

/**
 * Returns the advance width of a glyph, in font units. A glyph without an entry has the width of the last entry
 * (OpenType, "hmtx").
 */
export function advanceWidth({ tables }: TrueTypeFont, glyph: number): number {
  const [hhea, hmtx] = [tables.get("hhea"), tables.get("hmtx")];
  if (!hhea || hhea.length < 36 || !hmtx || hmtx.length < 4) return 0;
  const full = Math.min(viewOf(hhea).getUint16(34), hmtx.length >> 2);
  return full === 0 ? 0 : viewOf(hmtx).getUint16(Math.min(glyph, full - 1) * 4);
}

/** Returns the left side bearing of a glyph, in font units. */
export function leftSideBearing({ tables }: TrueTypeFont, glyph: number): number {
  const [hhea, hmtx] = [tables.get("hhea"), tables.get("hmtx")];
  if (!hhea || hhea.length < 36 || !hmtx) return 0;
  const full = viewOf(hhea).getUint16(34);
  const at = glyph < full ? glyph * 4 + 2 : full * 4 + (glyph - full) * 2;
  return at + 2 <= hmtx.length ? viewOf(hmtx).getInt16(at) : 0;
}

export function unitsPerEm({ tables }: Pick<TrueTypeFont, "tables">): number {
  return viewOf(tables.get("head")!).getUint16(18) || 1000;
}
