// Reads the displayed size of a page (ISO 32000-1, 14.11.2; tables 30 and 31), with the same rules as MuPDF.

import { intersection, readBox } from "../content/boxes.ts";
import type { Box } from "../content/matrix.ts";
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

export function pageSize(file: PdfFile, sourcePage: SourcePage): PageSize {
  const page = pageDictionary(file, sourcePage);
  const box = visibleBox(file, page);
  const unit = unitOf(file, page);
  const [width, height] = [(box[2] - box[0]) * unit, (box[3] - box[1]) * unit];
  return isOnItsSide(file.number(page.get("Rotate")) ?? 0) ? { width: height, height: width } : { width, height };
}

/** @param page with its inherited attributes */
export const mediaBox = (file: PdfFile, page: Dictionary): Box => pageBox(file, page, "MediaBox", LETTER);

/** Returns a box of a page, or the default if it has no area. */
export function pageBox(file: PdfFile, page: Dictionary, key: string, fallback: Box): Box {
  const box = readBox(file, page.get(key));
  return box && box[0] < box[2] && box[1] < box[3] ? box : fallback;
}

/** Returns the crop box, as far as it is within the media box. */
export function visibleBox(file: PdfFile, page: Dictionary): Box {
  const media = mediaBox(file, page);
  return atLeastOnePoint(intersection(readBox(file, page.get("CropBox")) ?? media, media) ?? media);
}

const atLeastOnePoint = (box: Box): Box => (box[2] - box[0] < 1 || box[3] - box[1] < 1 ? UNIT : box);

/** Returns the size of the page's units in points. */
export function unitOf(file: PdfFile, page: Dictionary): number {
  const unit = file.number(page.get("UserUnit")) ?? 1;
  return unit > 0 ? unit : 1;
}

/** Reports whether the rotation, rounded to quarter turns, swaps width and height. */
const isOnItsSide = (angle: number): boolean => Math.floor((Math.trunc(angle) + 45) / 90) % 2 !== 0;
