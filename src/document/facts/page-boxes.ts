// Reads the boxes of a page with their defaults. A box that extends beyond the media box is reduced to it (ISO 32000-1,
// 14.11.2.1).

import { type Box, boxOf } from "../content/matrix.ts";
import { intersection } from "../images/placed-images.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Dictionary } from "../objects/values.ts";

/** MuPDF's default page size. */
const LETTER: Box = [0, 0, 612, 792];

/** @param page with its inherited attributes */
export function pageBoxes(file: PdfFile, page: Dictionary) {
  const given = (key: string): Box | undefined => {
    const box = boxOf((file.array(page.get(key)) ?? []).slice(0, 4).map((value) => file.number(value)));
    return box && hasArea(box) ? box : undefined;
  };
  const media = given("MediaBox") ?? LETTER;
  const inside = (key: string, fallback: Box): Box => {
    const box = given(key);
    return (box && intersection(box, media)) ?? fallback;
  };
  const crop = inside("CropBox", media);
  return {
    ...{ media: rounded(media), crop: rounded(crop) },
    ...{ bleed: rounded(inside("BleedBox", crop)), trim: rounded(inside("TrimBox", crop)) },
    art: rounded(inside("ArtBox", crop)),
  };
}

const hasArea = ([left, bottom, right, top]: Box): boolean => left < right && bottom < top;

/** Rounds to four digits: numbers of a file are 32-bit floats here. */
const rounded = (box: Box) => box.map((value) => Math.round(value * 10_000) / 10_000);
