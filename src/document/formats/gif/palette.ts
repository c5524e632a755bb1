// Chooses 256 colors for an image that has more. Flat areas keep their exact colors. The other colors are means of
// boxes: the histogram is split where its variance is largest, and k-means then improves the means.

import { type Area, type Cells, type ColorHistogram, MAX_COLORS } from "./color-histogram.ts";

/** Weights of squared differences: the eye is most sensitive to green and least to blue. */
const RED_WEIGHT = 3;
const GREEN_WEIGHT = 6;
const BLUE_WEIGHT = 2;

const BLACK = 0x000000;
const WHITE = 0xffffff;

/** Fraction of the image above which an area always keeps its color. */
const LARGE_AREA = 1 / 512;
/** Fraction of the image above which an area keeps its color, unless a similar color is already kept. */
const SMALL_AREA = 1 / 8192;
const NEARLY_SAME = 2;
const MAX_AREAS = 96;

/**
 * Exponent of pixel counts. It is below 1, so that a small photograph on a page receives a larger share of the palette
 * than of the pixels.
 */
const PIXELS_EXPONENT = 0.7;
const ROUNDS = 3;

/** A palette of at most {@link MAX_COLORS} colors, with a search for the nearest color. */
export class Palette {
  /** `red | green << 8 | blue << 16`, sorted by green. */
  readonly colors: Int32Array;
  /** 1 for black, white and colors of flat areas. Pixels with exactly such a color keep it. */
  readonly kept: Uint8Array;
  readonly #red: Int16Array;
  readonly #green: Int16Array;
  readonly #blue: Int16Array;
  /** By green sample: the index of the first color with at least that much green. */
  readonly #start = new Int16Array(256);

  constructor(colors: readonly number[], kept: ReadonlySet<number>) {
    const green = (color: number) => (color >> 8) & 0xff;
    this.colors = Int32Array.from(colors).sort((a, b) => green(a) - green(b) || a - b);
    this.kept = Uint8Array.from(this.colors, (color) => (kept.has(color) ? 1 : 0));
    this.#red = Int16Array.from(this.colors, (color) => color & 0xff);
    this.#green = Int16Array.from(this.colors, green);
    this.#blue = Int16Array.from(this.colors, (color) => color >> 16);
    let at = 0;
    for (let sample = 0; sample < 256; sample++) {
      while (at < colors.length && this.#green[at]! < sample) at++;
      this.#start[sample] = at;
    }
  }

  /** Returns the index of the nearest color; ties are resolved consistently. */
  nearest(red: number, green: number, blue: number): number {
    const count = this.colors.length;
    let up = this.#start[green]!;
    let down = up - 1;
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    while (up < count || down >= 0) {
      if (up < count) {
        const dg = this.#green[up]! - green;
        if (GREEN_WEIGHT * dg * dg >= least) {
          up = count;
        } else {
          const distance = this.#distance(up, red, green, blue);
          if (distance < least) {
            least = distance;
            best = up;
          }
          up++;
        }
      }
      if (down >= 0) {
        const dg = this.#green[down]! - green;
        if (GREEN_WEIGHT * dg * dg >= least) {
          down = -1;
        } else {
          const distance = this.#distance(down, red, green, blue);
          if (distance < least) {
            least = distance;
            best = down;
          }
          down--;
        }
      }
    }
    return best;
  }

  #distance(index: number, red: number, green: number, blue: number): number {
    const dr = this.#red[index]! - red;
    const dg = this.#green[index]! - green;
    const db = this.#blue[index]! - blue;
    return RED_WEIGHT * dr * dr + GREEN_WEIGHT * dg * dg + BLUE_WEIGHT * db * db;
  }
}

/**
 * Chooses the palette of an image with more than {@link MAX_COLORS} colors.
 * @param pixels number of counted pixels.
 */
export function choosePalette(census: ColorHistogram, pixels: number): Palette {
  const areas = keptAreas(census.areas(), pixels);
  const kept = new Set(areas.map(({ color }) => color));
  const cells = census.cells(areas);
  const weights = cells.pixels.subarray(0, cells.size).map((count) => count ** PIXELS_EXPONENT);
  // Nearly every page has black and white, even if only in letters that are too small to count as an area.
  kept.add(BLACK).add(WHITE);
  const means = split(cells, weights, MAX_COLORS - kept.size);
  refine(cells, weights, means, kept);
  const colors = new Set(kept);
  for (let i = 0; i < means.length; i += 3) {
    colors.add(Math.round(means[i]!) | (Math.round(means[i + 1]!) << 8) | (Math.round(means[i + 2]!) << 16));
  }
  return new Palette([...colors], kept);
}

function keptAreas(areas: readonly Area[], pixels: number): Area[] {
  const kept: Area[] = [];
  for (const area of areas) {
    if (kept.length === MAX_AREAS || area.pixels < pixels * SMALL_AREA) break;
    if (area.pixels >= pixels * LARGE_AREA || !kept.some(({ color }) => nearlySame(color, area.color))) kept.push(area);
  }
  return kept;
}

function nearlySame(a: number, b: number): boolean {
  for (let shift = 0; shift < 24; shift += 8) {
    if (Math.abs(((a >> shift) & 0xff) - ((b >> shift) & 0xff)) > NEARLY_SAME) return false;
  }
  return true;
}

/** A box of cells: a range of the ordered cells, and the best cut of the range. */
interface Box {
  readonly from: number;
  readonly to: number;
  /** Reduction of the sum of squared errors by the cut. */
  readonly gain: number;
  readonly channel: Float32Array;
  /** Cells with a smaller sample form the left half. */
  readonly threshold: number;
}

/** Cuts the cells into `count` boxes, or fewer if fewer colors differ. Returns the mean color of each box. */
function split(cells: Cells, weights: Float64Array, count: number): Float64Array {
  const order = Uint32Array.from({ length: cells.size }, (_, i) => i);
  const boxes = cells.size > 0 ? [bestCut(cells, weights, order, 0, cells.size)] : [];
  while (boxes.length < count) {
    let chosen = 0;
    boxes.forEach((box, i) => {
      if (box.gain > boxes[chosen]!.gain) chosen = i;
    });
    const box = boxes[chosen];
    if (box === undefined || box.gain <= 0) break;
    let middle = box.from;
    for (let i = box.from; i < box.to; i++) {
      const cell = order[i]!;
      if (box.channel[cell]! >= box.threshold) continue;
      order[i] = order[middle]!;
      order[middle++] = cell;
    }
    boxes[chosen] = bestCut(cells, weights, order, box.from, middle);
    boxes.push(bestCut(cells, weights, order, middle, box.to));
  }
  const means = new Float64Array(boxes.length * 3);
  boxes.forEach(({ from, to }, box) => {
    let total = 0;
    for (let i = from; i < to; i++) {
      const cell = order[i]!;
      const weight = weights[cell]!;
      total += weight;
      means[box * 3]! += cells.red[cell]! * weight;
      means[box * 3 + 1]! += cells.green[cell]! * weight;
      means[box * 3 + 2]! += cells.blue[cell]! * weight;
    }
    for (let channel = 0; channel < 3; channel++) means[box * 3 + channel]! /= total;
  });
  return means;
}

/** Tries all cuts in all three channels. The gain of a cut grows with the distance between the means of its halves. */
function bestCut(cells: Cells, weights: Float64Array, order: Uint32Array, from: number, to: number): Box {
  let best: Box = { from, to, gain: 0, channel: cells.red, threshold: 0 };
  const masses = new Float64Array(256);
  const sums = new Float64Array(256);
  for (const [channel, scale] of [
    [cells.green, GREEN_WEIGHT],
    [cells.red, RED_WEIGHT],
    [cells.blue, BLUE_WEIGHT],
  ] as const) {
    masses.fill(0);
    sums.fill(0);
    let mass = 0;
    let sum = 0;
    for (let i = from; i < to; i++) {
      const sample = channel[order[i]!]!;
      const weight = weights[order[i]!]!;
      masses[sample | 0]! += weight;
      sums[sample | 0]! += weight * sample;
      mass += weight;
      sum += weight * sample;
    }
    let left = 0;
    let leftSum = 0;
    for (let threshold = 1; threshold < 256; threshold++) {
      if (masses[threshold - 1] === 0) continue;
      left += masses[threshold - 1]!;
      leftSum += sums[threshold - 1]!;
      const right = mass - left;
      if (right <= mass * 1e-12) break;
      const apart = leftSum / left - (sum - leftSum) / right;
      const gain = (scale * left * right * apart * apart) / mass;
      if (gain > best.gain) best = { from, to, gain, channel, threshold };
    }
  }
  return best;
}

/**
 * Moves each mean to the center of its nearest cells, a few times. Ignores cells whose nearest color is one of the kept
 * colors.
 */
function refine(cells: Cells, weights: Float64Array, means: Float64Array, kept: ReadonlySet<number>): void {
  const count = means.length / 3;
  const fixed = [...kept];
  for (let round = 0; round < ROUNDS; round++) {
    // Rounded means are accurate enough to assign cells, and allow the fast search of the palette.
    const byColor = new Map<number, number>();
    for (let i = 0; i < count; i++) {
      byColor.set(
        Math.round(means[i * 3]!) | (Math.round(means[i * 3 + 1]!) << 8) | (Math.round(means[i * 3 + 2]!) << 16),
        i,
      );
    }
    for (const color of fixed) byColor.set(color, -1);
    const palette = new Palette([...byColor.keys()], kept);
    const owners = Int16Array.from(palette.colors, (color) => byColor.get(color) as number);
    const sums = new Float64Array(count * 4);
    for (let cell = 0; cell < cells.size; cell++) {
      const red = cells.red[cell]!;
      const green = cells.green[cell]!;
      const blue = cells.blue[cell]!;
      const owner = owners[palette.nearest(Math.round(red), Math.round(green), Math.round(blue))]!;
      if (owner < 0) continue;
      const weight = weights[cell]!;
      sums[owner * 4]! += red * weight;
      sums[owner * 4 + 1]! += green * weight;
      sums[owner * 4 + 2]! += blue * weight;
      sums[owner * 4 + 3]! += weight;
    }
    for (let i = 0; i < count; i++) {
      const weight = sums[i * 4 + 3]!;
      if (weight > 0)
        for (let channel = 0; channel < 3; channel++) means[i * 3 + channel] = sums[i * 4 + channel]! / weight;
    }
  }
}
