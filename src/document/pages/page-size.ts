// Reads the displayed size of a page (ISO 32000-1, 14.11.2; tables 30 and 31), with the same rules as MuPDF.

import { intersection, readBox } from "../content/boxes.ts";
import type { Box, Matrix } from "../content/matrix.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Dictionary } from "../objects/values.ts";
import { pageDictionary, type SourcePage } from "./pages.ts";

export interface PageSize {
  /** Width of the crop box in points, after rotation and UserUnit. */
  readonly width: number;
  readonly height: number;
}

/** MuPDF's default page size. */
const LETTER: Box = [0, 0, 612, 792];
const UNIT: Box = [0, 0, 1, 1];

export const pageSize = (file: PdfFile, page: SourcePage): PageSize => displayedSize(file, pageDictionary(file, page));

/** @param page with its inherited attributes */
export function displayedSize(file: PdfFile, page: Dictionary): PageSize {
  const box = visibleBox(file, page);
  const unit = unitOf(file, page);
  const [width, height] = [(box[2] - box[0]) * unit, (box[3] - box[1]) * unit];
  return quarterTurns(file, page) % 2 === 1 ? { width: height, height: width } : { width, height };
}

/**
 * Returns the matrix from the displayed page, in points from its lower left corner, to default user space.
 * @param page with its inherited attributes
 */
export function shownSpace(file: PdfFile, page: Dictionary): Matrix {
  const [left, bottom, right, top] = visibleBox(file, page);
  const point = 1 / unitOf(file, page);
  const turned: readonly Matrix[] = [
    [point, 0, 0, point, left, bottom],
    [0, point, -point, 0, right, bottom],
    [-point, 0, 0, -point, right, top],
    [0, -point, point, 0, left, top],
  ];
  return turned[quarterTurns(file, page)]!;
}

/** @param page with its inherited attributes */
export const mediaBox = (file: PdfFile, page: Dictionary): Box => pageBox(file, page, "MediaBox", LETTER);

/** Returns a box of a page; the fallback if the box is missing or has no area. */
export function pageBox(file: PdfFile, page: Dictionary, key: string, fallback: Box): Box {
  const box = readBox(file, page.get(key));
  return box && box[0] < box[2] && box[1] < box[3] ? box : fallback;
}

/** Returns the part of the crop box within the media box. */
export function visibleBox(file: PdfFile, page: Dictionary): Box {
  const media = mediaBox(file, page);
  return atLeastOnePoint(intersection(readBox(file, page.get("CropBox")) ?? media, media) ?? media);
}

const atLeastOnePoint = (box: Box): Box => (box[2] - box[0] < 1 || box[3] - box[1] < 1 ? UNIT : box);

/** Returns the length of one unit of user space, in points. */
export function unitOf(file: PdfFile, page: Dictionary): number {
  const unit = file.number(page.get("UserUnit")) ?? 1;
  return unit > 0 ? unit : 1;
}

/** Returns the rotation in clockwise quarter turns, rounded, from 0 to 3. For example, `/Rotate 450` is 1. */
export function quarterTurns(file: PdfFile, page: Dictionary): number {
  const turns = Math.floor((Math.trunc(file.number(page.get("Rotate")) ?? 0) + 45) / 90) % 4;
  return turns < 0 ? turns + 4 : turns;
}
