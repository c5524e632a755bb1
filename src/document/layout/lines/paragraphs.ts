// Divides the rows of a column into paragraphs, items of lists and lines of code.
import type { TextBlock } from "./blocks.ts";
import { isBold, type LineContext, lineOf } from "./line.ts";
import type { Word } from "./page-text.ts";
import { around, boxOfWords, type Segment, usualSize } from "./segments.ts";

/** A row of a column, with what decides where paragraphs end. */
export interface Row {
  /** Ends of the row along its reading direction: from right to left, places are negative. */
  readonly start: number;
  readonly end: number;
  readonly words: readonly Word[];
  readonly baseline: number;
  readonly size: number;
  readonly isBold: boolean;
  readonly isMonospaced: boolean;
  /** Marker of an item that is drawn as a shape. */
  readonly bullet?: string;
}

/** Factor and addition in font sizes by which the distance of lines exceeds the usual one between paragraphs. */
const LOOSE = 1.22;
const LOOSE_SIZES = 0.2;
/** Distance of lines if none is usual, in font sizes. */
const USUAL_PITCH = 1.35;
const MAX_PITCH = 2.4;
/** Maximum distance of the lines of code, in distances of lines. */
const BLANK_LINES = 3.4;
/** Minimum indent, in font sizes. */
const INDENT = 0.7;
/** Difference of font sizes between paragraphs. */
const OTHER_SIZE = 0.07;
/** Width of a space, and what a line can miss at its end, in font sizes. */
const SPACE = 0.25;
const RAGGED = 0.6;
/** Number of rows before and after a line that show how far lines reach. */
const NEAR = 8;
const BULLET = /^[∗•‣◦▪▫●○■□∙·⁃➢➤►❖✓✔\uf0b7\uf0a7\u25aa]$/u;
const NUMBER = /^(?:[([]?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)\]])$/u;
const DASH = /^[–—-]$/u;

export function rowOf(segments: readonly Segment[], bullet: string | undefined): Row {
  const words = segments.flatMap(({ words }) => words);
  const main = segments.reduce((largest, one) => (one.size > largest.size ? one : largest));
  const counts = words.map(lettersIn);
  const all = counts.reduce((sum, one) => sum + one, 0);
  const isMost = (is: (word: Word) => boolean) =>
    words.reduce((sum, one, at) => (is(one) ? sum + counts[at]! : sum), 0) > 0.9 * all;
  const { left, right } = around(segments);
  const isRightToLeft = segments.filter((one) => one.isRightToLeft).length * 2 > segments.length;
  return {
    ...(isRightToLeft ? { start: -right, end: -left } : { start: left, end: right }),
    ...{ words, baseline: main.baseline, size: main.size },
    isBold: isMost(({ style }) => isBold(style)),
    isMonospaced: isMost(({ style }) => style.isMonospaced),
    ...(bullet === undefined ? {} : { bullet }),
  };
}

/** Returns the number of letters and digits; other characters can be from another font. */
const lettersIn = ({ text }: Word): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0.1;

/** Returns the distance of the lines of running text, by font size. */
export function pitchesOf(columns: readonly (readonly Row[])[]): (size: number) => number {
  const distances = new Map<number, number[]>();
  for (const rows of columns) {
    for (const [index, row] of rows.entries()) {
      const before = rows[index - 1];
      const distance = before ? row.baseline - before.baseline : 0;
      if (!before || Math.abs(before.size - row.size) > 0.2) continue;
      if (distance <= 0 || distance > MAX_PITCH * row.size) continue;
      const key = Math.round(row.size * 2);
      const known = distances.get(key);
      if (known) known.push(distance);
      else distances.set(key, [distance]);
    }
  }
  const usual = new Map<number, number>();
  for (const [key, known] of distances) {
    if (known.length > 1) usual.set(key, known.sort((a, b) => a - b)[Math.floor(known.length / 4)]!);
  }
  return (size) => usual.get(Math.round(size * 2)) ?? USUAL_PITCH * size;
}

/** Divides the rows of a column into blocks. */
export function paragraphsOf(
  rows: readonly Row[],
  pitchOf: (size: number) => number,
  context: LineContext,
): readonly TextBlock[] {
  const blocks: Row[][] = [];
  for (const [index, row] of rows.entries()) {
    const block = blocks.at(-1);
    if (block && continues(block, row, { rows, index, pitch: pitchOf(row.size) })) block.push(row);
    else blocks.push([row]);
  }
  return blocks.map((block) => blockOf(block, context));
}

interface Surroundings {
  readonly rows: readonly Row[];
  /** Index of the row. */
  readonly index: number;
  readonly pitch: number;
}

/** Reports whether a row continues a block. */
function continues(block: readonly Row[], row: Row, { rows, index, pitch }: Surroundings): boolean {
  const last = block.at(-1)!;
  const { size } = last;
  if (Math.abs(row.size - size) > OTHER_SIZE * size && !isMixed(last, row)) return false;
  const distance = row.baseline - last.baseline;
  if (row.isMonospaced !== last.isMonospaced) return false;
  // Code has blank lines.
  if (row.isMonospaced) return distance < BLANK_LINES * pitch;
  if (distance > Math.max(LOOSE * pitch, pitch + LOOSE_SIZES * size)) return false;
  if (row.isBold !== last.isBold && (block.every(({ isBold }) => isBold) || (row.isBold && !isOpen(last))))
    return false;
  if (markerOf(row) !== undefined) return false;
  if (isCentered(last, row)) return true;
  return !isIndented(block, row, rows[index + 1]) && !hasRoom(last, row, rows, index);
}

/** Reports whether a row ends within a list of words. */
const isOpen = ({ words }: Row): boolean => words.at(-1)!.text.endsWith(",");

/** Reports whether two rows differ in size only by a few larger or smaller words. */
const isMixed = (one: Row, other: Row): boolean => {
  const sizes = new Set(one.words.map(({ size }) => Math.round(size * 2)));
  return other.words.some(({ size }) => sizes.has(Math.round(size * 2))) && one.words.length > 2;
};

const isCentered = (last: Row, row: Row): boolean =>
  Math.abs(last.start + last.end - row.start - row.end) < 0.6 * row.size &&
  Math.abs(last.start - row.start) > INDENT * row.size;

function isIndented(block: readonly Row[], row: Row, next: Row | undefined): boolean {
  const indent = INDENT * row.size;
  const [first, second] = block;
  if (second) return Math.abs(row.start - second.start) > indent;
  const hangs = row.start - first!.start > indent;
  if (!hangs || markerOf(first!) !== undefined) return false;
  return !(next && Math.abs(next.start - row.start) < indent && first!.start < next.start - indent);
}

/** Reports whether the first word of a row would have fit on the line before: then that line ends a paragraph. */
function hasRoom(last: Row, row: Row, rows: readonly Row[], index: number): boolean {
  const text = last.words.at(-1)!.text;
  if (/[-\u00ad\u2010]$/.test(text)) return false;
  const { size } = row;
  const near = rows.slice(Math.max(0, index - NEAR), index + NEAR);
  const alike = near.filter((one) => Math.abs(one.start - last.start) < 2 * size && Math.abs(one.size - size) < 0.5);
  const right = Math.max(last.end, ...alike.filter((one) => !one.isMonospaced).map((one) => one.end));
  const [x0, y0, x1, y1] = row.words[0]!.corners;
  const width = Math.hypot(x1! - x0!, y1! - y0!);
  return last.end + SPACE * size + width < right - RAGGED * size;
}

/** Reports whether a text can be the marker of an item. */
const isMarker = (text: string): boolean => BULLET.test(text) || NUMBER.test(text) || DASH.test(text);

/** Returns the marker that words start with. The hollow bullet of word processors is a letter of a monospaced font. */
export function markerIn([word, next]: readonly Word[]): string | undefined {
  if (!word || !next || next.isJoined) return undefined;
  if (word.text === "o" && word.style.isMonospaced && !next.style.isMonospaced) return "◦";
  return isMarker(word.text) ? word.text : undefined;
}

const markerOf = ({ words, bullet }: Row): string | undefined => bullet ?? markerIn(words);

/** Returns rows as one block. */
export function blockOf(rows: readonly Row[], context: LineContext): TextBlock {
  const [first] = rows as readonly [Row];
  const marker = markerOf(first);
  const isCode = rows.every(({ isMonospaced }) => isMonospaced);
  const isItem = marker !== undefined && !isCode;
  const words = rows.flatMap((row) => row.words);
  return {
    ...{ kind: isItem ? "item" : isCode ? "code" : "paragraph", size: usualSize(words) },
    ...{ box: boxOfWords(words), indent: first.start },
    lines: rows.map((row) => lineOf(row.words, row, context)),
    ...(isItem ? { marker, markerWords: first.bullet === undefined ? 1 : 0 } : {}),
  };
}
