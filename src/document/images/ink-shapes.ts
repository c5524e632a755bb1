// Selects the shapes of a scan that are print: thin strokes, like letters, of one color each. Groups them into the few
// inks of the page.

/** Number of values per shape. wasm/picture/assembly/shapes.ts defines their order. */
export const SHAPE_NUMBERS = 15;
/** Maximum stroke thickness of print, in inches. Thicker shapes belong to charts and photographs. */
const MAX_THICKNESS = 0.11;
/** Minimum area of print, in square inches. Smaller shapes are dirt. */
const MIN_AREA = 6 / 300 ** 2;
/** Maximum standard deviation of brightness within a shape of one ink. */
const MAX_UNEVENNESS = 30;
/**
 * Two colors are the same ink if they differ by less than `SAME_BRIGHTNESS` in Y, and if their distance in Cb and Cr is
 * less than `SAME_COLOR` plus `SAME_HUE` times the larger chroma of the two.
 */
const SAME_BRIGHTNESS = 26;
const SAME_COLOR = 7;
const SAME_HUE = 0.25;
const MAX_INKS = 12;
/** Factor for the brightness distance of rare inks, which are probably variations of a frequent ink. */
const LIKELY = 2.5;
/** Minimum area of an ink, in square inches, for a separate layer. */
const MIN_INK = 0.006;

export interface Ink {
  /** Mean of Y, Cb and Cr, from 0 to 255; only Y for a gray scan. */
  readonly color: readonly number[];
}

class Group {
  area = 0;
  readonly #sums = [0, 0, 0];
  readonly members: number[] = [];

  get color(): number[] {
    return this.#sums.map((sum) => sum / this.area);
  }

  /** @param factor for the maximum brightness distance */
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
      this.#sums[place]! += value * area;
    });
  }
}

/**
 * Chooses the inks, and an ink for each shape.
 * @param shapes {@link SHAPE_NUMBERS} values per shape
 * @param choices receives, for each shape, `firstInk` plus the index of its ink; 0 if it is not print
 * @param dpi resolution of the scan
 */
export function chooseInks(shapes: Float64Array, choices: Uint8Array, firstInk: number, dpi: number): Ink[] {
  const of = (index: number) => shapes.subarray(index * SHAPE_NUMBERS, (index + 1) * SHAPE_NUMBERS);
  const print = Array.from(choices, (_, index) => index).filter((index) => isPrint(of(index), dpi));
  // The colors of large shapes are the most reliable.
  print.sort((a, b) => of(b)[1]! - of(a)[1]! || a - b);
  const groups: Group[] = [];
  for (const index of print) {
    const shape = of(index);
    const color = colorOf(shape);
    let group = groups.find((candidate) => candidate.isNear(color));
    if (!group) {
      if (groups.length >= MAX_INKS) continue;
      group = new Group();
      groups.push(group);
    }
    group.add(index, Math.max(1, shape[1]!), color);
  }
  const inks = groups.filter(({ area }) => area >= MIN_INK * dpi * dpi * CORE_PART);
  // Thin strokes look lighter, although their ink is the same.
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

/** Returns the mean Y, Cb and Cr of a shape. */
function colorOf(shape: Float64Array): number[] {
  const [area, core] = shape as unknown as [number, number];
  const [allY, allCb, allCr] = [shape[12]! / area, shape[13]! / area, shape[14]! / area];
  if (core === 0) return [allY, allCb, allCr];
  // Strokes are lighter than their ink at the edges. Averaging the core and the whole shape preserves their total
  // darkness.
  return [(shape[8]! / core + allY) / 2, shape[10]! / core, shape[11]! / core];
}

/** Approximate fraction of a letter's area that has the pure color of the ink. */
const CORE_PART = 0.5;

function isPrint(shape: Float64Array, dpi: number): boolean {
  const [area, core, , , , , runsAlong, runsDown, sum, squares] = shape as unknown as number[];
  if (area! < MIN_AREA * dpi * dpi) return false;
  if (Math.min(area! / runsAlong!, area! / runsDown!) > MAX_THICKNESS * dpi) return false;
  if (core === 0) return true;
  const mean = sum! / core!;
  return squares! / core! - mean * mean <= MAX_UNEVENNESS ** 2;
}
