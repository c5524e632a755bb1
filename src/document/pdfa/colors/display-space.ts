// Describes how a page is displayed, as a matrix from the displayed page, upright with its lower left corner at the
// origin, to user space (ISO 32000-1, 7.7.3.3 and 8.3.2.3).
import type { Box, Matrix } from "../../content/matrix.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import type { Dictionary } from "../../objects/values.ts";
import { unitOf, visibleBox } from "../../pages/page-size.ts";

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
  const box = visibleBox(file, page);
  const [left, bottom, right, top] = box;
  const turns = (((Math.round((file.number(page.get("Rotate")) ?? 0) / 90) % 4) + 4) % 4) as 0 | 1 | 2 | 3;
  const size = [right - left, top - bottom] as const;
  const [width, height] = turns % 2 === 0 ? size : [size[1], size[0]];
  const unit = unitOf(file, page);
  const s = 1 / unit;
  const matrices: readonly Matrix[] = [
    [s, 0, 0, s, left, bottom],
    [0, s, -s, 0, right, bottom],
    [-s, 0, 0, -s, right, top],
    [0, -s, s, 0, left, top],
  ];
  return { box, width, height, unit, matrix: matrices[turns]! };
}
