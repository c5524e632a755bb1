// Subsets a TrueType font: keeps the outlines of some glyphs, with their numbers, and the tables that PDF needs (ISO
// 32000-1, 9.9).

import { type CmapSubtable, readCmap } from "./cmap.ts";
import { dehint } from "./dehint.ts";
import { glyphClosure, outlineOf, readTrueType, type TrueTypeFont, viewOf } from "./truetype.ts";

export interface SubsetOptions {
  /** The used glyphs. @default all */
  readonly glyphs?: ReadonlySet<number>;
  /** Characters looked up in the cmap. @default all characters */
  readonly characters?: ReadonlySet<number>;
  /** True if glyphs are selected only by number. The subset then has neither glyph names nor a cmap. */
  readonly byNumber: boolean;
  /** True to remove hinting if glyphs are removed. @default false */
  readonly withoutHints?: boolean;
}

/** Tables for outlines, metrics and hints. */
const NEEDED = ["cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "prep"];
/** Tables of hinting programs. */
export const HINTS = ["cvt ", "fpgm", "prep"];
/** Tables of character mapping and glyph names. */
const OF_CHARACTERS = ["OS/2", "cmap", "post"];
/** Maximum glyph offset with 16-bit entries, which store half of each offset. */
export const MAX_SHORT_OFFSET = 0x1fffe;
/** Required sum of the checksum of the whole font and its `checkSumAdjustment` (OpenType, "head"). */
export const MAGIC = 0xb1b0afba;

/** @returns undefined if the font has an unexpected structure */
export function subsetTrueType(
  bytes: Uint8Array,
  { glyphs, characters, byNumber, withoutHints }: SubsetOptions,
): Uint8Array | undefined {
  const font = readTrueType(bytes);
  if (!font) return undefined;
  const kept = new Map<string, Uint8Array>();
  for (const tag of [...NEEDED, ...(byNumber ? [] : OF_CHARACTERS)]) {
    const table = font.tables.get(tag);
    if (table) kept.set(tag, table);
  }
  if (glyphs) {
    const all = glyphClosure(font, glyphs);
    if (!all) return undefined;
    // Removes the glyphs after the last used one, unless the cmap could refer to them.
    const count = byNumber ? Math.max(...all) + 1 : font.glyphCount;
    const shapes = outlinesOf(font, all, withoutHints === true);
    if (!shapes) return undefined;
    for (const [tag, table] of outlines(font, shapes, count)) kept.set(tag, table);
    if (withoutHints) for (const tag of HINTS) kept.delete(tag);
    const metrics = metricsOf(font, all, count);
    if (!metrics) return undefined;
    for (const [tag, table] of metrics) kept.set(tag, table);
  }
  if (characters && !byNumber) {
    const maps = readCmap(font);
    if (!maps) return undefined;
    kept.set("cmap", subsetCmap(maps, characters)).set("post", postVersion3(font));
    kept.delete("OS/2");
  }
  return writeSfnt(font.version, kept);
}

/** Returns the outlines of the glyphs. @returns undefined if an outline has an unexpected structure */
export function outlinesOf(
  font: TrueTypeFont,
  glyphs: ReadonlySet<number>,
  withoutHints: boolean,
): Map<number, Uint8Array> | undefined {
  const found = new Map<number, Uint8Array>();
  for (const glyph of glyphs) {
    const outline = outlineOf(font, glyph);
    const kept = withoutHints ? dehint(outline) : outline;
    if (!kept) return undefined;
    found.set(glyph, kept);
  }
  return found;
}

/** Returns the table "glyf" for these outlines, and the tables that depend on it. */
export function outlines(
  font: TrueTypeFont,
  glyphs: ReadonlyMap<number, Uint8Array>,
  count: number,
): Map<string, Uint8Array> {
  const even = (size: number) => size + (size & 1);
  let size = 0;
  for (const outline of glyphs.values()) size += even(outline.length);
  const isLong = size > MAX_SHORT_OFFSET;
  const glyf = new Uint8Array(size);
  const loca = new Uint8Array((count + 1) * (isLong ? 4 : 2));
  const places = viewOf(loca);
  let at = 0;
  for (let glyph = 0; glyph <= count; glyph++) {
    if (isLong) places.setUint32(glyph * 4, at);
    else places.setUint16(glyph * 2, at / 2);
    const outline = glyph < count ? glyphs.get(glyph) : undefined;
    if (!outline) continue;
    glyf.set(outline, at);
    at += even(outline.length);
  }
  const head = new Uint8Array(font.tables.get("head")!);
  viewOf(head).setInt16(50, isLong ? 1 : 0);
  const maxp = new Uint8Array(font.tables.get("maxp")!);
  viewOf(maxp).setUint16(4, count);
  return new Map([
    ["glyf", glyf],
    ["loca", loca],
    ["head", head],
    ["maxp", maxp],
  ]);
}

/** Sets the metrics of removed glyphs to zeros, which compress well. */
function metricsOf(
  font: TrueTypeFont,
  glyphs: ReadonlySet<number>,
  count: number,
): Map<string, Uint8Array> | undefined {
  const [hhea, hmtx] = [font.tables.get("hhea"), font.tables.get("hmtx")];
  if (!hhea || hhea.length < 36 || !hmtx) return undefined;
  const full = viewOf(hhea).getUint16(34);
  if (hmtx.length < full * 4 || full === 0) return undefined;
  const kept = Math.min(full, count);
  const metrics = hmtx.slice(0, kept * 4 + Math.max(0, count - kept) * 2);
  // The last full entry stays: it applies to all later glyphs.
  for (let glyph = 0; glyph < kept - 1; glyph++) if (!glyphs.has(glyph)) metrics.fill(0, glyph * 4, glyph * 4 + 4);
  const header = new Uint8Array(hhea);
  viewOf(header).setUint16(34, kept);
  return new Map([
    ["hhea", header],
    ["hmtx", metrics],
  ]);
}

/** Returns a cmap with the same subtables, but only for these characters. */
export function subsetCmap(
  maps: readonly Omit<CmapSubtable, "entries">[],
  characters: ReadonlySet<number>,
): Uint8Array {
  const sorted = [...characters].filter((one) => one < 0xffff).sort((a, b) => a - b);
  const tables = maps.map(({ glyphOf }) =>
    cmapFormat4(sorted.flatMap((one) => (glyphOf(one) > 0 ? [[one, glyphOf(one)]] : []))),
  );
  const header = 4 + 8 * maps.length;
  const cmap = new Uint8Array(header + tables.reduce((sum, table) => sum + table.length, 0));
  const view = viewOf(cmap);
  view.setUint16(2, maps.length);
  let at = header;
  maps.forEach(({ platform, encoding }, index) => {
    view.setUint16(4 + index * 8, platform);
    view.setUint16(6 + index * 8, encoding);
    view.setUint32(8 + index * 8, at);
    cmap.set(tables[index]!, at);
    at += tables[index]!.length;
  });
  return cmap;
}

/**
 * Writes a cmap subtable in format 4 (OpenType, "cmap"): one segment per run of consecutive characters with consecutive
 * glyphs, and a final segment.
 */
export function cmapFormat4(pairs: readonly (readonly number[])[]): Uint8Array {
  const runs: { first: number; last: number; delta: number }[] = [];
  for (const [character, glyph] of pairs as readonly [number, number][]) {
    const run = runs.at(-1);
    const delta = (glyph - character) & 0xffff;
    if (run && run.last + 1 === character && run.delta === delta) run.last = character;
    else runs.push({ first: character, last: character, delta });
  }
  runs.push({ first: 0xffff, last: 0xffff, delta: 1 });
  const table = new Uint8Array(16 + 8 * runs.length);
  const view = viewOf(table);
  const power = Math.floor(Math.log2(runs.length));
  [4, table.length, 0, 2 * runs.length, 2 << power, power, 2 * runs.length - (2 << power)].forEach((value, index) => {
    view.setUint16(index * 2, value);
  });
  runs.forEach(({ first, last, delta }, index) => {
    view.setUint16(14 + index * 2, last);
    view.setUint16(16 + 2 * runs.length + index * 2, first);
    view.setUint16(16 + 4 * runs.length + index * 2, delta);
  });
  return table;
}

/** Returns a version 3 table, which has no glyph names (OpenType, "post"). */
export function postVersion3({ tables }: TrueTypeFont): Uint8Array {
  const post = new Uint8Array(32);
  post.set((tables.get("post") ?? new Uint8Array(0)).subarray(0, 32));
  viewOf(post).setUint32(0, 0x00030000);
  return post;
}

/** Writes a font file from tables (OpenType, "Organization of an OpenType font"). */
export function writeSfnt(version: number, tables: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const padded = (size: number) => (size + 3) & ~3;
  const sorted = [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
  const directory = 12 + 16 * sorted.length;
  const font = new Uint8Array(directory + sorted.reduce((sum, [, table]) => sum + padded(table.length), 0));
  const view = viewOf(font);
  const power = Math.floor(Math.log2(sorted.length));
  view.setUint32(0, version);
  [sorted.length, 16 << power, power, (sorted.length - (1 << power)) * 16].forEach((value, index) => {
    view.setUint16(4 + index * 2, value);
  });
  let at = directory;
  let head = 0;
  sorted.forEach(([tag, table], index) => {
    const entry = 12 + index * 16;
    for (let place = 0; place < 4; place++) font[entry + place] = tag.charCodeAt(place);
    font.set(table, at);
    if (tag === "head") {
      head = at;
      view.setUint32(at + 8, 0);
    }
    view.setUint32(entry + 4, checksum(view, at, padded(table.length)));
    view.setUint32(entry + 8, at);
    view.setUint32(entry + 12, table.length);
    at += padded(table.length);
  });
  if (head > 0) view.setUint32(head + 8, (MAGIC - checksum(view, 0, font.length)) >>> 0);
  return font;
}

/** Sums 32-bit words (OpenType, "Calculating checksums"). */
export function checksum(view: DataView, from: number, bytes: number): number {
  let sum = 0;
  for (let at = from; at < from + bytes; at += 4) sum = (sum + view.getUint32(at)) >>> 0;
  return sum;
}
