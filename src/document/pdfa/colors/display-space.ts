// Describes how a page is displayed, as a matrix from the displayed page, upright with its lower left corner at the
// origin, to user space (ISO 32000-1, 7.7.3.3 and 8.3.2.3).
import type { Box, Matrix } from "../../content/matrix.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import type { Dictionary, Value } from "../../objects/values.ts";

/** MediaBox of pages without a valid one: letter. */
const DEFAULT_BOX: Box = [0, 0, 612, 792];

export interface DisplaySpace {
  /** The visible part of the page, in user space. */
  readonly box: Box;
  /** Width of the upright page, in user units. */
  readonly width: number;
  readonly height: number;
  /** Number of points per user unit. */
  readonly unit: number;
  /** Transforms points of the displayed page to user space. */
  readonly matrix: Matrix;
}

/** @param page dictionary with inherited entries */
export function displaySpace(file: PdfFile, page: Dictionary): DisplaySpace {
  const media = boxOf(file, page.get("MediaBox")) ?? DEFAULT_BOX;
  const box = intersection(boxOf(file, page.get("CropBox")) ?? media, media) ?? media;
  const [left, bottom, right, top] = box;
  const turns = (((Math.round((file.number(page.get("Rotate")) ?? 0) / 90) % 4) + 4) % 4) as 0 | 1 | 2 | 3;
  const size = [right - left, top - bottom] as const;
  const [width, height] = turns % 2 === 0 ? size : [size[1], size[0]];
  const userUnit = file.number(page.get("UserUnit")) ?? 1;
  const unit = userUnit > 0 ? userUnit : 1;
  const s = 1 / unit;
  const matrices: readonly Matrix[] = [
    [s, 0, 0, s, left, bottom],
    [0, s, -s, 0, right, bottom],
    [-s, 0, 0, -s, right, top],
    [0, -s, s, 0, left, top],
  ];
  return { box, width, height, unit, matrix: matrices[turns]! };
}

function boxOf(file: PdfFile, value: Value | undefined): Box | undefined {
  const numbers = file.array(value)?.map((element) => file.number(element));
  if (numbers?.length !== 4 || numbers.some((number) => number === undefined)) return undefined;
  const [x, y, X, Y] = numbers as number[];
  const box: Box = [Math.min(x!, X!), Math.min(y!, Y!), Math.max(x!, X!), Math.max(y!, Y!)];
  return box[2] - box[0] >= 1 && box[3] - box[1] >= 1 ? box : undefined;
}

function intersection(one: Box, other: Box): Box | undefined {
  const box: Box = [
    Math.max(one[0], other[0]),
    Math.max(one[1], other[1]),
    Math.min(one[2], other[2]),
    Math.min(one[3], other[3]),
  ];
  return box[2] - box[0] >= 1 && box[3] - box[1] >= 1 ? box : undefined;
}
