// Reads rectangles and matrices of a file (ISO 32000-1, 7.9.5 and 8.3.4).

import type { PdfFile } from "../objects/pdf-file.ts";
import type { Dictionary, Value } from "../objects/values.ts";
import { type Box, boundsOf, boxOf, fitting, IDENTITY, type Matrix, matrixOf } from "./matrix.ts";

const numbersIn = (file: PdfFile, value: Value | undefined) =>
  (file.array(value) ?? []).slice(0, 6).map((element) => file.number(element));

/** @returns undefined if the value is not a rectangle */
export const readBox = (file: PdfFile, value: Value | undefined): Box | undefined => boxOf(numbersIn(file, value));

/** @returns undefined if the value is not a matrix */
export const readMatrix = (file: PdfFile, value: Value | undefined): Matrix | undefined =>
  matrixOf(numbersIn(file, value));

/** @returns undefined if the boxes do not intersect */
export function intersection(one: Box, other: Box): Box | undefined {
  const [left, bottom] = [Math.max(one[0], other[0]), Math.max(one[1], other[1])];
  const [right, top] = [Math.min(one[2], other[2]), Math.min(one[3], other[3])];
  return left < right && bottom < top ? [left, bottom, right, top] : undefined;
}

/** Returns the matrix that maps an annotation's appearance to its rectangle on the page (12.5.5, algorithm 8.1). */
export function appearanceMatrix(file: PdfFile, annotation: Dictionary, form: Dictionary): Matrix | undefined {
  const rectangle = readBox(file, annotation.get("Rect"));
  const inner = readBox(file, form.get("BBox"));
  if (!rectangle || !inner) return undefined;
  return fitting(boundsOf(readMatrix(file, form.get("Matrix")) ?? IDENTITY, inner), rectangle);
}
