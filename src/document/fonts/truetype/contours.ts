// Reads TrueType outlines as points, with components resolved, and writes them without instructions (OpenType, "glyf").
import { outlineOf, type TrueTypeFont, viewOf } from "./truetype.ts";

/** Contours of a glyph in font units. */
export interface Contours {
  /** Number of points up to the end of each contour. */
  readonly ends: readonly number[];
  readonly points: readonly Point[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly isOnCurve: boolean;
}

const HEADER_BYTES = 10;
/** Flags of a point. */
const ON_CURVE = 0x01;
const X_SHORT = 0x02;
const Y_SHORT = 0x04;
const REPEAT = 0x08;
const X_SAME = 0x10;
const Y_SAME = 0x20;
/** Flags of a component. */
const WORDS = 0x0001;
const XY_VALUES = 0x0002;
const SCALE = 0x0008;
const MORE = 0x0020;
const TWO_SCALES = 0x0040;
const TWO_BY_TWO = 0x0080;
const MAX_DEPTH = 8;
const F2DOT14 = 1 << 14;

/** @returns undefined if the outline is damaged */
export function contoursOf(font: TrueTypeFont, glyph: number, depth = 0): Contours | undefined {
  const outline = outlineOf(font, glyph);
  if (outline.length === 0) return { ends: [], points: [] };
  if (outline.length < HEADER_BYTES || depth > MAX_DEPTH) return undefined;
  try {
    return viewOf(outline).getInt16(0) < 0 ? compositeContours(font, outline, depth) : simpleContours(outline);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** @param move maps each point to another one; the result is rounded to font units */
export function movePoints({ ends, points }: Contours, move: (point: Point) => readonly [number, number]): Contours {
  const moved = points.map((point) => {
    const [x, y] = move(point);
    return { x: Math.round(x), y: Math.round(y), isOnCurve: point.isOnCurve };
  });
  return { ends, points: moved };
}

/** @returns no bytes for a glyph without points */
export function writeContours({ ends, points }: Contours): Uint8Array {
  if (points.length === 0) return new Uint8Array(0);
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const head = new Uint8Array(HEADER_BYTES + 2 * ends.length + 2);
  const view = viewOf(head);
  [ends.length, Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)].forEach((value, index) => {
    view.setInt16(2 * index, value);
  });
  ends.forEach((end, index) => {
    view.setUint16(HEADER_BYTES + 2 * index, end - 1);
  });
  const flags = points.map(({ isOnCurve }) => (isOnCurve ? ON_CURVE : 0));
  const coordinates = [...deltas(xs, flags, X_SHORT, X_SAME), ...deltas(ys, flags, Y_SHORT, Y_SAME)];
  return Uint8Array.from([...head, ...flags, ...coordinates]);
}

/** Returns the bytes of differences between coordinates, and adds their format to the flags. */
function deltas(values: readonly number[], flags: number[], short: number, same: number): number[] {
  let before = 0;
  return values.flatMap((value, index) => {
    const step = value - before;
    before = value;
    if (step === 0) flags[index]! |= same;
    else if (Math.abs(step) < 256) flags[index]! |= short | (step > 0 ? same : 0);
    if (step === 0) return [];
    return Math.abs(step) < 256 ? [Math.abs(step)] : [(step >> 8) & 0xff, step & 0xff];
  });
}

function simpleContours(outline: Uint8Array): Contours {
  const view = viewOf(outline);
  const contours = view.getInt16(0);
  const ends = Array.from({ length: contours }, (_, index) => view.getUint16(HEADER_BYTES + 2 * index) + 1);
  const count = ends.at(-1) ?? 0;
  let at = HEADER_BYTES + 2 * contours;
  at += 2 + view.getUint16(at);
  const flags: number[] = [];
  while (flags.length < count) {
    const flag = view.getUint8(at++);
    const times = flag & REPEAT ? 1 + view.getUint8(at++) : 1;
    for (let time = 0; time < times; time++) flags.push(flag);
  }
  const coordinates = (short: number, same: number) => {
    let value = 0;
    return flags.slice(0, count).map((flag) => {
      if (flag & short) value += flag & same ? view.getUint8(at++) : -view.getUint8(at++);
      else if (!(flag & same)) {
        value += view.getInt16(at);
        at += 2;
      }
      return value;
    });
  };
  const xs = coordinates(X_SHORT, X_SAME);
  const ys = coordinates(Y_SHORT, Y_SAME);
  const points = xs.map((x, index) => ({ x, y: ys[index]!, isOnCurve: (flags[index]! & ON_CURVE) !== 0 }));
  return { ends, points };
}

function compositeContours(font: TrueTypeFont, outline: Uint8Array, depth: number): Contours | undefined {
  const view = viewOf(outline);
  const ends: number[] = [];
  const points: Point[] = [];
  for (let at = HEADER_BYTES, flags = MORE; flags & MORE; ) {
    flags = view.getUint16(at);
    const part = contoursOf(font, view.getUint16(at + 2), depth + 1);
    if (!part) return undefined;
    at += 4;
    const places = readPlaces(view, at, flags);
    at += flags & WORDS ? 4 : 2;
    const count = flags & SCALE ? 1 : flags & TWO_SCALES ? 2 : flags & TWO_BY_TWO ? 4 : 0;
    const scales = Array.from({ length: count }, (_, index) => view.getInt16(at + 2 * index) / F2DOT14);
    at += 2 * count;
    const [xx, xy, yx, yy] = matrixOf(scales);
    const turned = movePoints(part, ({ x, y }) => [xx * x + yx * y, xy * x + yy * y]);
    const [dx, dy] = flags & XY_VALUES ? places : offsetBetween(points[places[0]], turned.points[places[1]]);
    const moved = movePoints(turned, ({ x, y }) => [x + dx, y + dy]);
    ends.push(...moved.ends.map((end) => end + points.length));
    points.push(...moved.points);
  }
  return { ends, points };
}

/** Reads the offset of a component, or the points that coincide: one of the glyph so far, and one of the component. */
function readPlaces(view: DataView, at: number, flags: number): readonly [number, number] {
  if (flags & XY_VALUES) {
    return flags & WORDS ? [view.getInt16(at), view.getInt16(at + 2)] : [view.getInt8(at), view.getInt8(at + 1)];
  }
  return flags & WORDS ? [view.getUint16(at), view.getUint16(at + 2)] : [view.getUint8(at), view.getUint8(at + 1)];
}

const offsetBetween = (one: Point | undefined, other: Point | undefined): readonly [number, number] =>
  one && other ? [one.x - other.x, one.y - other.y] : [0, 0];

function matrixOf([first = 1, second, third, fourth]: readonly number[]): readonly [number, number, number, number] {
  if (third !== undefined) return [first, second!, third, fourth!];
  return [first, 0, 0, second ?? first];
}
