// Computes the bounding box of a path from its construction operators (ISO 32000-1, 8.5.2).
import type { ContentOperation } from "../../content/content.ts";
import type { Box } from "../../content/matrix.ts";

/**
 * Extends a box by the points of one path operator. Control points are included, so that the box contains every curve.
 */
export function extended(box: Box | undefined, { operator, operands }: ContentOperation): Box | undefined {
  const numbers = operands.filter((value) => typeof value === "number");
  if (operator === "re" && numbers.length >= 4) {
    numbers[2]! += numbers[0]!;
    numbers[3]! += numbers[1]!;
  }
  let [left, bottom, right, top] = box ?? [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    const [x, y] = [numbers[at]!, numbers[at + 1]!];
    left = Math.min(left, x);
    right = Math.max(right, x);
    bottom = Math.min(bottom, y);
    top = Math.max(top, y);
  }
  return left <= right ? [left, bottom, right, top] : box;
}
