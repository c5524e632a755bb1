// Joins the pieces of a line that the page draws apart, and arranges a column in rows.
import type { Word } from "./page-text.ts";
import { extentOf, type Frame, type Segment, segmentOf } from "./segments.ts";

/** Maximum space in a line whose pieces are drawn after each other, in font sizes; also after the marker of an item. */
const WIDE_SPACE = 1;
const AFTER_MARKER = 3;
/** Maximum space between pieces in any order, and distance that pieces overlap, in font sizes. */
const SPACE = 0.35;
const OVERLAP = -0.5;
/** Distance of baselines in one line, in font sizes: of indexes too. */
const SAME_LINE = 0.5;
const MARKER = /^(?:[([]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)\]:]|\d{1,2}(?:\.\d{1,2}){0,4}\.?|[•‣◦▪▫●○■□∙·–—*-])$/u;

/** Joins segments that are pieces of one line. */
export function joinPieces(segments: readonly Segment[], direction: Frame["direction"]): readonly Segment[] {
  const joined: Segment[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    if (last && followsClosely(last, segment)) joined[joined.length - 1] = merged(last, segment, direction);
    else joined.push(segment);
  }
  return joinTouching(joined, direction);
}

function followsClosely(last: Segment, next: Segment): boolean {
  if (!areOnOneLine(last, next)) return false;
  const size = Math.max(last.size, next.size);
  const gap = gapBetween(last, next) / size;
  const isMarker = last.words.length === 1 && MARKER.test(last.words[0]!.text);
  return gap > OVERLAP && gap < (isMarker ? AFTER_MARKER : WIDE_SPACE);
}

const gapBetween = (one: Segment, next: Segment): number =>
  one.isRightToLeft && next.isRightToLeft ? one.left - next.right : next.left - one.right;

const areOnOneLine = (one: Segment, other: Segment): boolean =>
  Math.abs(one.baseline - other.baseline) < SAME_LINE * Math.max(one.size, other.size) &&
  Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 0.4 * Math.min(one.size, other.size);

/** Joins pieces that touch, in whichever order they are drawn. */
function joinTouching(segments: readonly Segment[], direction: Frame["direction"]): readonly Segment[] {
  const sorted = segments.toSorted((a, b) => a.left - b.left);
  const joined: (Segment | undefined)[] = [];
  for (const segment of sorted) {
    // Only the last few can touch, as all are sorted by their left edges.
    const at = joined.findLastIndex(
      (one) =>
        one !== undefined &&
        areOnOneLine(one, segment) &&
        segment.left - one.right < SPACE * Math.max(one.size, segment.size) &&
        segment.left - one.right > OVERLAP * Math.max(one.size, segment.size),
    );
    if (at < 0) joined.push(segment);
    else {
      const [one, other] = [joined[at]!, segment];
      joined[at] =
        one.isRightToLeft && other.isRightToLeft ? merged(other, one, direction) : merged(one, other, direction);
    }
  }
  return joined.filter((one) => one !== undefined);
}

const merged = (one: Segment, next: Segment, direction: Frame["direction"]): Segment =>
  segmentOf([...one.words, ...next.words], direction);

/** Arranges the segments of a column in rows, from top to bottom; each row in the order of its text. */
export function rowsOf(segments: readonly Segment[]): readonly (readonly Segment[])[] {
  const rows: Segment[][] = [];
  for (const segment of segments.toSorted((a, b) => a.baseline - b.baseline)) {
    const row = rows.at(-1);
    const anchor = row?.reduce((largest, one) => (one.size > largest.size ? one : largest));
    if (row && anchor && areOnOneLine(anchor, segment)) row.push(segment);
    else rows.push([segment]);
  }
  for (const row of rows) {
    const isRightToLeft = row.filter((one) => one.isRightToLeft).length * 2 > row.length;
    row.sort((a, b) => (isRightToLeft ? b.right - a.right : a.left - b.left));
  }
  return rows;
}

/** Minimum space between pieces of a row that are cells, and between those that can be, in font sizes. */
const CELL_SPACE = 0.8;
export const SMALL_CELL_SPACE = 0.42;

/** Divides a row at its wide spaces. */
export function piecesOf(
  row: readonly Segment[],
  direction: Frame["direction"],
  space = CELL_SPACE,
): readonly Segment[] {
  const pieces: Segment[] = [];
  for (const segment of row) {
    // The space of fonts of fixed width is wide.
    const isMonospaced = segment.words.every(({ style }) => style.isMonospaced);
    const least = (isMonospaced ? CELL_SPACE : space) * segment.size;
    let words: Word[] = [];
    let end = Number.NaN;
    for (const word of segment.words) {
      const { left, right } = extentOf(word, direction);
      const gap = segment.isRightToLeft ? end - right : left - end;
      if (words.length > 0 && gap > least) {
        pieces.push(segmentOf(words, direction));
        words = [];
      }
      words.push(word);
      end = segment.isRightToLeft ? left : right;
    }
    pieces.push(words.length === segment.words.length ? segment : segmentOf(words, direction));
  }
  return pieces;
}
