// Reads the resolutions of the images on a PDF's pages, as poppler lists them.
import { execFileSync } from "node:child_process";
import { expect } from "vitest";
import { withFile } from "./pdf-readers.ts";

export const ascending = (one: number, other: number): number => one - other;

/** Returns the resolution of the finest image along its two axes, the lower value first. */
export function finestOf(pdf: Uint8Array): number[] {
  const lines = withFile(pdf, (path) => execFileSync("pdfimages", ["-list", path], { encoding: "utf8" }));
  const all = lines
    .trim()
    .split("\n")
    .slice(2)
    .map((line) => line.trim().split(/\s+/));
  // Poppler also lists masks, as separate images.
  const found = all.filter((cells) => cells[2] === "image");
  const resolutions = found.map((cells) => [Number(cells[12]), Number(cells[13])].sort(ascending));
  return resolutions.reduce((best, one) => (one[0]! * one[1]! > best[0]! * best[1]! ? one : best), [0, 0]);
}

/** Matches a resolution of at least the given one, apart from rounding. */
export const atLeast = (ppi: number): unknown =>
  expect.toSatisfy((found: number) => found >= 0.99 * ppi, `at least ${ppi} ppi`);
