// Renders the pages of a PDF as WebP or AVIF images, one output per page.

import { EngineFailure, OutOfRange } from "../../document/contract/failure.ts";
import { LIMITS } from "../../document/contract/limits.ts";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { CHANNELS, type ColorModel, type Raster } from "../../document/contract/raster.ts";
import {
  AVIF_MAX_SIDE,
  encodeAvif,
  encodeWebp,
  type Pixels,
  WEBP_MAX_SIDE,
} from "../../document/engines/codecs/encode.ts";
import { pixelsOf, type Size } from "../../document/engines/mupdf/page.ts";
import { drawPages, LOWEST_DPI } from "../draw-pages.ts";
import {
  drawWebImages as signature,
  WEB_MEDIA_TYPES,
  type WebFormat,
  type WebImageParams,
} from "../draw-web-images.ts";

const MAX_SIDE: Readonly<Record<WebFormat, number>> = { webp: WEBP_MAX_SIDE, avif: AVIF_MAX_SIDE };

/**
 * @throws EngineFailure the failure of the document or an engine
 * @throws OutOfRange `pages`, or `dpi` if a page would have too many pixels
 */
const run: Run<WebImageParams> = async function* ([input], params, context) {
  const { format } = params;
  const pages = drawPages(input!, params, context, { check: (page) => checkSize(page, params) });
  for await (const { raster, total } of pages) {
    yield { extension: format, type: WEB_MEDIA_TYPES[format], body: await encoded(raster, params), total };
  }
};

export const drawWebImages = defineOperation({
  ...signature,
  run,
  partition: (params: WebImageParams, share) => ({ ...params, share }),
});

function checkSize(page: Size, { format, dpi }: WebImageParams): void {
  const fits = ({ width, height }: Size) =>
    Math.max(width, height) <= MAX_SIDE[format] && width * height <= LIMITS.encodedPicturePixels;
  if (fits(pixelsOf(page, dpi))) return;
  if (fits(pixelsOf(page, LOWEST_DPI))) throw new OutOfRange("dpi", String(dpi));
  throw new EngineFailure("too-large", `a page of ${page.width} x ${page.height} points`);
}

async function encoded(
  raster: Raster,
  { format, quality, avifQuality, lossless }: WebImageParams,
): Promise<Uint8Array> {
  const pixels = rgbaOf(raster);
  return format === "webp" ? encodeWebp(pixels, lossless ? "lossless" : quality!) : encodeAvif(pixels, avifQuality!);
}

/** @param raster in gray, rgb or rgba */
function rgbaOf({ width, height, colorModel, bands }: Raster): Pixels {
  const rgba = new Uint8Array(width * height * CHANNELS.rgba).fill(255);
  for (const { top, samples } of bands()) spread(samples, colorModel, rgba.subarray(top * width * CHANNELS.rgba));
  return { width, height, rgba };
}

function spread(samples: Uint8Array, colorModel: ColorModel, rgba: Uint8Array): void {
  if (colorModel === "rgba") {
    rgba.set(samples);
    return;
  }
  const channels = CHANNELS[colorModel];
  const [green, blue] = channels === 1 ? [0, 0] : [1, 2];
  for (let from = 0, to = 0; from < samples.length; from += channels, to += CHANNELS.rgba) {
    rgba[to] = samples[from]!;
    rgba[to + 1] = samples[from + green]!;
    rgba[to + 2] = samples[from + blue]!;
  }
}
