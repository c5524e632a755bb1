// Reads the boxes of a page. A missing box has its default, and a box that extends beyond the media box is clipped to
// it (ISO 32000-1, 14.11.2.1).

import { intersection } from "../content/boxes.ts";
import type { Box } from "../content/matrix.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Dictionary } from "../objects/values.ts";
import { mediaBox, pageBox } from "../pages/page-size.ts";

/** @param page the page dictionary, including inherited attributes */
export function pageBoxes(file: PdfFile, page: Dictionary) {
  const media = mediaBox(file, page);
  const inside = (key: string, fallback: Box): Box =>
    intersection(pageBox(file, page, key, fallback), media) ?? fallback;
  const crop = inside("CropBox", media);
  return {
    ...{ media: rounded(media), crop: rounded(crop) },
    ...{ bleed: rounded(inside("BleedBox", crop)), trim: rounded(inside("TrimBox", crop)) },
    art: rounded(inside("ArtBox", crop)),
  };
}

/** Rounds to four decimal places, because the numbers were read as 32-bit floats. */
const rounded = (box: Box) => box.map((value) => Math.round(value * 10_000) / 10_000);
