// Reads the boxes of a page with their defaults (ISO 32000-1, 14.11.2).

import { type Box, boxOf } from "../content/matrix.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Dictionary } from "../objects/values.ts";

/** MuPDF's default page size. */
const LETTER: Box = [0, 0, 612, 792];

/** @param page with its inherited attributes */
export function pageBoxes(file: PdfFile, page: Dictionary) {
  const given = (key: string, fallback: Box): Box => {
    const box = boxOf((file.array(page.get(key)) ?? []).slice(0, 4).map((value) => file.number(value)));
    return box && box[0] < box[2] && box[1] < box[3] ? (box.map(rounded) as unknown as Box) : fallback;
  };
  const media = given("MediaBox", LETTER);
  const crop = given("CropBox", media);
  return {
    ...{ media, crop },
    ...{ bleed: given("BleedBox", crop), trim: given("TrimBox", crop), art: given("ArtBox", crop) },
  };
}

/** Rounds to four digits: numbers of a file are 32-bit floats here. */
const rounded = (value: number) => Math.round(value * 10_000) / 10_000;
