// Computes the tiles and image sizes that info.json recommends to viewers (IIIF Image API 3.0, sections 5.3 and 5.4).

import { LIMITS } from "../../document/contract/limits.ts";
import type { Size } from "../../document/engines/mupdf/page.ts";
import { halved } from "../../document/pictures/page-view.ts";

/** Side of a tile, in pixels. */
export const TILE_SIDE = 512;

/** Returns the scale factors of tiles: 1, 2, 4, … up to the factor at which the whole page fits into one tile. */
export function scaleFactors({ width, height }: Size): readonly number[] {
  const levels = Math.max(0, Math.ceil(Math.log2(Math.max(width, height) / TILE_SIDE)));
  return Array.from({ length: levels + 1 }, (_, level) => 2 ** level);
}

/**
 * Returns the sizes of the whole page at these scale factors, smallest first. Omits sizes above the limits of page
 * images.
 */
export function wholeSizes(full: Size): readonly Size[] {
  return scaleFactors(full)
    .map((_, level) => halved(full, level))
    .filter(({ width, height }) => {
      return Math.max(width, height) <= LIMITS.pageImageSidePixels && width * height <= LIMITS.pageImagePixels;
    })
    .reverse();
}
