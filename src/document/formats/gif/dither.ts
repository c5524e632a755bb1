// Maps pixels to a palette that lacks some of their colors. Diffuses errors only where a picture is smooth: letters,
// lines and plain areas take the nearest color. Knows nothing about the palette's origin or the use of the indices.

import { ColorIndex } from "./color-histogram.ts";
import type { Palette } from "./palette.ts";
import { skipRun, wordsOf } from "./run.ts";

/** The largest difference of a sample between neighbors of one smooth surface. */
const SMOOTH = 24;
/** The largest difference between the bands of a gradient that changes more slowly than every pixel. */
const GRADIENT_STEP = 6;
/** Limits errors. Larger ones come from colors that the palette cannot mix; passed on, they would only smear. */
const MAX_ERROR = 12;

const CACHE_BITS = 16;
/** Keeps seven bits of each sample. The last bit changes less than the error that is passed on. */
const CACHED = 0xfefefe;

/** Maps rows from top to bottom, using the rows above and below each. */
export class Ditherer {
  readonly #palette: Palette;
  readonly #width: number;
  /** Three rows that take turns as the row above, the row to map and the row below. */
  readonly #rows: Uint8Array;
  readonly #words: Uint32Array;
  #fed = 0;
  /** Errors passed to the row to map and to the next one, in sixteenths, with room for a pixel on both sides. */
  #errors: Int16Array;
  #nextErrors: Int16Array;
  /** For each column, 1 if its last downward change of color was a gradient's. */
  readonly #gradients: Uint8Array;
  /** For each column, the difference from the pixel below as the row above found it; -1 if it did not look. */
  readonly #steps: Int16Array;
  /** Colors of areas; `#keptNumbers` are their numbers in the palette. */
  readonly #kept = new ColorIndex();
  readonly #keptNumbers: number[] = [];
  /** Nearest colors found before: the color in the high bits, its palette number in the low eight bits. */
  readonly #cache = new Uint32Array(1 << CACHE_BITS);

  constructor(palette: Palette, width: number) {
    this.#palette = palette;
    this.#width = width;
    this.#rows = new Uint8Array(width * 9);
    this.#words = wordsOf(this.#rows);
    this.#errors = new Int16Array((width + 2) * 3);
    this.#nextErrors = new Int16Array((width + 2) * 3);
    this.#gradients = new Uint8Array(width);
    this.#steps = new Int16Array(width).fill(-1);
    this.#cache[0] = palette.nearest(0, 0, 0);
    palette.colors.forEach((color, number) => {
      if (palette.kept[number] === 0) return;
      this.#kept.add(color);
      this.#keptNumbers.push(number);
    });
  }

  /** Takes the next row. If it was not the first, writes the indices of the previous row and returns true. */
  feed(samples: Uint8Array, from: number, indices: Uint8Array): boolean {
    const stride = this.#width * 3;
    const row = this.#fed++;
    this.#rows.set(samples.subarray(from, from + stride), (row % 3) * stride);
    if (row === 0) return false;
    this.#map(Math.max(row - 2, 0) % 3, (row - 1) % 3, row % 3, indices);
    return true;
  }

  /** Writes the indices of the last row. */
  finish(indices: Uint8Array): void {
    const row = this.#fed - 1;
    this.#map(Math.max(row - 1, 0) % 3, row % 3, row % 3, indices);
  }

  #map(aboveRow: number, hereRow: number, belowRow: number, indices: Uint8Array): void {
    const stride = this.#width * 3;
    const errors = this.#errors;
    this.#nextErrors.fill(0);
    this.#mapRow(hereRow * stride, (aboveRow - hereRow) * stride, (belowRow - hereRow) * stride, indices);
    this.#errors = this.#nextErrors;
    this.#nextErrors = errors;
  }

  /** Maps the row at `first`; `up` and `down` are the distances of the other rows. */
  #mapRow(first: number, up: number, down: number, indices: Uint8Array): void {
    const rows = this.#rows;
    const last = first + this.#width * 3 - 3;
    const errors = this.#errors;
    const gradients = this.#gradients;
    const steps = this.#steps;
    let rowGradient = false;
    let before = -1;
    let kept = -1;
    let fromLeft = 0;
    let carriedRed = 0;
    let carriedGreen = 0;
    let carriedBlue = 0;
    for (let at = first, x = 0; at <= last; at += 3, x++) {
      const red = rows[at]!;
      const green = rows[at + 1]!;
      const blue = rows[at + 2]!;
      const color = red | (green << 8) | (blue << 16);
      if (color !== before) {
        kept = this.#kept.find(color);
        before = color;
      }
      if (kept >= 0) {
        const more = this.#runAfter(color, at, last);
        this.#keep(this.#keptNumbers[kept]!, x, more, indices);
        at += more * 3;
        x += more;
        carriedRed = carriedGreen = carriedBlue = 0;
        fromLeft = -1;
        continue;
      }
      if (fromLeft < 0) fromLeft = difference(rows, at, at - 3);
      const fromAbove = steps[x]! < 0 ? difference(rows, at, at + up) : steps[x]!;
      const toBelow = difference(rows, at, at + down);
      const toRight = at === last ? 0 : difference(rows, at, at + 3);
      if (fromLeft > 0) rowGradient = fromLeft <= GRADIENT_STEP;
      if (fromAbove > 0) gradients[x] = fromAbove <= GRADIENT_STEP ? 1 : 0;
      const change = Math.max(fromLeft, fromAbove, toRight, toBelow);
      fromLeft = toRight;
      steps[x] = toBelow;
      if (change > SMOOTH || (change === 0 && !rowGradient && gradients[x] === 0)) {
        indices[x] = this.#nearest(color);
        carriedRed = carriedGreen = carriedBlue = 0;
        continue;
      }
      const e = (x + 1) * 3;
      const wantedRed = sample(red + ((errors[e]! + carriedRed + 8) >> 4));
      const wantedGreen = sample(green + ((errors[e + 1]! + carriedGreen + 8) >> 4));
      const wantedBlue = sample(blue + ((errors[e + 2]! + carriedBlue + 8) >> 4));
      indices[x] = this.#nearest((wantedRed | (wantedGreen << 8) | (wantedBlue << 16)) & CACHED);
      const got = this.#palette.colors[indices[x]!]!;
      const errorRed = bounded(wantedRed - (got & 0xff));
      const errorGreen = bounded(wantedGreen - ((got >> 8) & 0xff));
      const errorBlue = bounded(wantedBlue - (got >> 16));
      carriedRed = errorRed * 7;
      carriedGreen = errorGreen * 7;
      carriedBlue = errorBlue * 7;
      passDown(this.#nextErrors, e, errorRed, errorGreen, errorBlue);
    }
  }

  /** Returns how many pixels after this one have its color. */
  #runAfter(color: number, at: number, last: number): number {
    // The search for a run compares whole words, so the result can be less than this pixel.
    return Math.max(0, (skipRun(this.#words, color, at, last + 3) - at) / 3 - 1);
  }

  /** Writes the index of an area's color, once and `more` times again. */
  #keep(index: number, x: number, more: number, indices: Uint8Array): void {
    indices[x] = index;
    this.#steps[x] = -1;
    if (more === 0) return;
    indices.fill(index, x, x + more + 1);
    this.#steps.fill(-1, x, x + more + 1);
  }

  #nearest(color: number): number {
    const slot = Math.imul(color, 0x9e3779b1) >>> (32 - CACHE_BITS);
    const entry = this.#cache[slot]!;
    if (entry >>> 8 === color) return entry & 0xff;
    const index = this.#palette.nearest(color & 0xff, (color >> 8) & 0xff, color >> 16);
    this.#cache[slot] = (color << 8) | index;
    return index;
  }
}

/** Adds the shares of an error, in sixteenths, to the three pixels below. */
function passDown(next: Int16Array, at: number, red: number, green: number, blue: number): void {
  next[at - 3]! += red * 3;
  next[at - 2]! += green * 3;
  next[at - 1]! += blue * 3;
  next[at]! += red * 5;
  next[at + 1]! += green * 5;
  next[at + 2]! += blue * 5;
  next[at + 3]! += red;
  next[at + 4]! += green;
  next[at + 5]! += blue;
}

function difference(rows: Uint8Array, a: number, b: number): number {
  return Math.max(
    Math.abs(rows[a]! - rows[b]!),
    Math.abs(rows[a + 1]! - rows[b + 1]!),
    Math.abs(rows[a + 2]! - rows[b + 2]!),
  );
}

function sample(value: number): number {
  return Math.max(0, Math.min(value, 255));
}

function bounded(error: number): number {
  return Math.max(-MAX_ERROR, Math.min(error, MAX_ERROR));
}
