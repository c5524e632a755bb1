// Describes how a page is displayed: its visible part, its size and a matrix to user space (ISO 32000-1, 7.7.3.3 and
// 8.3.2.3). The displayed page is upright, with its lower left corner at the origin.
import type { Box, Matrix } from "../../content/matrix.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import type { Dictionary } from "../../objects/values.ts";
import { quarterTurns, shownSpace, unitOf, visibleBox } from "../../pages/page-size.ts";

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
  const size = [box[2] - box[0], box[3] - box[1]] as const;
  const [width, height] = quarterTurns(file, page) % 2 === 0 ? size : [size[1], size[0]];
  return { box, width, height, unit: unitOf(file, page), matrix: shownSpace(file, page) };
}
