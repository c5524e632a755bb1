// Maps pixels to a palette that lacks some of their colors. Diffuses errors only in smooth surfaces: letters, lines and
// flat areas use the nearest color.

import { ColorIndex } from "./color-histogram.ts";
import type { Palette } from "./palette.ts";
import { skipRun, wordsOf } from "./run.ts";

/** Maximum sample difference between neighbors in a smooth surface. */
const SMOOTH = 24;
/** Maximum sample difference between adjacent bands of a gradient that changes slowly. */
const GRADIENT_STEP = 6;
/**
 * Maximum diffused error. Larger errors come from colors that no mixture of palette colors matches, and would smear.
 */
const MAX_ERROR = 12;

const CACHE_BITS = 16;
/** Mask that keeps seven bits per sample. The eighth bit matters less than the diffused error. */
const CACHED = 0xfefefe;

/** Maps rows from top to bottom, using the adjacent rows. */
export class Ditherer {
  readonly #palette: Palette;
  readonly #width: number;
  /** Ring of three rows: the row above, the row to map, and the row below. */
  readonly #rows: Uint8Array;
  readonly #words: Uint32Array;
  #fed = 0;
  /** Errors diffused to the current and the next row, in sixteenths, padded by a pixel on both sides. */
  #errors: Int16Array;
  #nextErrors: Int16Array;
  /** Per column: 1 if the last vertical color change was part of a gradient. */
  readonly #gradients: Uint8Array;
  /**
   * Per column: the difference between the pixel above and the current pixel, computed while the row above was mapped;
   * -1 if not computed.
   */
  readonly #steps: Int16Array;
  /** Colors of flat areas. `#keptNumbers`: their palette indexes. */
  readonly #kept = new ColorIndex();
  readonly #keptNumbers: number[] = [];
  /** Cache of nearest colors: the color in the high bits, its palette index in the low eight bits. */
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

  /** Adds the next row. Except for the first row, writes the indexes of the previous row and returns true. */
  feed(samples: Uint8Array, from: number, indices: Uint8Array): boolean {
    const stride = this.#width * 3;
    const row = this.#fed++;
    this.#rows.set(samples.subarray(from, from + stride), (row % 3) * stride);
    if (row === 0) return false;
    this.#map(Math.max(row - 2, 0) % 3, (row - 1) % 3, row % 3, indices);
    return true;
  }

  /** Writes the indexes of the last row. */
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

  /** Maps the row at `first`. `up`, `down`: offsets of the adjacent rows. */
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
      const errorRed = clampError(wantedRed - (got & 0xff));
      const errorGreen = clampError(wantedGreen - ((got >> 8) & 0xff));
      const errorBlue = clampError(wantedBlue - (got >> 16));
      carriedRed = errorRed * 7;
      carriedGreen = errorGreen * 7;
      carriedBlue = errorBlue * 7;
      passDown(this.#nextErrors, e, errorRed, errorGreen, errorBlue);
    }
  }

  /** Returns the number of pixels after this one with the same color. */
  #runAfter(color: number, at: number, last: number): number {
    // skipRun compares whole words, so it can stop before the end of the run, even at this pixel.
    return Math.max(0, (skipRun(this.#words, color, at, last + 3) - at) / 3 - 1);
  }

  /** Writes the palette index of a flat area's color for `more + 1` pixels. */
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

/** Adds shares of an error, in sixteenths, to the three pixels below. */
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

function clampError(error: number): number {
  return Math.max(-MAX_ERROR, Math.min(error, MAX_ERROR));
}
