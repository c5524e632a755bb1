// Rewrites a TrueType font with other advance widths, more glyphs and another cmap, or with a few glyphs in a new
// order. Outlines are copied, not interpreted.
import { SYMBOL_BASE } from "../symbolic.ts";
import { cmapFormat4, MAX_SHORT_OFFSET, postVersion3, writeSfnt } from "./subset-truetype.ts";
import { advanceWidth, componentOffsets, leftSideBearing, outlineOf, type TrueTypeFont, viewOf } from "./truetype.ts";

/** A glyph of the new font. */
export interface TrueTypeGlyph {
  /** The glyph of the original font whose outline is copied. */
  readonly source: number;
  /** Advance width in font units. @default the original advance width */
  readonly advance?: number | undefined;
}

export interface TrueTypeChanges {
  /** Advance widths by glyph, in font units. */
  readonly advances: ReadonlyMap<number, number>;
  /** Glyphs to append. */
  readonly added: readonly TrueTypeGlyph[];
  /** @default the original cmap */
  readonly cmap?: Uint8Array | undefined;
}

const MAX_GLYPHS = 65_535;
/** Hinting tables, which apply to all glyphs. */
const HINTS = ["cvt ", "fpgm", "prep"];
/** Tables of glyph names and character mapping. */
const NAMES = ["OS/2", "name", "post"];

/** @returns undefined if there would be more glyphs than the format allows */
export function changeTrueType(font: TrueTypeFont, { advances, added, cmap }: TrueTypeChanges): Uint8Array | undefined {
  if (font.glyphCount + added.length > MAX_GLYPHS) return undefined;
  const glyphs: OutlinedGlyph[] = [];
  for (let glyph = 0; glyph < font.glyphCount; glyph++) {
    glyphs.push({ source: glyph, advance: advances.get(glyph), outline: outlineOf(font, glyph) });
  }
  for (const glyph of added) glyphs.push({ ...glyph, outline: outlineOf(font, glyph.source) });
  const tables = tablesOf(font, glyphs);
  for (const tag of NAMES) {
    const table = font.tables.get(tag);
    if (table) tables.set(tag, table);
  }
  if (added.length > 0) tables.set("post", postVersion3(font));
  const map = cmap ?? font.tables.get("cmap");
  if (map) tables.set("cmap", map);
  return writeSfnt(0x00010000, tables);
}

/**
 * Returns a font with glyph 0, the given glyphs in order, and their components.
 * @returns undefined if an outline is damaged
 */
export function compactTrueType(
  font: TrueTypeFont,
  wanted: readonly TrueTypeGlyph[],
  cmap?: Uint8Array,
): Uint8Array | undefined {
  const glyphs: OutlinedGlyph[] = [{ source: 0 }, ...wanted].map((glyph) => ({
    ...glyph,
    outline: outlineOf(font, glyph.source),
  }));
  const places = new Map<number, number>();
  glyphs.forEach(({ source }, index) => {
    if (!places.has(source)) places.set(source, index);
  });
  for (let index = 0; index < glyphs.length; index++) {
    const outline = glyphs[index]!.outline;
    const components = componentOffsets(outline);
    if (!components) return undefined;
    if (components.length === 0) continue;
    const copy = outline.slice();
    for (const at of components) {
      const source = viewOf(copy).getUint16(at);
      let target = places.get(source);
      if (target === undefined) {
        target = glyphs.length;
        if (source >= font.glyphCount || target > MAX_GLYPHS) return undefined;
        places.set(source, target);
        glyphs.push({ source, outline: outlineOf(font, source) });
      }
      viewOf(copy).setUint16(at, target);
    }
    glyphs[index] = { ...glyphs[index]!, outline: copy };
  }
  const tables = tablesOf(font, glyphs).set("post", postVersion3(font));
  if (cmap) tables.set("cmap", cmap);
  return writeSfnt(0x00010000, tables);
}

/** Returns a cmap for a symbolic font, from a map of codes to glyphs. */
export function symbolMap(glyphs: ReadonlyMap<number, number>): Uint8Array {
  const pairs = [...glyphs].sort(([a], [b]) => a - b).map(([code, glyph]) => [SYMBOL_BASE + code, glyph]);
  const table = cmapFormat4(pairs);
  const cmap = new Uint8Array(12 + table.length);
  [0, 1, 3, 0].forEach((value, index) => {
    viewOf(cmap).setUint16(index * 2, value);
  });
  viewOf(cmap).setUint32(8, 12);
  cmap.set(table, 12);
  return cmap;
}

interface OutlinedGlyph extends TrueTypeGlyph {
  readonly outline: Uint8Array;
  /** Left side bearing in font units. @default the original one */
  readonly bearing?: number;
}

/** Returns the tables of hints, outlines and metrics. */
export function tablesOf(font: TrueTypeFont, glyphs: readonly OutlinedGlyph[]): Map<string, Uint8Array> {
  const tables = new Map<string, Uint8Array>();
  for (const tag of HINTS) {
    const table = font.tables.get(tag);
    if (table) tables.set(tag, table);
  }
  const even = (size: number) => size + (size & 1);
  const size = glyphs.reduce((sum, { outline }) => sum + even(outline.length), 0);
  const isLong = size > MAX_SHORT_OFFSET;
  // Readers treat an empty table as missing.
  const glyf = new Uint8Array(Math.max(size, 2));
  const loca = new Uint8Array((glyphs.length + 1) * (isLong ? 4 : 2));
  const hmtx = new Uint8Array(glyphs.length * 4);
  const [places, metrics] = [viewOf(loca), viewOf(hmtx)];
  let at = 0;
  glyphs.forEach(({ source, advance, outline, bearing }, glyph) => {
    if (isLong) places.setUint32(glyph * 4, at);
    else places.setUint16(glyph * 2, at / 2);
    glyf.set(outline, at);
    at += even(outline.length);
    metrics.setUint16(glyph * 4, Math.max(0, Math.min(0xffff, Math.round(advance ?? advanceWidth(font, source)))));
    metrics.setInt16(glyph * 4 + 2, bearing ?? leftSideBearing(font, source));
  });
  if (isLong) places.setUint32(glyphs.length * 4, at);
  else places.setUint16(glyphs.length * 2, at / 2);
  const head = font.tables.get("head")!.slice();
  viewOf(head).setInt16(50, isLong ? 1 : 0);
  const maxp = font.tables.get("maxp")!.slice();
  viewOf(maxp).setUint16(4, glyphs.length);
  const hhea = new Uint8Array(36);
  hhea.set((font.tables.get("hhea") ?? new Uint8Array(0)).subarray(0, 36));
  viewOf(hhea).setUint32(0, 0x00010000);
  viewOf(hhea).setUint16(34, glyphs.length);
  return tables
    .set("glyf", glyf)
    .set("loca", loca)
    .set("hmtx", hmtx)
    .set("head", head)
    .set("maxp", maxp)
    .set("hhea", hhea);
}
