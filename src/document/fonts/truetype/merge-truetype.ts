// Merges several subsets of the same TrueType font into one font (ISO 32000-1, 9.9). A glyph must have the same number
// in all subsets. Subsets are compared by hashes, so that only one subset is in memory at a time.

import { type CmapSubtable, readCmap } from "./cmap.ts";
import { HINTS, outlines, outlinesOf, postVersion3, subsetCmap, writeSfnt } from "./subset-truetype.ts";
import {
  advanceWidth,
  glyphClosure,
  leftSideBearing,
  outlineOf,
  readTrueType,
  type TrueTypeFont,
  viewOf,
} from "./truetype.ts";

/** The glyphs of a font to keep. */
export interface GlyphSelection {
  /** The used glyphs. */
  readonly glyphs: ReadonlySet<number>;
  /** True to also keep all other glyphs with an outline. */
  readonly keepsAll: boolean;
  /** Characters looked up in the cmap; undefined if glyphs are selected only by number. */
  readonly characters: ReadonlySet<number> | undefined;
  readonly withoutHints: boolean;
}

/** The selected contents of a font. */
export interface FontContents {
  /** A key that must be equal in all fonts to merge. */
  readonly common: string;
  /** Outline hashes by glyph. */
  readonly glyphs: ReadonlyMap<number, number>;
  /** Glyphs by character. In cmap subtable n, n * `MAP_SPAN` is added to each character. */
  readonly characters: ReadonlyMap<number, number>;
}

/** Offset between the characters of two subtables, larger than any character. */
const MAP_SPAN = 0x200000;
/** Maximum bytes of outlines in memory at a time. */
const MAX_OUTLINE_BYTES = 16 * 2 ** 20;
/** Offset in "maxp" after which all values are maximums (OpenType, "maxp"). */
const FIRST_MAXIMUM = 6;
const MAXP_BYTES = 32;

/** @returns undefined for a font that must not be merged */
export function readContents(bytes: Uint8Array, wanted: GlyphSelection): FontContents | undefined {
  const part = readMergedFont(bytes, wanted);
  if (!part) return undefined;
  const glyphs = new Map<number, number>();
  for (const [glyph, outline] of part.outlines) {
    const metrics = (advanceWidth(part.font, glyph) << 16) ^ (leftSideBearing(part.font, glyph) & 0xffff);
    glyphs.set(glyph, outlineHash(outline, metrics));
  }
  return { common: commonOf(part, wanted), glyphs, characters: part.characters };
}

interface MergedFont {
  readonly font: TrueTypeFont;
  readonly maps: readonly CmapSubtable[];
  readonly outlines: ReadonlyMap<number, Uint8Array>;
  readonly characters: ReadonlyMap<number, number>;
}

function readMergedFont(bytes: Uint8Array, wanted: GlyphSelection): MergedFont | undefined {
  const font = readTrueType(bytes);
  const maps = font && wanted.characters ? readCmap(font) : [];
  if (!font || !maps || !hasMetrics(font)) return undefined;
  const glyphs = new Set(wanted.glyphs);
  for (const glyph of glyphs) if (glyph >= font.glyphCount) return undefined;
  if (wanted.keepsAll) {
    for (let glyph = 0; glyph < font.glyphCount; glyph++) if (outlineOf(font, glyph).length > 0) glyphs.add(glyph);
  }
  const all = glyphClosure(font, glyphs);
  const found = all && outlinesOf(font, all, wanted.withoutHints);
  if (!found) return undefined;
  const characters = new Map<number, number>();
  maps.forEach(({ glyphOf }, index) => {
    for (const one of wanted.characters ?? []) characters.set(index * MAP_SPAN + one, glyphOf(one));
  });
  return { font, maps, outlines: found, characters };
}

function hasMetrics({ tables }: TrueTypeFont): boolean {
  const [hhea, hmtx, maxp] = ["hhea", "hmtx", "maxp"].map((tag) => tables.get(tag));
  if (!hhea || hhea.length < 36 || !hmtx || maxp?.length !== MAXP_BYTES) return false;
  const full = viewOf(hhea).getUint16(34);
  return full > 0 && hmtx.length >= full * 4;
}

function commonOf({ font, maps }: MergedFont, { withoutHints }: GlyphSelection): string {
  const hex = (tag: string, from: number, to?: number) =>
    Buffer.from((font.tables.get(tag) ?? new Uint8Array(0)).subarray(from, to)).toString("hex");
  const parts = [
    font.version,
    // Flags and unitsPerEm; ascender, descender and line gap.
    hex("head", 16, 20),
    hex("hhea", 4, 10),
    ...maps.map(({ platform, encoding }) => `${platform},${encoding}`),
    ...(withoutHints ? [] : HINTS.map((tag) => hex(tag, 0))),
  ];
  return parts.join(" ");
}

/** Returns an FNV-1a hash. Glyphs with equal hashes must still be compared. @param more another value to include */
export function outlineHash(outline: Uint8Array, more: number): number {
  let hash = 0x811c9dc5 ^ more;
  for (const byte of outline) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}

/**
 * @param parts fonts whose {@link FontContents} agree, read one at a time
 * @returns undefined if the fonts have different outlines for the same glyph, or the result is too large
 */
export function mergeTrueType(
  parts: Iterable<readonly [bytes: Uint8Array | undefined, wanted: GlyphSelection]>,
): Uint8Array | undefined {
  const union = new Union();
  for (const [bytes, wanted] of parts) {
    const part = bytes && readMergedFont(bytes, wanted);
    if (!part || !union.add(part, wanted)) return undefined;
  }
  return union.written();
}

class Union {
  readonly #outlines = new Map<number, Uint8Array>();
  readonly #metrics = new Map<number, readonly [advance: number, bearing: number]>();
  readonly #characters = new Map<number, number>();
  #bytes = 0;
  /** Tables of the first font. */
  #tables: Map<string, Uint8Array> | undefined;
  #maps: readonly Pick<CmapSubtable, "platform" | "encoding">[] = [];
  #version = 0;
  #common = "";
  #isByNumber = true;

  add(part: MergedFont, wanted: GlyphSelection): boolean {
    const { font, maps } = part;
    const common = commonOf(part, wanted);
    if (!this.#tables) {
      const tags = ["head", "hhea", "maxp", "post", ...(wanted.withoutHints ? [] : HINTS)];
      const copies = tags.flatMap((tag) => {
        const table = font.tables.get(tag);
        return table ? [[tag, new Uint8Array(table)] as const] : [];
      });
      this.#tables = new Map(copies);
      this.#maps = maps.map(({ platform, encoding }) => ({ platform, encoding }));
      this.#version = font.version;
      this.#common = common;
      this.#isByNumber = wanted.characters === undefined;
    } else if (common !== this.#common || this.#isByNumber !== (wanted.characters === undefined)) return false;
    this.#widen(font);
    for (const [character, glyph] of part.characters) {
      if ((this.#characters.get(character) ?? glyph) !== glyph) return false;
      this.#characters.set(character, glyph);
    }
    for (const [glyph, outline] of part.outlines) if (!this.#addGlyph(font, glyph, outline)) return false;
    return this.#bytes <= MAX_OUTLINE_BYTES;
  }

  #addGlyph(font: TrueTypeFont, glyph: number, outline: Uint8Array): boolean {
    const metrics = [advanceWidth(font, glyph), leftSideBearing(font, glyph)] as const;
    const known = this.#outlines.get(glyph);
    if (known) {
      const [advance, bearing] = this.#metrics.get(glyph)!;
      return advance === metrics[0] && bearing === metrics[1] && Buffer.compare(known, outline) === 0;
    }
    // A copy, so that the source font can be released.
    this.#outlines.set(glyph, new Uint8Array(outline));
    this.#metrics.set(glyph, metrics);
    this.#bytes += outline.length;
    return true;
  }

  /** Raises the limits of "maxp" and extends the bounding box to include another font. */
  #widen(font: TrueTypeFont): void {
    const [maxp, other] = [this.#tables!.get("maxp")!, font.tables.get("maxp")!];
    for (let at = FIRST_MAXIMUM; at < MAXP_BYTES; at += 2) {
      viewOf(maxp).setUint16(at, Math.max(viewOf(maxp).getUint16(at), viewOf(other).getUint16(at)));
    }
    const [head, box] = [viewOf(this.#tables!.get("head")!), viewOf(font.tables.get("head")!)];
    for (const at of [36, 38]) head.setInt16(at, Math.min(head.getInt16(at), box.getInt16(at)));
    for (const at of [40, 42]) head.setInt16(at, Math.max(head.getInt16(at), box.getInt16(at)));
  }

  written(): Uint8Array | undefined {
    const kept = this.#tables;
    if (!kept) return undefined;
    const count = Math.max(...this.#outlines.keys()) + 1;
    const font = { version: this.#version, tables: new Map(kept), glyphCount: count, offsets: new Uint32Array(0) };
    for (const [tag, table] of outlines(font, this.#outlines, count)) kept.set(tag, table);
    const metrics = new Uint8Array(count * 4);
    for (const [glyph, [advance, bearing]] of this.#metrics) {
      viewOf(metrics).setUint16(glyph * 4, advance);
      viewOf(metrics).setInt16(glyph * 4 + 2, bearing);
    }
    viewOf(kept.get("hhea")!).setUint16(34, count);
    kept.set("hmtx", metrics);
    if (this.#isByNumber) kept.delete("post");
    else kept.set("post", postVersion3(font)).set("cmap", this.#cmap());
    return writeSfnt(this.#version, kept);
  }

  #cmap(): Uint8Array {
    const characters = new Set(Array.from(this.#characters.keys(), (one) => one % MAP_SPAN));
    const maps = this.#maps.map((map, index) => ({
      ...map,
      glyphOf: (one: number) => this.#characters.get(index * MAP_SPAN + one) ?? 0,
    }));
    return subsetCmap(maps, characters);
  }
}
