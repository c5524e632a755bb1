// Segments of lines, and places in frames: in a frame, the text of one direction runs to the right, and its lines go down.
import type { Box } from "../../content/matrix.ts";
import type { Word } from "./page-text.ts";

/**
 * Words beside each other in a frame. Coordinates of a frame are in points: `left` and `right` along the text, `top` and
 * `bottom` across it, growing downwards.
 */
export interface Segment extends Extent {
  readonly words: readonly Word[];
  readonly baseline: number;
  /** Font size of most of its characters. */
  readonly size: number;
  readonly isRightToLeft: boolean;
}

export interface Extent {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Frame {
  /** Direction of the text: a unit vector with y upwards. */
  readonly direction: readonly [x: number, y: number];
  /** In the order of the page contents. */
  readonly segments: readonly Segment[];
}

/** Maps a place on the page to a frame. */
export const inFrame = (x: number, y: number, [dx, dy]: Frame["direction"]): readonly [number, number] => [
  x * dx + y * dy,
  x * dy - y * dx,
];

export function extentOf({ corners }: Pick<Word, "corners">, [dx, dy]: Frame["direction"]): Extent {
  let left = Infinity;
  let top = Infinity;
  let right = -Infinity;
  let bottom = -Infinity;
  // Like inFrame(), without an object for each corner: this runs several times for each word.
  for (let at = 0; at < 8; at += 2) {
    const x = corners[at]!;
    const y = corners[at + 1]!;
    const along = x * dx + y * dy;
    const across = x * dy - y * dx;
    if (along < left) left = along;
    if (along > right) right = along;
    if (across < top) top = across;
    if (across > bottom) bottom = across;
  }
  return { left, top, right, bottom };
}

/** Returns a box of the page in a frame. */
export const boxInFrame = ([x0, y0, x1, y1]: Box, direction: Frame["direction"]): Extent =>
  extentOf({ corners: [x0, y1, x1, y1, x0, y0, x1, y0] }, direction);

/** Returns the bounding box of words on the page. */
export function boxOfWords(words: Iterable<Pick<Word, "corners">>): Box {
  let left = Infinity;
  let bottom = Infinity;
  let right = -Infinity;
  let top = -Infinity;
  for (const { corners } of words) {
    for (let at = 0; at < 8; at += 2) {
      left = Math.min(left, corners[at]!);
      right = Math.max(right, corners[at]!);
      bottom = Math.min(bottom, corners[at + 1]!);
      top = Math.max(top, corners[at + 1]!);
    }
  }
  return [left, bottom, right, top];
}

/** Returns the font size with the most characters. */
export function usualSize(words: Iterable<Word>): number {
  const counts = new Map<number, number>();
  for (const { size, text } of words) counts.set(size, (counts.get(size) ?? 0) + text.length);
  let [usual, most] = [0, -1];
  for (const [size, count] of counts) if (count > most) [usual, most] = [size, count];
  return usual;
}

/** Returns the smallest extent around others. */
export function around(extents: Iterable<Extent>): Extent {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const one of extents) {
    [left, top] = [Math.min(left, one.left), Math.min(top, one.top)];
    [right, bottom] = [Math.max(right, one.right), Math.max(bottom, one.bottom)];
  }
  return { left, top, right, bottom };
}
