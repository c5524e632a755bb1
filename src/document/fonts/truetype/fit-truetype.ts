// Makes a TrueType font with the advance widths and line height of another font, under another name: outlines are scaled
// horizontally. Kerning, hinting and other layout tables are dropped, because they belong to the former widths.
import { readCmap } from "./cmap.ts";
import { dehint } from "./dehint.ts";
import { nameTable } from "./name-table.ts";
import { scaleOutline } from "./scale-outline.ts";
import { HINTS, postVersion3, writeSfnt } from "./subset-truetype.ts";
import { advanceWidth, outlineOf, type TrueTypeFont, unitsPerEm, viewOf } from "./truetype.ts";
import { tablesOf } from "./writer.ts";

export interface FontFit {
  readonly family: string;
  readonly style: string;
  /** Advance widths by character, in thousandths of the font size. Other characters are scaled like their base letter, or
   * by the mean scale. */
  readonly widths: ReadonlyMap<string, number>;
  /** Ascent and descent of a line in thousandths of the font size. @default those of the font */
  readonly lines?: readonly [ascent: number, descent: number] | undefined;
}

/** @returns undefined if the font has an unexpected structure */
export function fitTrueType(font: TrueTypeFont, fit: FontFit): Uint8Array | undefined {
  const scales = scalesOf(font, fit.widths);
  const [cmap, os2] = [font.tables.get("cmap"), font.tables.get("OS/2")?.slice()];
  if (!scales || !cmap || !os2 || os2.length < 78) return undefined;
  const glyphs = [];
  for (let source = 0; source < font.glyphCount; source++) {
    const { scale, advance } = scales(source);
    const plain = dehint(outlineOf(font, source));
    const outline = plain && scaleOutline(plain, scale);
    if (!outline) return undefined;
    glyphs.push({ source, advance, outline, bearing: outline.length < 4 ? 0 : viewOf(outline).getInt16(2) });
  }
  const tables = tablesOf(font, glyphs);
  for (const tag of HINTS) tables.delete(tag);
  if (fit.lines) setLines(font, tables.get("hhea")!, os2, fit.lines);
  tables.set("cmap", cmap).set("OS/2", os2).set("post", postVersion3(font)).set("name", nameTable(font, fit));
  return writeSfnt(0x00010000, tables);
}

/** Returns a function from glyphs to their horizontal scale and advance width. */
function scalesOf(font: TrueTypeFont, widths: ReadonlyMap<string, number>) {
  const maps = readCmap(font);
  const map = maps?.find(({ platform, encoding }) => platform === 3 && (encoding === 1 || encoding === 10)) ?? maps?.[0];
  if (!map) return undefined;
  const units = unitsPerEm(font);
  const advances = new Map<number, number>();
  const scales = new Map<number, number>();
  for (const [character, width] of widths) {
    const glyph = map.glyphOf(character.codePointAt(0)!);
    const own = advanceWidth(font, glyph);
    if (glyph === 0 || own === 0) continue;
    advances.set(glyph, Math.round((width * units) / 1000));
    scales.set(glyph, (width * units) / 1000 / own);
  }
  const mean = scales.size === 0 ? 1 : [...scales.values()].reduce((sum, scale) => sum + scale, 0) / scales.size;
  for (const [code, glyph] of map.entries()) {
    if (scales.has(glyph)) continue;
    const base = String.fromCodePoint(code).normalize("NFD").codePointAt(0)!;
    const scale = base === code ? undefined : scales.get(map.glyphOf(base));
    if (scale !== undefined) scales.set(glyph, scale);
  }
  return (glyph: number) => {
    const scale = scales.get(glyph) ?? mean;
    return { scale, advance: advances.get(glyph) ?? Math.round(advanceWidth(font, glyph) * scale) };
  };
}

/** Sets the line height in all places where readers look for it (OpenType, "hhea" and "OS/2"). */
function setLines(font: TrueTypeFont, hhea: Uint8Array, os2: Uint8Array, lines: readonly [number, number]): void {
  const [ascent, descent] = lines.map((line) => Math.round((line * unitsPerEm(font)) / 1000)) as [number, number];
  const [header, metrics] = [viewOf(hhea), viewOf(os2)];
  [ascent, -descent, 0].forEach((value, index) => {
    header.setInt16(4 + 2 * index, value);
    metrics.setInt16(68 + 2 * index, value);
  });
  metrics.setUint16(74, ascent);
  metrics.setUint16(76, descent);
  metrics.setUint16(62, metrics.getUint16(62) & ~USE_TYPO_METRICS);
}

const USE_TYPO_METRICS = 1 << 7;
