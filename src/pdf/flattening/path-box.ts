// The box around a path, from the operands of its construction (ISO 32000-1, 8.5.2). Knows no painting.
import type { ContentOperation } from "../content/content.ts";
import type { Box } from "../content/matrix.ts";

/** A box with the points of a path's piece in it; corners of curves lie within that of their control points. */
export function extended(box: Box | undefined, { operator, operands }: ContentOperation): Box | undefined {
  const numbers = operands.filter((value) => typeof value === "number");
  if (operator === "re" && numbers.length >= 4) {
    numbers[2] += numbers[0];
    numbers[3] += numbers[1];
  }
  let [left, bottom, right, top] = box ?? [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    const [x, y] = [numbers[at], numbers[at + 1]];
    left = Math.min(left, x);
    right = Math.max(right, x);
    bottom = Math.min(bottom, y);
    top = Math.max(top, y);
  }
  return left <= right ? [left, bottom, right, top] : box;
}
