// Finds the markers of items that are drawn as shapes.
import { Intervals } from "./intervals.ts";
import type { Extent, Segment } from "./segments.ts";

/** Minimum and maximum side of a dot in points, and difference of its sides. */
const SMALLEST = 1.5;
const LARGEST = 9;
const UNEQUAL = 0.25;
/** Minimum and maximum distance from the text, in font sizes. */
const NEAR = 0.1;
const FAR = 1.6;

/** Reports whether a shape is as small and as high as wide as a dot. */
const isDot = ({ left, top, right, bottom }: Extent): boolean => {
  const [width, height] = [right - left, bottom - top];
  return width > SMALLEST && width < LARGEST && Math.abs(width - height) < UNEQUAL * width;
};

/** The dots among the shapes of a page. */
export class Dots {
  readonly #places = new Intervals<Extent>();

  constructor(shapes: readonly Extent[]) {
    for (const shape of shapes) if (isDot(shape)) this.#places.add(middleOf(shape), middleOf(shape), shape);
  }

  /** Returns the marker that a dot before a row stands for. */
  bulletOf(row: readonly Segment[]): string | undefined {
    const { left, baseline, size } = row[0]!;
    const isBefore = (dot: Extent) => {
      const middle = middleOf(dot);
      const distance = (left - dot.right) / size;
      const isBeside = middle > baseline - 0.7 * size && middle < baseline;
      return isBeside && distance > NEAR && distance < FAR && dot.right - dot.left < 0.6 * size;
    };
    return this.#places.near(baseline - 0.7 * size, baseline).some((list) => list.some(isBefore)) ? "•" : undefined;
  }
}

const middleOf = ({ top, bottom }: Extent): number => (top + bottom) / 2;
