// Which pieces of ink on a scan are print: lines as thin as letters have, each of one colour, and the few inks that all of them are
// printed with. Knows no pixels.

/** What wasm/picture/assembly/shapes.ts says of each, in its order. */
export const SHAPE_NUMBERS = 15;
/** Inches: thicker ones are surfaces, of charts and photographs. */
const MOST_THICK = 0.11;
/** Square inches: smaller ones are dirt. */
const LEAST_AREA = 6 / 300 ** 2;
/** Root of the mean square of differences in brightness within one that is of one ink. */
const MOST_UNEVEN = 30;
/** How far inks of one colour are apart: brightness, and colour differences, these and a part of the stronger one. */
const SAME_BRIGHTNESS = 26;
const SAME_COLOR = 7;
const SAME_HUE = 0.25;
const MOST_INKS = 12;
/** So many times as far apart brightness may be where an ink is seldom. */
const LIKELY = 2.5;
/** Square inches of an ink that is worth a layer. */
const LEAST_INK = 0.006;

export interface Ink {
  /** Mean of Y, Cb and Cr, of 0 to 255; Y alone where there is no colour. */
  readonly color: readonly number[];
}

class Group {
  area = 0;
  readonly #sums = [0, 0, 0];
  readonly members: number[] = [];

  get color(): number[] {
    return this.#sums.map((sum) => sum / this.area);
  }

  /** @param factor of how far brightness may be apart */
  isNear(color: readonly number[], factor = 1): boolean {
    const [y, cb, cr] = this.color as [number, number, number];
    const [otherY, otherCb, otherCr] = color as [number, number, number];
    const isAsBright = Math.abs(y - otherY) < SAME_BRIGHTNESS * factor;
    const strength = Math.max(Math.hypot(cb - 128, cr - 128), Math.hypot(otherCb - 128, otherCr - 128));
    return isAsBright && Math.hypot(cb - otherCb, cr - otherCr) < SAME_COLOR + strength * SAME_HUE;
  }

  add(index: number, area: number, color: readonly number[]): void {
    this.members.push(index);
    this.area += area;
    color.forEach((value, place) => {
      this.#sums[place] += value * area;
    });
  }
}

/**
 * @param shapes {@link SHAPE_NUMBERS} each
 * @param choices gets, for each, 0 where it is no print, or `firstInk` and the index of its ink
 * @param dpi of the pixels
 */
export function chooseInks(shapes: Float64Array, choices: Uint8Array, firstInk: number, dpi: number): Ink[] {
  const of = (index: number) => shapes.subarray(index * SHAPE_NUMBERS, (index + 1) * SHAPE_NUMBERS);
  const print = Array.from(choices, (_, index) => index).filter((index) => isPrint(of(index), dpi));
  // Colours of large pieces are the certain ones.
  print.sort((a, b) => of(b)[1] - of(a)[1] || a - b);
  const groups: Group[] = [];
  for (const index of print) {
    const shape = of(index);
    const color = colorOf(shape);
    let group = groups.find((candidate) => candidate.isNear(color));
    if (!group) {
      if (groups.length >= MOST_INKS) continue;
      group = new Group();
      groups.push(group);
    }
    group.add(index, Math.max(1, shape[1]), color);
  }
  const inks = groups.filter(({ area }) => area >= LEAST_INK * dpi * dpi * CORE_PART);
  // Some letters are thinner than all others, and of the same ink.
  for (const { color, members } of groups.filter((group) => !inks.includes(group))) {
    const ink = inks.find((candidate) => candidate.isNear(color, LIKELY));
    if (ink) for (const member of members) ink.members.push(member);
  }
  choices.fill(0);
  inks.forEach(({ members }, ink) => {
    for (const index of members) choices[index] = firstInk + ink;
  });
  return inks.map(({ color }) => ({ color }));
}

/** Y, Cb and Cr. */
function colorOf(shape: Float64Array): number[] {
  const [area, core] = shape as unknown as [number, number];
  const [allY, allCb, allCr] = [shape[12] / area, shape[13] / area, shape[14] / area];
  if (core === 0) return [allY, allCb, allCr];
  // Of thin lines nothing is as dark as their ink: with half of what its edges have they are as dark together as they were.
  return [(shape[8] / core + allY) / 2, shape[10] / core, shape[11] / core];
}

/** Of a letter's area, about so much is nothing but ink. */
const CORE_PART = 0.5;

function isPrint(shape: Float64Array, dpi: number): boolean {
  const [area, core, , , , , runsAlong, runsDown, sum, squares] = shape as unknown as number[];
  if (area! < LEAST_AREA * dpi * dpi) return false;
  if (Math.min(area! / runsAlong!, area! / runsDown!) > MOST_THICK * dpi) return false;
  if (core === 0) return true;
  const mean = sum! / core!;
  return squares! / core! - mean * mean <= MOST_UNEVEN ** 2;
}
