// Generates the image information of a page (info.json, IIIF Image API 3.0, section 5).

import { LIMITS } from "../../../document/contract/limits.ts";
import type { Size } from "../../../document/engines/mupdf/page.ts";
import { scaleFactors, TILE_SIDE, wholeSizes } from "../deep-zoom.ts";
import { fullSize } from "../image-request.ts";

export const CONTEXT = "http://iiif.io/api/image/3/context.json";
export const PROFILE = "http://iiif.io/api/image/3/level2.json";

/**
 * @param uri URI of the image
 * @param page size in points
 */
export function imageInformation(uri: string, page: Size): object {
  const full = fullSize(page);
  return {
    "@context": CONTEXT,
    id: uri,
    type: "ImageService3",
    protocol: "http://iiif.io/api/image",
    profile: "level2",
    ...full,
    maxWidth: LIMITS.pageImageSidePixels,
    maxHeight: LIMITS.pageImageSidePixels,
    maxArea: LIMITS.pageImagePixels,
    sizes: wholeSizes(full).map(({ width, height }) => ({ type: "Size", width, height })),
    tiles: [{ type: "Tile", width: TILE_SIDE, height: TILE_SIDE, scaleFactors: scaleFactors(full) }],
    extraFormats: ["gif", "tif"],
    extraQualities: ["color", "gray", "bitonal"],
    extraFeatures: ["canonicalLinkHeader", "mirroring", "profileLinkHeader", "sizeUpscaling"],
  };
}
