// Makes rows of the marked content of an element, in the order of the structure tree.

import type { Line } from "../lines/blocks.ts";
import { segmentOf } from "../lines/growing-segment.ts";
import { type LineContext, lineOf } from "../lines/line.ts";
import type { Word } from "../lines/page-text.ts";
import { areOnOneLine } from "../lines/rows.ts";
import { extentOf, type Frame, type Segment } from "../lines/segments.ts";

/** Distance that a segment can overlap the one before it in its row, in font sizes. */
const OVERLAP = 0.5;
/** Maximum space inside a word, in font sizes. */
const INSIDE = 0.25;

/** Arranges segments in rows, without changing their order. */
export function rowsInOrder(segments: readonly Segment[], direction: Frame["direction"]): readonly Segment[][] {
  const rows: Segment[][] = [];
  let anchor: Segment | undefined;
  for (const segment of segments) {
    const before = rows.at(-1)?.at(-1);
    if (anchor && before && areOnOneLine(anchor, segment) && follows(before, segment)) {
      rows.at(-1)!.push(withoutFalseJoint(segment, before, direction));
      if (segment.size > anchor.size) anchor = segment;
    } else {
      rows.push([segment]);
      anchor = segment;
    }
  }
  return rows;
}

const follows = (before: Segment, next: Segment): boolean => {
  const gap = before.isRightToLeft && next.isRightToLeft ? before.left - next.right : next.left - before.right;
  return gap > -OVERLAP * Math.max(before.size, next.size) || before.isRightToLeft !== next.isRightToLeft;
};

/** Returns a segment whose first word goes on with the word before only if it is beside that word. */
function withoutFalseJoint(segment: Segment, before: Segment, direction: Frame["direction"]): Segment {
  const [first, ...others] = segment.words as [Word, ...Word[]];
  if (!first.isJoined) return segment;
  const [one, next] = [extentOf(before.words.at(-1)!, direction), extentOf(first, direction)];
  const gap = Math.max(next.left - one.right, one.left - next.right);
  if (gap < INSIDE * segment.size) return segment;
  return segmentOf([{ ...first, isJoined: false }, ...others], direction);
}

/** Returns rows as lines. */
export const linesOfRows = (rows: readonly (readonly Segment[])[], context: LineContext): readonly Line[] =>
  rows.map((row) => {
    const main = row.reduce((largest, one) => (one.size > largest.size ? one : largest));
    return lineOf(
      row.flatMap(({ words }) => words),
      main,
      context,
    );
  });
