// Computes bounding boxes: of a path from its construction operators (ISO 32000-1, 8.5.2), and of a form (8.10.1).
import { readBox, readMatrix } from "../../content/boxes.ts";
import type { ContentOperation } from "../../content/content.ts";
import { type Box, boundsOf, IDENTITY, type Matrix, multiply } from "../../content/matrix.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import type { Dictionary } from "../../objects/values.ts";

/**
 * Extends a box by the points of one path operator. Control points are included, so that the box contains every curve.
 */
export function extendBox(box: Box | undefined, { operator, operands }: ContentOperation): Box | undefined {
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

/** @returns the bounds of a form drawn with a matrix; undefined without a valid BBox */
export function formBounds(file: PdfFile, form: Dictionary, matrix: Matrix): Box | undefined {
  const box = readBox(file, form.get("BBox"));
  return box && boundsOf(multiply(readMatrix(file, form.get("Matrix")) ?? IDENTITY, matrix), box);
}
