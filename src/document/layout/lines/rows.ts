// Joins the pieces of a line that the page draws apart, and arranges a column in rows.
import { GrowingSegment, segmentOf } from "./growing-segment.ts";
import { Intervals } from "./intervals.ts";
import type { Word } from "./page-text.ts";
import { extentOf, type Frame, type Segment } from "./segments.ts";

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
  const joined: GrowingSegment[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    if (last && followsClosely(last, segment)) last.append(segment.words);
    else joined.push(new GrowingSegment(segment.words, direction));
  }
  return joinTouching(joined).map(({ segment }) => segment);
}

/** A segment whose words do not matter. */
type Place = Omit<Segment, "words">;

function followsClosely(last: GrowingSegment, next: Segment): boolean {
  if (!areOnOneLine(last, next)) return false;
  const size = Math.max(last.size, next.size);
  const gap = gapBetween(last, next) / size;
  const { onlyWord } = last;
  const isMarker = onlyWord !== undefined && MARKER.test(onlyWord.text);
  return gap > OVERLAP && gap < (isMarker ? AFTER_MARKER : WIDE_SPACE);
}

const gapBetween = (one: Place, next: Place): number =>
  one.isRightToLeft && next.isRightToLeft ? one.left - next.right : next.left - one.right;

const areOnOneLine = (one: Place, other: Place): boolean =>
  Math.abs(one.baseline - other.baseline) < SAME_LINE * Math.max(one.size, other.size) &&
  Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 0.4 * Math.min(one.size, other.size);

/** Maximum number of pieces that are compared with one beside them. */
const MAX_COMPARED = 1000;

/** Joins pieces that touch, in whichever order they are drawn. */
function joinTouching(segments: readonly GrowingSegment[]): readonly GrowingSegment[] {
  const joined: GrowingSegment[] = [];
  const lines = new Intervals<number>();
  const place = (at: number) => lines.add(joined[at]!.top, joined[at]!.bottom, at);
  for (const segment of segments.toSorted((a, b) => a.left - b.left)) {
    const touches = (at: number) => {
      const one = joined[at]!;
      const gap = segment.left - one.right;
      const size = Math.max(one.size, segment.size);
      return gap < SPACE * size && gap > OVERLAP * size && areOnOneLine(one, segment);
    };
    // Only the last ones can touch, as all are sorted by their left edges.
    const near = lines.near(segment.top, segment.bottom);
    const at = Math.max(-1, ...near.map((list) => list.slice(-MAX_COMPARED).findLast(touches) ?? -1));
    if (at < 0) {
      joined.push(segment);
      place(joined.length - 1);
      continue;
    }
    const one = joined[at]!;
    const { top, bottom } = one;
    if (one.isRightToLeft && segment.isRightToLeft) one.prepend(segment.words);
    else one.append(segment.words);
    if (one.top < top || one.bottom > bottom) place(at);
  }
  return joined;
}

/** Arranges the segments of a column in rows, from top to bottom; each row in the order of its text. */
export const rowsOf = (segments: readonly Segment[]): readonly (readonly Segment[])[] =>
  consecutiveRows(segments.toSorted((a, b) => a.baseline - b.baseline));

/** Divides segments into rows of those that follow each other on one line; each row in the order of its text. */
export function consecutiveRows(segments: Iterable<Segment>): readonly (readonly Segment[])[] {
  const rows: Segment[][] = [];
  // The first of the largest segments of the last row.
  let anchor: Segment | undefined;
  for (const segment of segments) {
    if (anchor && areOnOneLine(anchor, segment)) {
      rows.at(-1)!.push(segment);
      if (segment.size > anchor.size) anchor = segment;
    } else {
      rows.push([segment]);
      anchor = segment;
    }
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
