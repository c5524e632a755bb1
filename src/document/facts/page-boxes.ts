// Reads the boxes of a page with their defaults (ISO 32000-1, 14.11.2).

import type { Box } from "../content/matrix.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Dictionary } from "../objects/values.ts";
import { mediaBox, pageBox } from "../pages/page-size.ts";

/** @param page with its inherited attributes */
export function pageBoxes(file: PdfFile, page: Dictionary) {
  const media = mediaBox(file, page);
  const crop = pageBox(file, page, "CropBox", media);
  const within = (key: string) => rounded(pageBox(file, page, key, crop));
  return {
    ...{ media: rounded(media), crop: rounded(crop) },
    ...{ bleed: within("BleedBox"), trim: within("TrimBox"), art: within("ArtBox") },
  };
}

/** Rounds to four digits: numbers of a file are 32-bit floats here. */
const rounded = (box: Box) => box.map((value) => Math.round(value * 10_000) / 10_000) as unknown as Box;
