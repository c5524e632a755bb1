// Compares the pictures of a pair of pages.
import type { Box } from "../content/matrix.ts";
import type { Size } from "../engines/mupdf/page.ts";
import { type DrawnPage, type DrawnPages, resolutionFor } from "./drawn-pages.ts";
import type { PagePair } from "./page-pairs.ts";
import { comparePixels, extended, type PagePixels } from "./page-pixels.ts";

export interface DrawnDocuments {
  readonly original: DrawnPages;
  readonly compared: DrawnPages;
}

/** A pair of pages with its differences. */
export interface ComparedPages {
  readonly pair: PagePair;
  /** Fraction of the pixels that differ, from 0 to 1; 1 for a page without counterpart. */
  readonly difference: number;
  /** Left, bottom, right and top of each area that differs, in points from the lower left corner of the larger page. */
  readonly areas: readonly Box[];
  /** Both pages in one size. A missing page is white. */
  readonly pictures: readonly [PagePixels, PagePixels];
  /** Heights of both pages in points; 0 for a missing page. */
  readonly heights: readonly [original: number, compared: number];
  /** The areas in pixels: left, top, right and bottom. */
  readonly areasInPixels: readonly Box[];
  /** False for a page without counterpart. */
  readonly isOfOneSize: boolean;
}

/** @throws EngineFailure the failure of a page */
export async function comparePages(
  pair: PagePair,
  { original, compared }: DrawnDocuments,
  dpi: number,
): Promise<ComparedPages> {
  const sizes = [
    pair.original === undefined ? undefined : original.sizeOf(pair.original),
    pair.compared === undefined ? undefined : compared.sizeOf(pair.compared),
  ];
  const shared = resolutionFor(largest(sizes), dpi);
  const before = pair.original === undefined ? undefined : await original.draw(pair.original, shared);
  const after = pair.compared === undefined ? undefined : await compared.draw(pair.compared, shared);
  const pictures = inOneSize(before, after, shared);
  const pixels = comparePixels(...pictures);
  const isAlone = before === undefined || after === undefined;
  const areas = pixels.areas.map((area) => inPoints(area, pictures[0].height, shared));
  const difference = isAlone ? 1 : rounded(pixels.difference);
  const isOfOneSize = before !== undefined && after !== undefined && areEqual(before.points, after.points);
  const heights = [before?.points.height ?? 0, after?.points.height ?? 0] as const;
  return { pair, pictures, heights, difference, areas, areasInPixels: pixels.areas, isOfOneSize };
}

const areEqual = (one: Size, other: Size): boolean =>
  Math.abs(one.width - other.width) < SIZE_TOLERANCE && Math.abs(one.height - other.height) < SIZE_TOLERANCE;
/** Difference of sizes in points up to which they count as equal. */
const SIZE_TOLERANCE = 0.1;

/** Returns the size that contains all pages: a wide and a high page together can be far larger than each of them. */
const largest = (sizes: readonly (Size | undefined)[]): Size => ({
  width: Math.max(...sizes.map((size) => size?.width ?? 0)),
  height: Math.max(...sizes.map((size) => size?.height ?? 0)),
});

function inOneSize(
  before: DrawnPage | undefined,
  after: DrawnPage | undefined,
  dpi: number,
): readonly [PagePixels, PagePixels] {
  const width = Math.max(before?.width ?? 0, after?.width ?? 0);
  const height = Math.max(before?.height ?? 0, after?.height ?? 0);
  const empty = { width: 0, height: 0, dpi, samples: new Uint8Array() };
  return [extended(before ?? empty, width, height), extended(after ?? empty, width, height)];
}

function inPoints([left, top, right, bottom]: Box, height: number, dpi: number): Box {
  const points = (pixels: number) => Math.round((pixels * 7200) / dpi) / 100;
  return [points(left), points(height - bottom), points(right), points(height - top)];
}

/** Rounds up a small fraction, so that only equal pages have no difference. */
const rounded = (fraction: number): number => Math.ceil(fraction * 1e6) / 1e6;

/** Converts a box from points above the lower edge of a page to pixels below its upper edge. */
export function inPixels([left, bottom, right, top]: Box, pageHeight: number, dpi: number): Box {
  const pixels = (points: number) => (points * dpi) / 72;
  return [pixels(left), pixels(pageHeight - top), pixels(right), pixels(pageHeight - bottom)];
}
