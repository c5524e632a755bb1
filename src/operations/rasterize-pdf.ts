// Renders the pages of a PDF as image files, one output per page, or as one TIFF. Checks the limits of each format;
// encoders are in formats/.

import * as z from "zod";
import { EngineFailure, OutOfRange } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { defineOperation, type Output, type Run } from "../document/contract/operation.ts";
import { extra, onlyWith, type Params, parameter, schemaOf } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { integer } from "../document/contract/parameters/number.ts";
import { onOff } from "../document/contract/parameters/on-off.ts";
import { CHANNELS, type ColorModel, type Raster } from "../document/contract/raster.ts";
import { pixelsOf, type Size } from "../document/engines/mupdf/page.ts";
import { encodeBmp } from "../document/formats/bmp/write.ts";
import { encodeGif, GIF_MAX_SIDE } from "../document/formats/gif/write.ts";
import { encodeJpeg, JPEG_MAX_SIDE } from "../document/formats/jpeg/write.ts";
import { encodePng } from "../document/formats/png/write.ts";
import { encodeTiff } from "../document/formats/tiff/write.ts";
import { encodeTiffPages } from "../document/formats/tiff/writing/pages.ts";
import { DRAWING_PARAMETERS, type DrawnPage, drawPages, LOWEST_DPI, onePartition } from "./draw-pages.ts";

const DEFAULT_JPEG_QUALITY = 75;

export const jpegQuality = integer({ min: 1, max: 100 });

const parameters = {
  format: parameter("The format of the files.", choice(["bmp", "jpg", "png", "gif", "tif"])),
  ...DRAWING_PARAMETERS,
  jpegQuality: onlyWith(
    "format",
    "jpg",
    parameter("Higher gives better quality and larger files.", jpegQuality, `${DEFAULT_JPEG_QUALITY}`),
  ),
  multipage: onlyWith(
    "format",
    "tif",
    extra("Makes one file of all selected pages, instead of one file for each page.", onOff, "off"),
  ),
};
const paramsSchema = z.intersection(schemaOf(parameters), z.object({ share: onePartition.exactOptional() }));
export type RasterizeParams = z.infer<typeof paramsSchema>;
export type RasterFormat = Params<typeof parameters>["format"];

/** The color models that each format supports. */
export const COLOR_MODELS_OF: Readonly<Record<RasterFormat, readonly ColorModel[]>> = {
  png: ["rgb", "rgba", "gray"],
  jpg: ["rgb", "cmyk", "gray"],
  gif: ["rgb", "gray"],
  tif: ["rgb", "rgba", "cmyk", "lab", "gray"],
  bmp: ["rgb", "gray"],
};

const { imageSamples: MAX_SAMPLES, imageSidePixels: MAX_SIDE } = LIMITS;

export const MEDIA_TYPES: Readonly<Record<RasterFormat, string>> = {
  bmp: "image/bmp",
  jpg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  tif: "image/tiff",
};

/**
 * Yields one output per selected page, in order, or one output of all pages. A body is rendered while it is read, and
 * must be read before the next output is requested.
 * @throws EngineFailure the failure of the document or the engine
 * @throws OutOfRange `pages`, or `dpi` if a page would have more pixels than the format or {@link MAX_SAMPLES}
 * allows
 */
const run: Run<RasterizeParams> = async function* ([input], params, context) {
  const { multipage = false, format, jpegQuality } = params;
  const pages = drawPages(input!, params, context, {
    check: (page) => checkSize(page, params),
    checksFirst: multipage,
  });
  if (!multipage) {
    for await (const { raster, total } of pages) yield { ...encodedAs(raster, format, jpegQuality), total };
    return;
  }
  const first = await pages.next();
  if (first.done) return;
  if (first.value.total > LIMITS.tiffPages) {
    const why = `A TIFF has at most ${LIMITS.tiffPages} pages.`;
    throw new OutOfRange("pages", params.pages.text, why);
  }
  const { body, head } = encodeTiffPages(rastersOf(first.value, pages), first.value.total);
  yield { extension: format, type: MEDIA_TYPES[format], body, headerPatch: head };
};

async function* rastersOf(first: DrawnPage, others: AsyncIterable<DrawnPage>): AsyncGenerator<Raster> {
  yield first.raster;
  for await (const { raster } of others) yield raster;
}

export const rasterizePdf = defineOperation({
  name: "rasterize-pdf",
  parameters,
  params: paramsSchema,
  run,
  partition: (params, share) => (params.multipage ? undefined : { ...params, share }),
});

/**
 * Checks that an image of a page is within the limits of its format.
 * @param page its size in points
 * @throws OutOfRange `dpi`, EngineFailure `too-large` if no resolution is low enough
 */
export function checkSize(page: Size, { format, colorModel, dpi }: Pick<RasterizeParams, Sizing>): void {
  const { width, height } = pixelsOf(page, dpi);
  const side = { jpg: JPEG_MAX_SIDE, gif: GIF_MAX_SIDE, bmp: MAX_SIDE, png: MAX_SIDE, tif: MAX_SIDE }[format];
  if (Math.max(width, height) <= side && width * height * CHANNELS[colorModel] <= MAX_SAMPLES) return;
  const atLowest = pixelsOf(page, LOWEST_DPI);
  const helps =
    Math.max(atLowest.width, atLowest.height) <= side && atLowest.width * atLowest.height <= MAX_SAMPLES / 4;
  if (helps) throw new OutOfRange("dpi", String(dpi));
  throw new EngineFailure("too-large", `a page of ${page.width} x ${page.height} points`);
}
type Sizing = "format" | "colorModel" | "dpi";

/** Returns the image as a file, which is encoded while its body is read. */
export function encodedAs(raster: Raster, format: RasterFormat, jpegQuality = DEFAULT_JPEG_QUALITY): Output {
  return { extension: format, type: MEDIA_TYPES[format], ...encode(raster, format, jpegQuality) };
}

function encode(raster: Raster, format: RasterFormat, quality: number): Pick<Output, "body" | "headerPatch"> {
  switch (format) {
    case "bmp":
      return { body: encodeBmp(raster) };
    case "gif":
      return { body: encodeGif(raster) };
    case "jpg":
      return { body: encodeJpeg(raster, { quality }) };
    case "png":
      return { body: encodePng(raster) };
    case "tif": {
      const { body, head } = encodeTiff(raster);
      return { body, headerPatch: head };
    }
  }
}
