// Measures the pages of a PDF that Ghostscript wrote. Reads the sizes from the PDF, because a PostScript program can
// choose its paper in several ways (setpagedevice, its predecessors in statusdict, pdfmark).

import { createReadStream } from "node:fs";

/** Maximum side of a page in units (ISO 32000-1, annex C.2). */
export const MAX_POINTS = 14_400;

const STRETCH_BYTES = 2 ** 20;
/** Overlap of consecutive chunks. At least the length of a /MediaBox entry, so that no entry is split. */
const OVERLAP_BYTES = 128;
const NUMBER = "(-?[\\d.]{1,20})";
const BOX = new RegExp(`/MediaBox\\s{0,4}\\[\\s{0,4}${[NUMBER, NUMBER, NUMBER, NUMBER].join("\\s{1,4}")}`, "g");

/**
 * Returns the longest side of all pages, in points. Ghostscript writes page dictionaries uncompressed, so a text search
 * finds them.
 */
export async function largestPage(path: string): Promise<number> {
  let largest = 0;
  let before = "";
  for await (const chunk of createReadStream(path, { highWaterMark: STRETCH_BYTES, encoding: "latin1" })) {
    const stretch = before + chunk;
    for (const [, ...numbers] of stretch.matchAll(BOX)) {
      const [left, bottom, right, top] = numbers.map(Number) as [number, number, number, number];
      largest = Math.max(largest, Math.abs(right - left), Math.abs(top - bottom));
    }
    before = stretch.slice(-OVERLAP_BYTES);
  }
  return largest;
}
