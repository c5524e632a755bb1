// Counts the pixels of each color: exactly for up to 256 colors, otherwise in a histogram that is only as coarse as
// necessary. Counts runs of equal pixels in one step.

import { skipRun, wordsOf } from "./run.ts";

/** Maximum colors of a GIF palette, whose size field has 3 bits (GIF89a, clause 18). */
export const MAX_COLORS = 256;

const SLOT_BITS = 16;
const SLOTS = 1 << SLOT_BITS;
/**
 * Fields of a histogram slot: color + 1 (0 for an empty slot), number of pixels, and sums of the dropped low bits of
 * the three samples.
 */
const FIELDS = 5;
const COARSEST_BITS = 5;

/** Minimum length of a run for which a faster search for the end of the run pays off. */
const LONG_RUN = 8;

/** Minimum length of a run that counts as part of a flat area instead of a texture. */
const AREA_RUN = 6;
const AREA_SLOT_BITS = 12;

const hash = (color: number, bits: number) => Math.imul(color, 0x9e3779b1) >>> (32 - bits);

/** Up to {@link MAX_COLORS} colors (`red | green << 8 | blue << 16`), numbered by first occurrence. */
export class ColorIndex {
  readonly colors = new Int32Array(MAX_COLORS);
  size = 0;
  readonly #slots = new Int16Array(4096).fill(-1);

  /** Returns the number of a color, or -1. */
  find(color: number): number {
    let slot = hash(color, 12);
    let index = this.#slots[slot]!;
    while (index >= 0 && this.colors[index] !== color) {
      slot = (slot + 1) & 4095;
      index = this.#slots[slot]!;
    }
    return index;
  }

  /** Adds a new color. */
  add(color: number): number {
    let slot = hash(color, 12);
    while (this.#slots[slot]! >= 0) slot = (slot + 1) & 4095;
    this.#slots[slot] = this.size;
    this.colors[this.size] = color;
    return this.size++;
  }
}

/** A color that fills flat areas. `pixels` is a lower bound of the number of its pixels in long runs. */
export interface Area {
  readonly color: number;
  readonly pixels: number;
}

/** Histogram cells: mean samples and pixel counts. */
export interface Cells {
  readonly size: number;
  readonly red: Float32Array;
  readonly green: Float32Array;
  readonly blue: Float32Array;
  readonly pixels: Float64Array;
}

export class ColorHistogram {
  /** All colors, while {@link ColorHistogram.exact} is true. */
  readonly index = new ColorIndex();
  readonly #counts = new Float64Array(MAX_COLORS);
  /**
   * Candidates for colors of flat areas, in a hash table. A slot keeps the majority color of its pixels (Boyer and
   * Moore).
   */
  readonly #areaColors = new Int32Array(1 << AREA_SLOT_BITS);
  readonly #areaPixels = new Float64Array(1 << AREA_SLOT_BITS);
  #slots: Uint32Array | undefined;
  #used = 0;
  #bits = 8;
  #color = -1;
  #run = 0;
  readonly #thinning: number;

  /**
   * @param thinning once {@link ColorHistogram.exact} is false, the caller adds only one of this many rows
   * @default 1
   */
  constructor(thinning = 1) {
    this.#thinning = thinning;
  }

  /** True while the image has at most {@link MAX_COLORS} colors. */
  get exact(): boolean {
    return this.#slots === undefined;
  }

  /** Counts `count` pixels of three samples, from byte `from` on. */
  add(samples: Uint8Array, from: number, count: number): void {
    const words = wordsOf(samples);
    let color = this.#color;
    let run = this.#run;
    const end = from + count * 3;
    for (let at = from; at < end; ) {
      const next = samples[at]! | (samples[at + 1]! << 8) | (samples[at + 2]! << 16);
      if (next !== color) {
        this.#count(color, run);
        color = next;
        run = 0;
      }
      run++;
      at += 3;
      if (run < LONG_RUN) continue;
      const to = skipRun(words, color, at, end);
      run += (to - at) / 3;
      at = to;
    }
    this.#color = color;
    this.#run = run;
  }

  /** Completes the counts. Must be called after the last pixel, before the results are read. */
  finish(): void {
    this.#count(this.#color, this.#run);
    this.#run = 0;
  }

  /** Returns the colors of flat areas, the largest area first. */
  areas(): Area[] {
    const areas: Area[] = [];
    this.#areaPixels.forEach((pixels, slot) => {
      if (pixels > 0) areas.push({ color: this.#areaColors[slot]!, pixels });
    });
    return areas.sort((a, b) => b.pixels - a.pixels || a.color - b.color);
  }

  /**
   * Returns the histogram without the pixels of `areas`. Must be called only if {@link ColorHistogram.exact} is false.
   */
  cells(areas: readonly Area[]): Cells {
    const slots = this.#slots as Uint32Array;
    const mask = (0xff << (8 - this.#bits)) & 0xff;
    for (const { color, pixels } of areas) {
      const slot = this.#slot(slots, color & (mask * 0x010101));
      if (slots[slot] === 0) continue;
      slots[slot + 1]! -= pixels;
      for (let channel = 0; channel < 3; channel++) {
        slots[slot + 2 + channel]! -= ((color >> (8 * channel)) & ~mask & 0xff) * pixels;
      }
    }
    const red = new Float32Array(this.#used);
    const green = new Float32Array(this.#used);
    const blue = new Float32Array(this.#used);
    const counts = new Float64Array(this.#used);
    let size = 0;
    for (let at = 0; at < slots.length; at += FIELDS) {
      const pixels = slots[at + 1]!;
      if (pixels === 0) continue;
      const color = slots[at]! - 1;
      red[size] = (color & 0xff) + slots[at + 2]! / pixels;
      green[size] = ((color >> 8) & 0xff) + slots[at + 3]! / pixels;
      blue[size] = (color >> 16) + slots[at + 4]! / pixels;
      counts[size++] = pixels;
    }
    return { size, red, green, blue, pixels: counts };
  }

  #count(color: number, run: number): void {
    if (run === 0) return;
    if (run >= AREA_RUN) this.#vote(color, run);
    if (this.#slots !== undefined) {
      this.#tally(color, run);
      return;
    }
    const found = this.index.find(color);
    if (found >= 0) {
      this.#counts[found]! += run;
    } else if (this.index.size < MAX_COLORS) {
      this.#counts[this.index.add(color)] = run;
    } else {
      this.#slots = new Uint32Array(SLOTS * FIELDS);
      // Pixel counts of cells are rounded up, and pixel counts of areas down, so that an area never has more pixels
      // than its cell.
      this.#counts.forEach((pixels, i) => {
        this.#tally(this.index.colors[i]!, Math.ceil(pixels / this.#thinning));
      });
      this.#areaPixels.forEach((pixels, slot) => {
        this.#areaPixels[slot] = Math.floor(pixels / this.#thinning);
      });
      this.#tally(color, run);
    }
  }

  #vote(color: number, run: number): void {
    const slot = hash(color, AREA_SLOT_BITS);
    if (this.#areaColors[slot] === color) {
      this.#areaPixels[slot]! += run;
    } else if (this.#areaPixels[slot]! >= run) {
      this.#areaPixels[slot]! -= run;
    } else {
      this.#areaPixels[slot] = run - this.#areaPixels[slot]!;
      this.#areaColors[slot] = color;
    }
  }

  #tally(color: number, run: number): void {
    const slots = this.#slots as Uint32Array;
    const low = (1 << (8 - this.#bits)) - 1;
    const key = color & ~(low * 0x010101);
    const slot = this.#slot(slots, key);
    if (slots[slot] === 0) {
      slots[slot] = key + 1;
      this.#used++;
    }
    slots[slot + 1]! += run;
    if (low !== 0) {
      slots[slot + 2]! += (color & low) * run;
      slots[slot + 3]! += ((color >> 8) & low) * run;
      slots[slot + 4]! += ((color >> 16) & low) * run;
    }
    if (this.#used > SLOTS / 2 && this.#bits > COARSEST_BITS) this.#coarsen();
  }

  #slot(slots: Uint32Array, key: number): number {
    let slot = hash(key, SLOT_BITS);
    while (slots[slot * FIELDS] !== 0 && slots[slot * FIELDS] !== key + 1) slot = (slot + 1) & (SLOTS - 1);
    return slot * FIELDS;
  }

  #coarsen(): void {
    const old = this.#slots as Uint32Array;
    const slots = new Uint32Array(SLOTS * FIELDS);
    this.#slots = slots;
    const dropped = 1 << (8 - this.#bits);
    this.#bits--;
    this.#used = 0;
    for (let at = 0; at < old.length; at += FIELDS) {
      if (old[at] === 0) continue;
      const color = old[at]! - 1;
      const key = color & ~(dropped * 0x010101);
      const slot = this.#slot(slots, key);
      if (slots[slot] === 0) {
        slots[slot] = key + 1;
        this.#used++;
      }
      const pixels = old[at + 1]!;
      slots[slot + 1]! += pixels;
      slots[slot + 2]! += old[at + 2]! + (color & dropped) * pixels;
      slots[slot + 3]! += old[at + 3]! + ((color >> 8) & dropped) * pixels;
      slots[slot + 4]! += old[at + 4]! + ((color >> 16) & dropped) * pixels;
    }
  }
}
