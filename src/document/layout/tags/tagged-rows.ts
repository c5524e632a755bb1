// Makes rows of the marked content of an element, in the order of the structure tree.

import type { Line } from "../lines/blocks.ts";
import { segmentOf } from "../lines/growing-segment.ts";
import { type LineContext, lineOf } from "../lines/line.ts";
import type { Word } from "../lines/page-text.ts";
import { consecutiveRows } from "../lines/rows.ts";
import { extentOf, type Frame, type Segment } from "../lines/segments.ts";

/** Maximum space inside a word, in font sizes. */
const INSIDE = 0.25;

/** Arranges segments in rows: a row has the segments of one line that follow each other in the tree, from the left. */
export const rowsInOrder = (segments: readonly Segment[], direction: Frame["direction"]): readonly Segment[][] =>
  consecutiveRows(segments).map((row) => row.map((segment, at) => withoutFalseJoint(segment, row[at - 1], direction)));

/** Returns a segment whose first word goes on with the word before only if it is beside that word. */
function withoutFalseJoint(segment: Segment, before: Segment | undefined, direction: Frame["direction"]): Segment {
  const [first, ...others] = segment.words as [Word, ...Word[]];
  if (!first.isJoined) return segment;
  const next = extentOf(first, direction);
  const one = before ? extentOf(before.words.at(-1)!, direction) : undefined;
  const gap = one ? Math.max(next.left - one.right, one.left - next.right) : Number.POSITIVE_INFINITY;
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
