// Compares two rasters of a page: finds the pixels that differ, their bounding boxes, and the sharpness of their edges.
import { around, type Box } from "../../content/matrix.ts";
import type { Pixels } from "./offscreen-document.ts";

/** One byte per pixel, 0 or 1. */
export interface Mask {
  readonly width: number;
  readonly height: number;
  readonly bits: Uint8Array;
}

/** Side, in pixels, of the squares into which a mask is divided. */
const TILE = 8;
/** Maximum number of rectangles. If there are more, they are merged into one rectangle. */
const MAX_BOXES = 24;
/** Maximum invisible difference of a component, out of 255. */
const UNSEEN = 2;
/** Minimum difference of a component at a visible edge, out of 255. */
const EDGE = 80;
/** Minimum difference of a component at a hard border, out of 255, measured `INSIDE` pixels inside the border. */
const HARD = 32;
const INSIDE = 2;

export function differenceOf(a: Pixels, b: Pixels): Mask {
  const { width, height, channels } = a;
  const bits = new Uint8Array(width * height);
  const [one, other] = [a.samples, b.samples];
  const rowBytes = width * channels;
  for (let y = 0; y < height; y++) {
    // Most rows are equal, and comparing whole rows is fast.
    if (rowOf(one, y, rowBytes).equals(rowOf(other, y, rowBytes))) continue;
    for (let pixel = y * width, at = y * rowBytes; pixel < (y + 1) * width; pixel++, at += channels) {
      for (let channel = 0; channel < channels; channel++) {
        const step = one[at + channel]! - other[at + channel]!;
        if (step <= UNSEEN && step >= -UNSEEN) continue;
        bits[pixel] = 1;
        break;
      }
    }
  }
  return { width, height, bits };
}

const rowOf = (samples: Uint8Array, y: number, rowBytes: number) =>
  Buffer.from(samples.buffer, samples.byteOffset + y * rowBytes, rowBytes);

export function isEmpty({ bits }: Mask): boolean {
  return bits.indexOf(1) < 0;
}

/** Clears pixels of `mask` that are not set in `other`, in place. */
export function intersect(mask: Mask, other: Mask): void {
  for (let pixel = 0; pixel < mask.bits.length; pixel++) mask.bits[pixel]! &= other.bits[pixel]!;
}

/** Returns the mask extended by a number of pixels on every side. */
export function dilate({ width, height, bits }: Mask, by: number): Mask {
  const grown = new Uint8Array(width * height);
  const row = new Uint8Array(width);
  for (let y = 0; y < height; y++) {
    const from = bits.subarray(y * width, (y + 1) * width);
    if (from.indexOf(1) < 0) continue;
    spread(from, row, by);
    const last = Math.min(height - 1, y + by);
    for (let to = Math.max(0, y - by); to <= last; to++) {
      for (let x = 0, at = to * width; x < width; x++, at++) grown[at]! |= row[x]!;
    }
  }
  return { width, height, bits: grown };
}

function spread(from: Uint8Array, to: Uint8Array, by: number): void {
  let last = -1e9;
  for (let x = 0; x < from.length; x++) {
    if (from[x]) last = x;
    to[x] = x - last <= by ? 1 : 0;
  }
  last = 1e9;
  for (let x = from.length - 1; x >= 0; x--) {
    if (from[x]) last = x;
    if (last - x <= by) to[x] = 1;
  }
}

/** Returns the number of set pixels. */
export function countOf(bits: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bits.length; at++) count += bits[at]!;
  return count;
}

/** Returns rectangles that cover a mask. Distant areas get separate rectangles. */
export function boxesOf(mask: Mask): Box[] {
  const columns = Math.ceil(mask.width / TILE);
  const rows = Math.ceil(mask.height / TILE);
  const tiles = new Uint8Array(columns * rows);
  for (let at = mask.bits.indexOf(1); at >= 0; at = mask.bits.indexOf(1, at + 1)) {
    const y = Math.floor(at / mask.width);
    tiles[Math.floor(y / TILE) * columns + Math.floor((at - y * mask.width) / TILE)] = 1;
  }
  const boxes = mergeOverlapping(components(tiles, columns, rows));
  return (boxes.length > MAX_BOXES ? [boxes.reduce(around)] : boxes).map(([left, top, right, bottom]) => [
    left * TILE,
    top * TILE,
    Math.min(mask.width, right * TILE),
    Math.min(mask.height, bottom * TILE),
  ]);
}

function components(tiles: Uint8Array, columns: number, rows: number): Box[] {
  const boxes: Box[] = [];
  for (let first = tiles.indexOf(1); first >= 0; first = tiles.indexOf(1, first + 1)) {
    let box: Box = [columns, rows, 0, 0];
    const waiting = [first];
    tiles[first] = 2;
    for (let tile = waiting.pop(); tile !== undefined; tile = waiting.pop()) {
      const [x, y] = [tile % columns, Math.floor(tile / columns)];
      box = around(box, [x, y, x + 1, y + 1]);
      for (let dy = -1; dy <= 1; dy++) {
        for (let dx = -1; dx <= 1; dx++) {
          const next = tile + dy * columns + dx;
          if (x + dx < 0 || x + dx >= columns || y + dy < 0 || y + dy >= rows || tiles[next] !== 1) continue;
          tiles[next] = 2;
          waiting.push(next);
        }
      }
    }
    boxes.push(box);
  }
  return boxes;
}

/** Merges overlapping boxes, so that no area is painted twice. */
function mergeOverlapping(boxes: readonly Box[]): Box[] {
  if (boxes.length > 500) return [boxes.reduce(around)];
  const apart: Box[] = [];
  for (let box of boxes) {
    for (let index = 0; index < apart.length; index++) {
      const other = apart[index]!;
      if (box[0] >= other[2] || other[0] >= box[2] || box[1] >= other[3] || other[1] >= box[3]) continue;
      box = around(box, other);
      apart.splice(index, 1);
      index = -1;
    }
    apart.push(box);
  }
  return apart;
}

/** Returns the fraction of horizontally adjacent pixel pairs in the mask that form an edge. */
export function sharpness({ width, height, channels, samples }: Pixels, { bits }: Mask): number {
  let pairs = 0;
  let edges = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 1; x < width; x++) {
      const pixel = y * width + x;
      if (!bits[pixel] || !bits[pixel - 1]) continue;
      pairs++;
      const at = pixel * channels;
      for (let channel = 0; channel < channels; channel++) {
        if (Math.abs(samples[at + channel]! - samples[at + channel - channels]!) < EDGE) continue;
        edges++;
        break;
      }
    }
  }
  return pairs === 0 ? 0 : edges / pairs;
}

/**
 * Examines both ends of each horizontal run of set pixels in the mask. Returns the fraction of ends where the two
 * rasters differ abruptly, as at the border of a shape, and not gradually, as in a shadow.
 */
export function hardness(a: Pixels, b: Pixels, { width, height, bits }: Mask): number {
  const { channels } = a;
  let ends = 0;
  let hard = 0;
  const count = (pixel: number) => {
    ends++;
    for (let at = pixel * channels; at < (pixel + 1) * channels; at++) {
      if (Math.abs(a.samples[at]! - b.samples[at]!) < HARD) continue;
      hard++;
      return;
    }
  };
  for (let y = 0; y < height; y++) {
    for (let x = INSIDE; x < width - INSIDE; x++) {
      const pixel = y * width + x;
      if (bits[pixel] && !bits[pixel - 1]) count(pixel + INSIDE);
      if (bits[pixel] && !bits[pixel + 1]) count(pixel - INSIDE);
    }
  }
  return ends === 0 ? 0 : hard / ends;
}

/** Returns the common color of all pixels in a mask. Undefined if the colors differ. */
export function uniformColor({ channels, samples }: Pixels, { bits }: Mask): number[] | undefined {
  const first = bits.indexOf(1);
  if (first < 0) return undefined;
  const color = Array.from(samples.subarray(first * channels, (first + 1) * channels));
  for (let pixel = first; pixel >= 0; pixel = bits.indexOf(1, pixel + 1)) {
    for (let channel = 0; channel < channels; channel++) {
      if (samples[pixel * channels + channel] !== color[channel]) return undefined;
    }
  }
  return color;
}

/** Returns the mask of all pixels. */
export const fullMask = ({ width, height }: Pixels): Mask => ({
  width,
  height,
  bits: new Uint8Array(width * height).fill(1),
});

/** Crops an image to the set pixels of its mask. Returns undefined if the mask is empty. */
export function trim(pixels: Pixels, mask: Mask) {
  let [left, top, right, bottom] = [mask.width, mask.height, 0, 0];
  for (let y = 0; y < mask.height; y++) {
    const first = mask.bits.indexOf(1, y * mask.width);
    if (first < 0) break;
    if (first >= (y + 1) * mask.width) continue;
    const last = mask.bits.lastIndexOf(1, (y + 1) * mask.width - 1);
    left = Math.min(left, first - y * mask.width);
    right = Math.max(right, last - y * mask.width + 1);
    top = Math.min(top, y);
    bottom = y + 1;
  }
  if (right <= left) return undefined;
  const [width, height, { channels }] = [right - left, bottom - top, pixels];
  const bits = new Uint8Array(width * height);
  const samples = new Uint8Array(width * height * channels);
  for (let y = 0; y < height; y++) {
    const from = (y + top) * mask.width + left;
    bits.set(mask.bits.subarray(from, from + width), y * width);
    samples.set(pixels.samples.subarray(from * channels, (from + width) * channels), y * width * channels);
  }
  return { left, top, mask: { width, height, bits }, pixels: { width, height, channels, samples } };
}
