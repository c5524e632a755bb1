// The lines of a page in frames: in each, the text of one direction runs to the right, and its lines go down.
import type { Box } from "../../content/matrix.ts";
import type { TextLine, Word } from "./page-text.ts";

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

/** Height above and depth below the baseline, in font sizes: fonts state very different ones. */
const ABOVE = 0.78;
const BELOW = 0.22;
/** Angle within which text counts as upright, as in scans with a slope. */
const SLOPE = Math.sin((4 * Math.PI) / 180);

/** Returns the frames of lines, with the most text first. */
export function framesOf(lines: readonly TextLine[]): readonly Frame[] {
  const frames = new Map<string, { direction: Frame["direction"]; segments: Segment[]; characters: number }>();
  for (const line of lines) {
    const direction = settled(line.direction);
    const key = direction.map((part) => part.toFixed(2)).join();
    const frame = frames.get(key) ?? { direction, segments: [], characters: 0 };
    frames.set(key, frame);
    frame.segments.push(segmentOf(line.words, direction));
    frame.characters += line.words.reduce((sum, { text }) => sum + text.length, 0);
  }
  return [...frames.values()].sort((a, b) => b.characters - a.characters);
}

/** Returns the direction of upright or sideways text without a small slope. */
function settled([x, y]: Frame["direction"]): Frame["direction"] {
  if (Math.abs(y) < SLOPE) return [Math.sign(x), 0];
  return Math.abs(x) < SLOPE ? [0, Math.sign(y)] : [x, y];
}

/** Returns a segment of words in the order of the text. */
export function segmentOf(words: readonly Word[], direction: Frame["direction"]): Segment {
  const places = words.map((word) => ({ ...extentOf(word, direction), word }));
  const size = usualSize(words);
  const usual = places.find(({ word }) => word.size === size)!;
  const [, baseline] = inFrame(usual.word.origin[0], usual.word.origin[1], direction);
  return {
    ...{ words, size, baseline, isRightToLeft: isRightToLeft(words) },
    left: Math.min(...places.map(({ left }) => left)),
    right: Math.max(...places.map(({ right }) => right)),
    ...(isSideways(usual.word, direction)
      ? { top: usual.top, bottom: usual.bottom }
      : { top: baseline - ABOVE * size, bottom: baseline + BELOW * size }),
  };
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
export function boxOfWords(words: Iterable<Word>): Box {
  let box: Box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { corners } of words) {
    for (let at = 0; at < 8; at += 2) {
      const [x, y] = [corners[at]!, corners[at + 1]!];
      box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)];
    }
  }
  return box;
}

/** Reports whether the letters of a word are turned against the line: in vertical text. */
function isSideways({ corners }: Word, [dx, dy]: Frame["direction"]): boolean {
  const [x, y] = [corners[2]! - corners[0]!, corners[3]! - corners[1]!];
  return x * dx + y * dy < Math.hypot(x, y) / 2;
}

/** Returns the font size with the most characters. */
export function usualSize(words: Iterable<Word>): number {
  const counts = new Map<number, number>();
  for (const { size, text } of words) counts.set(size, (counts.get(size) ?? 0) + text.length);
  let [usual, most] = [0, -1];
  for (const [size, count] of counts) if (count > most) [usual, most] = [size, count];
  return usual;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;
const LETTER = /\p{L}/u;

function isRightToLeft(words: readonly Word[]): boolean {
  let balance = 0;
  for (const { text } of words) {
    if (RIGHT_TO_LEFT.test(text)) balance += text.length;
    else if (LETTER.test(text)) balance -= text.length;
  }
  return balance > 0;
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
