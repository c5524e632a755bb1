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

export function extentOf({ corners }: Pick<Word, "corners">, direction: Frame["direction"]): Extent {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < 8; at += 2) {
    const [along, across] = inFrame(corners[at]!, corners[at + 1]!, direction);
    [left, right] = [Math.min(left, along), Math.max(right, along)];
    [top, bottom] = [Math.min(top, across), Math.max(bottom, across)];
  }
  return { left, top, right, bottom };
}

/** Returns a box of the page in a frame. */
export const boxInFrame = ([x0, y0, x1, y1]: Box, direction: Frame["direction"]): Extent =>
  extentOf({ corners: [x0, y1, x1, y1, x0, y0, x1, y0] }, direction);

/** Returns the bounding box of words on the page. */
export function boxOfWords(words: Iterable<Pick<Word, "corners">>): Box {
  let box: Box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { corners } of words) {
    for (let at = 0; at < 8; at += 2) {
      const [x, y] = [corners[at]!, corners[at + 1]!];
      box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)];
    }
  }
  return box;
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
