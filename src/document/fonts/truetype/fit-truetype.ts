// Makes a TrueType font with the advance widths and line height of another font, under another name: outlines are scaled
// horizontally. Drops kerning, hinting and other layout tables, because they belong to the former widths.
import { type CmapSubtable, readCmap } from "./cmap.ts";
import { contoursOf, movePoints } from "./contours.ts";
import { makeFont } from "./made-font.ts";
import type { FontNames } from "./name-table.ts";
import { advanceWidth, type TrueTypeFont, unitsPerEm } from "./truetype.ts";

/** Advance widths by character, in thousandths of the font size. */
export type Widths = ReadonlyMap<string, number>;

export interface FontFit {
  readonly names: FontNames;
  /** Other characters are scaled like their base letter, or by the mean scale. */
  readonly widths: Widths;
  /** @default those of the font */
  readonly lines?: readonly [ascent: number, descent: number] | undefined;
}

/** @returns undefined if the font has an unexpected structure */
export function fitTrueType(font: TrueTypeFont, { names, widths, lines }: FontFit): Uint8Array | undefined {
  const map = unicodeSubtable(font);
  const cmap = font.tables.get("cmap");
  if (!map || !cmap) return undefined;
  const advances = new Map<number, number>();
  for (const [character, width] of widths) {
    const glyph = map.glyphOf(character.codePointAt(0)!);
    if (glyph > 0 && advanceWidth(font, glyph) > 0) advances.set(glyph, (width * unitsPerEm(font)) / 1000);
  }
  const scaleOf = scalesOf(font, map, advances);
  const glyphs = [];
  for (let glyph = 0; glyph < font.glyphCount; glyph++) {
    const contours = contoursOf(font, glyph);
    if (!contours) return undefined;
    const scale = scaleOf(glyph);
    const advance = Math.round(advances.get(glyph) ?? advanceWidth(font, glyph) * scale);
    glyphs.push({ advance, contours: movePoints(contours, ({ x, y }) => [x * scale, y]) });
  }
  return makeFont(font, { names, glyphs, cmap, lines });
}

/** Returns the advance width of a character, in thousandths of the font size; undefined if the font lacks it. */
export function widthsOf(font: TrueTypeFont): (character: string) => number | undefined {
  const map = unicodeSubtable(font);
  return (character) => {
    const glyph = map?.glyphOf(character.codePointAt(0)!) ?? 0;
    return glyph === 0 ? undefined : (advanceWidth(font, glyph) * 1000) / unitsPerEm(font);
  };
}

function unicodeSubtable(font: TrueTypeFont): CmapSubtable | undefined {
  const maps = readCmap(font) ?? [];
  return [10, 1].map((one) => maps.find(({ platform, encoding }) => platform === 3 && encoding === one)).find(Boolean);
}

/** Returns the horizontal scale of each glyph. */
function scalesOf(font: TrueTypeFont, map: CmapSubtable, advances: ReadonlyMap<number, number>) {
  const scales = new Map([...advances].map(([glyph, advance]) => [glyph, advance / advanceWidth(font, glyph)]));
  const mean = scales.size === 0 ? 1 : [...scales.values()].reduce((sum, scale) => sum + scale) / scales.size;
  for (const [code, glyph] of map.entries()) {
    const base = String.fromCodePoint(code).normalize("NFD").codePointAt(0)!;
    const scale = scales.get(map.glyphOf(base));
    if (scale !== undefined && !scales.has(glyph)) scales.set(glyph, scale);
  }
  return (glyph: number): number => scales.get(glyph) ?? mean;
}
