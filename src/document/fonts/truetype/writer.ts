// Rewrites a TrueType font with other advances, more glyphs and another character map, or with a few glyphs in a new
// order. Copies outlines and never draws them. Knows nothing about PDF.
import { viewOf } from "../../contract/byte-reader.ts";
import { SYMBOL_BASE } from "../symbolic.ts";
import { cmapFormat4, MAX_SHORT_OFFSET, postVersion3, writeSfnt } from "./subset-truetype.ts";
import { advanceWidth, componentOffsets, leftSideBearing, outlineOf, type TrueTypeFont } from "./truetype.ts";

/** A glyph of the new font. */
export interface TrueTypeGlyph {
  /** The glyph that it looks like. */
  readonly source: number;
  /** Advance in the font's units. @default the original advance */
  readonly advance?: number | undefined;
}

export interface TrueTypeChanges {
  /** Advances by glyph, in the font's units. */
  readonly advances: ReadonlyMap<number, number>;
  /** Glyphs that follow the existing ones. */
  readonly added: readonly TrueTypeGlyph[];
  /** @default the original map */
  readonly cmap?: Uint8Array | undefined;
}

const MAX_GLYPHS = 65_535;
/** Tables for hints, which are the same for all glyphs. */
const HINTS = ["cvt ", "fpgm", "prep"];
/** Tables for names and characters. */
const NAMES = ["OS/2", "name", "post"];

/** @returns undefined if there would be too many glyphs */
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
 * Returns a font of glyph 0, the given glyphs in their order, and their components.
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
  glyphs.forEach(({ source }, place) => {
    if (!places.has(source)) places.set(source, place);
  });
  for (let place = 0; place < glyphs.length; place++) {
    const outline = glyphs[place].outline;
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
    glyphs[place] = { ...glyphs[place], outline: copy };
  }
  const tables = tablesOf(font, glyphs).set("post", postVersion3(font));
  if (cmap) tables.set("cmap", cmap);
  return writeSfnt(0x00010000, tables);
}

/** Returns a character map of a symbolic font, from glyphs by code. */
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
}

function tablesOf(font: TrueTypeFont, glyphs: readonly OutlinedGlyph[]): Map<string, Uint8Array> {
  const tables = new Map<string, Uint8Array>();
  for (const tag of HINTS) {
    const table = font.tables.get(tag);
    if (table) tables.set(tag, table);
  }
  const even = (size: number) => size + (size & 1);
  const size = glyphs.reduce((sum, { outline }) => sum + even(outline.length), 0);
  const isLong = size > MAX_SHORT_OFFSET;
  // Readers treat a table of zero bytes as missing.
  const glyf = new Uint8Array(Math.max(size, 2));
  const loca = new Uint8Array((glyphs.length + 1) * (isLong ? 4 : 2));
  const hmtx = new Uint8Array(glyphs.length * 4);
  const [places, metrics] = [viewOf(loca), viewOf(hmtx)];
  let at = 0;
  glyphs.forEach(({ source, advance, outline }, glyph) => {
    if (isLong) places.setUint32(glyph * 4, at);
    else places.setUint16(glyph * 2, at / 2);
    glyf.set(outline, at);
    at += even(outline.length);
    metrics.setUint16(glyph * 4, Math.max(0, Math.min(0xffff, Math.round(advance ?? advanceWidth(font, source)))));
    metrics.setInt16(glyph * 4 + 2, leftSideBearing(font, source));
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
