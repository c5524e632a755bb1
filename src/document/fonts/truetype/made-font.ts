// Writes a TrueType font of outlines from other fonts, under its own name.
import { type Contours, writeContours } from "./contours.ts";
import { type FontNames, nameTable } from "./name-table.ts";
import { HINTS, postVersion3, writeSfnt } from "./subset-truetype.ts";
import { type TrueTypeFont, unitsPerEm, viewOf } from "./truetype.ts";
import { tablesOf } from "./writer.ts";

export interface MadeFont {
  readonly names: FontNames;
  /** Glyphs in order; the first one is shown for unknown characters. Lengths are in units of the base font. */
  readonly glyphs: readonly { readonly contours: Contours; readonly advance: number }[];
  readonly cmap: Uint8Array;
  /** Ascent and descent of a line, in thousandths of the font size. @default those of the base font */
  readonly lines?: readonly [ascent: number, descent: number] | undefined;
  /** `usWidthClass` (OpenType, "OS/2"). @default that of the base font */
  readonly widthClass?: number;
}

/** Bit of `fsSelection` for using the typographic metrics. */
const USE_TYPO_METRICS = 1 << 7;
const WIDTH_CLASS_AT = 6;
/** Maximums in "maxp" of points and contours, and of components, which are resolved. */
const MAX_POINTS_AT = 6;
const MAX_COMPONENTS_AT = 28;

/**
 * @param base provides weight, style and copyright
 * @returns undefined if the base font lacks a table
 */
export function makeFont(
  base: TrueTypeFont,
  { names, glyphs, cmap, lines, widthClass }: MadeFont,
): Uint8Array | undefined {
  const os2 = base.tables.get("OS/2")?.slice();
  const maxp = base.tables.get("maxp")!;
  if (!os2 || os2.length < 78 || maxp.length < 32) return undefined;
  const outlined = glyphs.map(({ contours, advance }) => {
    const outline = writeContours(contours);
    return { source: 0, advance, outline, bearing: outline.length === 0 ? 0 : viewOf(outline).getInt16(2) };
  });
  const tables = tablesOf(base, outlined);
  for (const tag of HINTS) tables.delete(tag);
  const limits = viewOf(tables.get("maxp")!);
  const most = (count: (contours: Contours) => number) => Math.max(...glyphs.map((glyph) => count(glyph.contours)));
  limits.setUint16(
    MAX_POINTS_AT,
    most(({ points }) => points.length),
  );
  limits.setUint16(
    MAX_POINTS_AT + 2,
    most(({ ends }) => ends.length),
  );
  limits.setUint32(MAX_COMPONENTS_AT, 0);
  if (widthClass !== undefined) viewOf(os2).setUint16(WIDTH_CLASS_AT, widthClass);
  if (lines) setLines(base, tables.get("hhea")!, os2, lines);
  tables.set("cmap", cmap).set("OS/2", os2).set("post", postVersion3(base)).set("name", nameTable(base, names));
  return writeSfnt(0x00010000, tables);
}

/** Sets the line height in all places where readers look for it (OpenType, "hhea" and "OS/2"). */
export function setLines(
  base: Pick<TrueTypeFont, "tables">,
  hhea: Uint8Array,
  os2: Uint8Array,
  lines: readonly [number, number],
): void {
  const [ascent, descent] = lines.map((line) => Math.round((line * unitsPerEm(base)) / 1000)) as [number, number];
  const [header, metrics] = [viewOf(hhea), viewOf(os2)];
  [ascent, -descent, 0].forEach((value, index) => {
    header.setInt16(4 + 2 * index, value);
    metrics.setInt16(68 + 2 * index, value);
  });
  metrics.setUint16(74, ascent);
  metrics.setUint16(76, descent);
  metrics.setUint16(62, metrics.getUint16(62) & ~USE_TYPO_METRICS);
}
