// Finds the markers of items that are drawn as shapes.
import type { Extent, Segment } from "./lines/segments.ts";

/** Minimum and maximum side of a dot in points, and difference of its sides. */
const SMALLEST = 1.5;
const LARGEST = 9;
const UNEQUAL = 0.25;
/** Minimum and maximum distance from the text, in font sizes. */
const NEAR = 0.1;
const FAR = 1.6;

/** Reports whether a shape is as small and as high as wide as a dot. */
export const isDot = ({ left, top, right, bottom }: Extent): boolean => {
  const [width, height] = [right - left, bottom - top];
  return width > SMALLEST && width < LARGEST && Math.abs(width - height) < UNEQUAL * width;
};

/** Returns the marker that a dot before a row stands for. */
export function bulletOf(row: readonly Segment[], dots: readonly Extent[]): string | undefined {
  const { left, baseline, size } = row[0]!;
  const isBefore = (dot: Extent) => {
    const middle = (dot.top + dot.bottom) / 2;
    const distance = (left - dot.right) / size;
    const isBeside = middle > baseline - 0.7 * size && middle < baseline;
    return isBeside && distance > NEAR && distance < FAR && dot.right - dot.left < 0.6 * size;
  };
  return dots.some(isBefore) ? "•" : undefined;
}
