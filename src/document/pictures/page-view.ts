// Maps a region of a page to a view of pixels.

import type { Size, View } from "../engines/mupdf/page.ts";

/** A rectangle of pixels. */
export interface Region extends Size {
  readonly left: number;
  readonly top: number;
}

export type Rotation = 0 | 90 | 180 | 270;

/** An image of a region of a page. */
export interface PageImage {
  /** Size of the whole page in pixels; the region is given at this scale. */
  readonly full: Size;
  readonly region: Region;
  /** Size of the image before rotation. */
  readonly size: Size;
  /** Clockwise, in degrees. */
  readonly turn: Rotation;
  /** True to mirror the image horizontally before rotation. */
  readonly mirrored: boolean;
}

/** Maximum number of times that the scale of a tile is halved. */
const LAST_LEVEL = 16;

/**
 * Returns the view of a page image. Images at the same scale share a pixel grid, so that tiles meet without a seam,
 * provided that their regions start on whole pixels.
 * @param page size in points
 */
export function viewOf({ full, region, size, turn, mirrored }: PageImage, page: Size): View {
  const scale = scaleOf(region, size);
  const [x, y] = [(full.width / page.width) * scale.x, (full.height / page.height) * scale.y];
  const [left, top] = [region.left * scale.x, region.top * scale.y];
  if (turn === 0 && !mirrored) {
    const place = { left: Math.round(left), top: Math.round(top) };
    return { ...size, ...place, matrix: [x, 0, 0, y, place.left - left, place.top - top] };
  }
  const { width, height } = size;
  // Scale and offset within the image, mirrored on request.
  const [a, e] = mirrored ? [-x, width + left] : [x, -left];
  const [d, f] = [y, -top];
  const origin = { left: 0, top: 0 };
  switch (turn) {
    case 0:
      return { width, height, ...origin, matrix: [a, 0, 0, d, e, f] };
    case 90:
      return { width: height, height: width, ...origin, matrix: [0, a, -d, 0, height - f, e] };
    case 180:
      return { width, height, ...origin, matrix: [-a, 0, 0, -d, width - e, height - f] };
    case 270:
      return { width: height, height: width, ...origin, matrix: [0, -a, d, 0, f, width - e] };
  }
}

/** Returns the size of the whole page at the scale of the image. */
export function wholePageSize({ full, region, size }: PageImage): Size {
  const scale = scaleOf(region, size);
  return { width: Math.ceil(full.width * scale.x), height: Math.ceil(full.height * scale.y) };
}

/** Returns the size of a region, in pixels, after it is halved a number of times. Partially covered pixels count. */
export const halved = ({ width, height }: Size, times: number): Size => ({
  width: Math.ceil(width / 2 ** times),
  height: Math.ceil(height / 2 ** times),
});

/**
 * Returns the number of image pixels per pixel of the region. For tiles it is exactly 1, 1/2, 1/4 and so on, even for a
 * tile at the page's edge, whose size was rounded up.
 */
function scaleOf(region: Size, size: Size): { readonly x: number; readonly y: number } {
  for (let times = 0; times <= LAST_LEVEL; times++) {
    const { width, height } = halved(region, times);
    if (width === size.width && height === size.height) return { x: 2 ** -times, y: 2 ** -times };
  }
  return { x: size.width / region.width, y: size.height / region.height };
}
