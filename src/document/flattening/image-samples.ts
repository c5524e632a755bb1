// Counts the samples of a page's transparent images, because decoding them dominates the drawing time.

import type { PdfFile } from "../objects/pdf-file.ts";
import { type Dictionary, Reference } from "../objects/values.ts";
import type { TransparentRun } from "./scan/content-node.ts";

/** Assumed number of channels per pixel. Few images have more. */
const CHANNELS = 3;

export function imageSamplesOf(file: PdfFile, runs: readonly TransparentRun[]): number {
  const images = new Map<number, number>();
  for (const { object } of runs.flatMap(({ paints }) => paints)) {
    if (!(object instanceof Reference) || images.has(object.number)) continue;
    const image = file.stream(object)?.dictionary;
    const mask = file.stream(image?.get("SMask"))?.dictionary;
    images.set(object.number, CHANNELS * pixelsOf(file, image) + pixelsOf(file, mask));
  }
  return [...images.values()].reduce((sum, samples) => sum + samples, 0);
}

/** @returns 0 for an object that is not an image */
function pixelsOf(file: PdfFile, image: Dictionary | undefined): number {
  const side = (key: string) => Math.max(0, file.number(image?.get(key)) ?? 0);
  return side("Width") * side("Height");
}
