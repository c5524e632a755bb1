// Reads the displayed size of a page (ISO 32000-1, 14.11.2; tables 30 and 31), with the same rules as MuPDF.

import type { PdfFile } from "../objects/pdf-file.ts";
import type { Dictionary, Value } from "../objects/values.ts";
import { pageDictionary, type SourcePage } from "./pages.ts";

export interface PageSize {
  /** Width of the crop box in points, after rotation and UserUnit. */
  readonly width: number;
  readonly height: number;
}

/** Left, bottom, right, top. */
export type Rectangle = readonly [number, number, number, number];

/** MuPDF's default page size. */
const LETTER: Rectangle = [0, 0, 612, 792];
const UNIT: Rectangle = [0, 0, 1, 1];

export function pageSize(file: PdfFile, sourcePage: SourcePage): PageSize {
  const page = pageDictionary(file, sourcePage);
  const media = mediaBox(file, page);
  const crop = rectangle(file, page.get("CropBox"));
  const cropped = crop ? intersection(crop, media) : media;
  const box = atLeastOnePoint(isEmpty(cropped) ? media : cropped);
  const unit = unitOf(file, page);
  const [width, height] = [(box[2] - box[0]) * unit, (box[3] - box[1]) * unit];
  return isOnItsSide(file.number(page.get("Rotate")) ?? 0) ? { width: height, height: width } : { width, height };
}

/** @param page with its inherited attributes */
export function mediaBox(file: PdfFile, page: Dictionary): Rectangle {
  const given = rectangle(file, page.get("MediaBox"));
  return given && !isEmpty(given) ? given : LETTER;
}

function rectangle(file: PdfFile, value: Value | undefined): Rectangle | undefined {
  const [x0, y0, x1, y1] = (file.array(value) ?? []).slice(0, 4).map((element) => file.number(element));
  if (x0 === undefined || y0 === undefined || x1 === undefined || y1 === undefined) return undefined;
  return [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)];
}

const intersection = (one: Rectangle, other: Rectangle): Rectangle => [
  Math.max(one[0], other[0]),
  Math.max(one[1], other[1]),
  Math.min(one[2], other[2]),
  Math.min(one[3], other[3]),
];

const isEmpty = ([left, bottom, right, top]: Rectangle): boolean => !(left < right && bottom < top);

const atLeastOnePoint = (box: Rectangle): Rectangle => (box[2] - box[0] < 1 || box[3] - box[1] < 1 ? UNIT : box);

/** Returns the size of the page's units in points. */
export function unitOf(file: PdfFile, page: Dictionary): number {
  const unit = file.number(page.get("UserUnit")) ?? 1;
  return unit > 0 ? unit : 1;
}

/** Reports whether the rotation, rounded to quarter turns, swaps width and height. */
const isOnItsSide = (angle: number): boolean => Math.floor((Math.trunc(angle) + 45) / 90) % 2 !== 0;
