// Lays out a text in a column: breaks it into lines, orders each line from left to right, and places the glyphs. Only
// the preparation waits, for fonts.
import type { ShapedGlyph } from "../engines/harfbuzz/harfbuzz.ts";
import type { EmojiPicture, FontShelf, ShelfFont } from "./font-shelf.ts";
import { type Item, itemize, type Paragraph } from "./items.ts";
import { lineBreaks } from "./line-breaks.ts";
import type { RequestedFont } from "./requested-font.ts";

export interface TextStyle {
  readonly font: RequestedFont;
  /** Font size in points. */
  readonly size: number;
  /** Width of the column in points. @default lines break only at line breaks of the text */
  readonly maxWidth?: number | undefined;
  /** @default the direction of the first letter of each paragraph */
  readonly isRightToLeft?: boolean | undefined;
  /** @default `left` */
  readonly align?: "left" | "center" | "right";
}

/** Characters that are shown together, with their glyphs. Positions are in points, from the start of the baseline. */
export interface Cluster {
  readonly text: string;
  readonly glyphs: readonly { readonly glyph: number; readonly x: number; readonly y: number }[];
}

export type Run =
  | { readonly font: ShelfFont; readonly clusters: readonly Cluster[] }
  | { readonly picture: EmojiPicture; readonly text: string; readonly x: number };

export interface Line {
  /** Runs from left to right. */
  readonly runs: readonly Run[];
  readonly width: number;
  /** Left end of the line in the column. */
  readonly x: number;
  /** Baseline, below that of the first line: 0 or negative. */
  readonly y: number;
  /** Heights above and below the baseline. */
  readonly ascent: number;
  readonly descent: number;
}

export interface TextBlock {
  readonly lines: readonly Line[];
  /** Width of the longest line, or of the column. */
  readonly width: number;
  /** Height of the first line above its baseline. */
  readonly ascent: number;
  /** Distance from the first baseline to the lower edge of the last line. */
  readonly descent: number;
}

/** Returns the box of a block, from the start of its first baseline. */
export const boxOf = ({ width, ascent, descent }: TextBlock) => ({
  ...{ left: 0, bottom: -descent, width, height: ascent + descent },
});

/** Width and position of an emoji, in units of the font size, as Noto Color Emoji has them. */
export const EMOJI = { advance: 1.245, bottom: -0.237, width: 1.245, height: 1.172 } as const;
const EMOJI_HEIGHTS = { ascent: 0.95, descent: 0.25, gap: 0 };
/** Number of characters around a part that can change its glyphs. */
const CONTEXT_LENGTH = 8;
/** A line break of the text (Unicode Standard, 5.8). */
const PARAGRAPH = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: characters that have no glyphs
const CONTROLS = /[\0-\x08\x0e-\x1f\x7f-\x9f]/g;

/** What a tab is shown as: fonts have no glyph for it, and PDF has no stops. */
const TAB = " ".repeat(4);

/** A text with its fonts, of which lines can be set without waiting. */
export interface PreparedText {
  readonly paragraphs: readonly PreparedParagraph[];
  /** The requested font; undefined if it is not installed. */
  readonly own: ShelfFont | undefined;
}

interface PreparedParagraph extends Paragraph {
  /** Places at which a line can break. */
  readonly breaks: readonly number[];
  /** Width of the text before each index, in units of the font size. */
  readonly widths: Float64Array;
}

/** A line, and its heights in points. */
export type SetLine = Omit<Line, "x"> & Heights;

export interface Preparation extends Pick<TextStyle, "font" | "isRightToLeft"> {
  /** False if lines break only at line breaks of the text. */
  readonly wraps: boolean;
}

/** @returns undefined if no font is installed */
export async function prepareText(
  text: string,
  { font, isRightToLeft, wraps }: Preparation,
  shelf: FontShelf,
): Promise<PreparedText | undefined> {
  const paragraphs: PreparedParagraph[] = [];
  for (const part of text.split(PARAGRAPH)) {
    const shown = part.toWellFormed().replaceAll("\t", TAB).replace(CONTROLS, "");
    const paragraph = await itemize(shown, shelf, font, isRightToLeft);
    if (!paragraph) return undefined;
    const breaks = wraps ? await lineBreaks(shown) : [];
    paragraphs.push({ ...paragraph, breaks, widths: wraps ? widthsOf(paragraph) : new Float64Array() });
  }
  return { paragraphs, own: await shelf.font(font.file) };
}

/** Breaks a prepared text into lines, and places their glyphs. */
export function* setLines({ paragraphs, own }: PreparedText, size: number, maxWidth?: number): Generator<SetLine> {
  let above: SetLine | undefined;
  for (const paragraph of paragraphs) {
    for (const [start, end] of lineRanges(paragraph, size, maxWidth)) {
      const line = setLine(paragraph, start, end, size, own);
      const y: number = above ? above.y - (above.descent + above.gap + line.ascent) : 0;
      above = { ...line, y };
      yield above;
    }
  }
}

export function layOut(prepared: PreparedText, { size, maxWidth, align }: TextStyle): TextBlock {
  const lines = [...setLines(prepared, size, maxWidth)];
  const width = Math.max(maxWidth ?? 0, ...lines.map((line) => line.width));
  const share = { left: 0, center: 0.5, right: 1 }[align ?? "left"];
  const last = lines.at(-1)!;
  return {
    lines: lines.map((line) => ({ ...line, x: (width - line.width) * share })),
    ...{ width, ascent: lines[0]!.ascent, descent: last.descent - last.y },
  };
}

/** The widths that a column can have for a text, in points. */
export interface TextWidths {
  /** Width of the longest part without a break. */
  readonly narrowest: number;
  /** Width of the longest line, if lines break only at line breaks of the text. */
  readonly widest: number;
}

/** @param text prepared with `wraps` */
export function measureWidths({ paragraphs }: PreparedText, size: number): TextWidths {
  let [narrowest, widest] = [0, 0];
  for (const { text, breaks, widths } of paragraphs) {
    let start = 0;
    for (const place of breaks) {
      const end = start + text.slice(start, place).trimEnd().length;
      narrowest = Math.max(narrowest, widths[end]! - widths[start]!);
      start = place;
    }
    widest = Math.max(widest, widths[text.trimEnd().length]!);
  }
  return { narrowest: narrowest * size, widest: widest * size };
}

/** Heights of a line in points. */
interface Heights {
  readonly ascent: number;
  readonly descent: number;
  readonly gap: number;
}

/** Returns start and end of each line, without the spaces at its end. */
function lineRanges({ text, clusters, breaks, widths }: PreparedParagraph, size: number, maxWidth?: number): Range[] {
  if (maxWidth === undefined) return [[0, text.trimEnd().length]];
  const trimmed = (start: number, end: number) => start + text.slice(start, end).trimEnd().length;
  const fits = (start: number, end: number) => (widths[trimmed(start, end)]! - widths[start]!) * size <= maxWidth;
  if (fits(0, text.length)) return [[0, text.trimEnd().length]];
  const indexOf = new Map(clusters.map((start, index) => [start, index]));
  const ranges: Range[] = [];
  let [start, end] = [0, 0];
  for (const place of breaks) {
    if (place < text.length && !indexOf.has(place)) continue;
    if (!fits(start, place) && end > start) {
      ranges.push([start, trimmed(start, end)]);
      start = end;
    }
    // A word that is longer than the line breaks between any characters.
    while (!fits(start, place)) {
      let next = indexOf.get(start)! + 1;
      while (clusters[next + 1]! < place && fits(start, clusters[next + 1]!)) next++;
      const cut = clusters[next];
      if (cut === undefined || cut >= place) break;
      ranges.push([start, cut]);
      start = cut;
    }
    end = place;
  }
  ranges.push([start, trimmed(start, text.length)]);
  return ranges;
}

type Range = readonly [start: number, end: number];

/** Returns the width of the text before each index, in units of the font size. */
function widthsOf({ text, items }: Paragraph): Float64Array {
  const widths = new Float64Array(text.length + 1);
  for (const item of items) {
    if ("picture" in item.content) widths[item.end]! += EMOJI.advance;
    else {
      const { unitsPerEm } = item.content.font.typeface;
      const ends = clusterEnds(shapeItem(text, item, item.start, item.end), item.end);
      for (const [{ advance }, end] of ends) widths[end]! += advance / unitsPerEm;
    }
  }
  for (let at = 1; at < widths.length; at++) widths[at]! += widths[at - 1]!;
  return widths;
}

/** Returns each glyph with the end of its cluster. */
function clusterEnds(glyphs: readonly ShapedGlyph[], end: number): (readonly [ShapedGlyph, number])[] {
  const starts = [...new Set(glyphs.map(({ cluster }) => cluster)), end].sort((one, other) => one - other);
  const ends = new Map(starts.map((start, index) => [start, starts[index + 1] ?? end]));
  return glyphs.map((glyph) => [glyph, ends.get(glyph.cluster)!]);
}

function shapeItem(text: string, { content, level }: Item, start: number, end: number): ShapedGlyph[] {
  if ("picture" in content) return [];
  const from = Math.max(0, start - CONTEXT_LENGTH);
  const part = { text: text.slice(from, end + CONTEXT_LENGTH), start: start - from, end: end - from };
  const glyphs = content.font.typeface.shape({ ...part, isRightToLeft: level % 2 === 1 });
  return glyphs.map((glyph) => ({ ...glyph, cluster: glyph.cluster + from }));
}

function setLine(
  { text, items, level }: Paragraph,
  start: number,
  end: number,
  size: number,
  own: ShelfFont | undefined,
): Omit<SetLine, "y"> {
  const parts = items
    .filter((item) => item.start < end && item.end > start)
    .map((item) => ({ ...item, start: Math.max(start, item.start), end: Math.min(end, item.end) }));
  const runs: Run[] = [];
  let x = 0;
  for (const part of inVisualOrder(parts, level)) {
    if ("picture" in part.content) {
      runs.push({ picture: part.content.picture, text: text.slice(part.start, part.end), x });
      x += EMOJI.advance * size;
    } else {
      const { font } = part.content;
      const scale = size / font.typeface.unitsPerEm;
      const placed = placeGlyphs(shapeItem(text, part, part.start, part.end), { text, end: part.end, x, scale });
      runs.push({ font, clusters: placed.clusters });
      x = placed.x;
    }
  }
  return { runs, width: x, ...heightsOf(runs, own, size) };
}

interface Place {
  readonly text: string;
  /** End of the run in the text. */
  readonly end: number;
  readonly x: number;
  /** Points per font unit. */
  readonly scale: number;
}

function placeGlyphs(glyphs: readonly ShapedGlyph[], { text, end, x, scale }: Place) {
  const clusters: (Cluster & { glyphs: Cluster["glyphs"][number][]; readonly start: number })[] = [];
  let at = x;
  for (const [{ glyph, cluster, advance, dx, dy }, clusterEnd] of clusterEnds(glyphs, end)) {
    if (clusters.at(-1)?.start !== cluster) {
      clusters.push({ text: text.slice(cluster, clusterEnd), start: cluster, glyphs: [] });
    }
    clusters.at(-1)!.glyphs.push({ glyph, x: at + dx * scale, y: dy * scale });
    at += advance * scale;
  }
  return { clusters, x: at };
}

/** Orders the parts of a line from left to right (rule L2 of Unicode Standard Annex 9). */
function inVisualOrder<P extends { readonly level: number }>(parts: readonly P[], base: number): P[] {
  const ordered = [...parts];
  const highest = Math.max(base, ...parts.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let from = 0; from < ordered.length; from++) {
      let to = from;
      while (to < ordered.length && ordered[to]!.level >= level) to++;
      if (to > from) ordered.splice(from, to - from, ...ordered.slice(from, to).reverse());
      from = to;
    }
  }
  return ordered;
}

/** An empty line has the heights of the requested font. */
function heightsOf(runs: readonly Run[], own: ShelfFont | undefined, size: number): Heights {
  const heights = runs.map((run) => ("font" in run ? fontHeights(run.font, size) : scaled(EMOJI_HEIGHTS, size)));
  if (own) heights.push(fontHeights(own, size));
  const highest = (key: keyof Heights) => Math.max(0, ...heights.map((one) => one[key]));
  return { ascent: highest("ascent"), descent: highest("descent"), gap: highest("gap") };
}

/** Returns how far the glyphs of a line reach above and below its baseline, in points. */
export function extentOf({ runs }: SetLine, size: number): { readonly above: number; readonly below: number } {
  let [above, below] = [0, 0];
  const reach = (top: number, bottom: number) => {
    above = Math.max(above, top);
    below = Math.max(below, bottom);
  };
  for (const run of runs) {
    if ("picture" in run) reach((EMOJI.bottom + EMOJI.height) * size, -EMOJI.bottom * size);
    else {
      const { typeface } = run.font;
      const scale = size / typeface.unitsPerEm;
      for (const { glyph, y } of run.clusters.flatMap(({ glyphs }) => glyphs)) {
        const extent = typeface.extent(glyph);
        reach(y + extent.above * scale, extent.below * scale - y);
      }
    }
  }
  return { above, below };
}

/** Returns a line at another font size. */
export const scaledLine = ({ runs, width, y, ...heights }: SetLine, by: number): SetLine => ({
  runs: runs.map((run) =>
    "font" in run ? { ...run, clusters: run.clusters.map((one) => scaledCluster(one, by)) } : { ...run, x: run.x * by },
  ),
  ...{ width: width * by, y: y * by },
  ...scaled(heights, by),
});

const scaledCluster = ({ text, glyphs }: Cluster, by: number): Cluster => ({
  text,
  glyphs: glyphs.map(({ glyph, x, y }) => ({ glyph, x: x * by, y: y * by })),
});

const fontHeights = ({ typeface }: ShelfFont, size: number): Heights =>
  scaled(typeface.lines, size / typeface.unitsPerEm);

const scaled = ({ ascent, descent, gap }: Heights, by: number): Heights => ({
  ...{ ascent: ascent * by, descent: descent * by, gap: gap * by },
});
