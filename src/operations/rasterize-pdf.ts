// Renders the pages of a PDF as image files, one output per page. Checks the limits of each format; encoders are in
// formats/.

import * as z from "zod";
import { EngineFailure, OutOfRange } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { defineOperation, type Output, type Run } from "../document/contract/operation.ts";
import { resolvePages } from "../document/contract/pages.ts";
import { onlyWith, type Params, parameter, schemaOf } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { integer } from "../document/contract/parameters/number.ts";
import { pages } from "../document/contract/parameters/pages.ts";
import { CHANNELS, COLOR_MODELS, type ColorModel, type Raster } from "../document/contract/raster.ts";
import { asDrawn } from "../document/drawing/as-drawn.ts";
import { MupdfDocument } from "../document/engines/mupdf/document.ts";
import { acquireMupdf, prepareSpare } from "../document/engines/mupdf/instance/spare.ts";
import { MupdfPage, pixelsOf, type Size } from "../document/engines/mupdf/page.ts";
import { encodeBmp } from "../document/formats/bmp/write.ts";
import { encodeGif, GIF_MAX_SIDE } from "../document/formats/gif/write.ts";
import { encodeJpeg, JPEG_MAX_SIDE } from "../document/formats/jpeg/write.ts";
import { encodePng } from "../document/formats/png/write.ts";
import { encodeTiff } from "../document/formats/tiff/write.ts";
import { resolveHybridReferences } from "../document/objects/parsing/hybrid.ts";

/** If even this resolution produces too many pixels, no resolution is low enough. */
const LOWEST_DPI = 12;
const DEFAULT_JPEG_QUALITY = 75;

export const resolution = integer({ min: LOWEST_DPI, max: 2400 });
export const jpegQuality = integer({ min: 1, max: 100 });

const parameters = {
  format: parameter("The format of the files.", choice(["bmp", "jpg", "png", "gif", "tif"])),
  pages: parameter("The pages to convert, in this order.", pages, "1-last"),
  dpi: parameter("Dots per inch.", resolution, "300"),
  colorModel: parameter("The color model of the files.", choice(COLOR_MODELS), "rgb"),
  jpegQuality: onlyWith(
    "format",
    "jpg",
    parameter("Higher gives better quality and larger files.", jpegQuality, `${DEFAULT_JPEG_QUALITY}`),
  ),
};
const paramsSchema = z.intersection(
  schemaOf(parameters),
  z.object({
    /** Renders only a partition of the pages. @default all pages */
    share: z.object({ share: z.int().min(0), shares: z.int().min(1) }).exactOptional(),
  }),
);
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
/** Heap size above which the next page gets a new engine, because a heap never shrinks. */
export const HEAP_MARK_BYTES = 48 * 1024 * 1024;

export const MEDIA_TYPES: Readonly<Record<RasterFormat, string>> = {
  bmp: "image/bmp",
  jpg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  tif: "image/tiff",
};

/**
 * Yields one output per selected page, in order. A body is rendered while it is read, and must be read before the next
 * output is requested.
 * @throws EngineFailure the failure of the document or the engine
 * @throws OutOfRange `pages`, or `dpi` if a page would have more pixels than the format or {@link MAX_SAMPLES}
 * allows
 */
const run: Run<RasterizeParams> = async function* (inputs, params, context) {
  const limits = { heapLimitBytes: context.heapLimitBytes, withoutStructure: true };
  for (const input of inputs) {
    const [bytes, engine] = await Promise.all([input.bytes(), acquireMupdf(limits)]);
    const document = MupdfDocument.open(engine, resolveHybridReferences(bytes), asDrawn(limits));
    let heapBytes = 0;
    let pages = 0;
    try {
      const pageNumbers = resolvePages(params.pages, document.pageCount);
      const { share, shares } = params.share ?? { share: 0, shares: 1 };
      for (let index = share; index < pageNumbers.length; index += shares) {
        context.signal.throwIfAborted();
        const page = new MupdfPage(document, pageNumbers[index]! - 1);
        try {
          checkSize(page, params);
          const raster = page.raster({ ...params, signal: context.signal });
          yield { ...encodedAs(raster, params.format, params.jpegQuality), total: pageNumbers.length };
        } finally {
          page.close();
        }
        pages++;
        heapBytes = Math.max(heapBytes, document.engine.heapBytes);
        if (document.engine.heapBytes > HEAP_MARK_BYTES) await document.reopen();
      }
    } finally {
      const reported = document.messageCount > 0 ? { reported: document.messageCount, first: document.messages } : {};
      context.log("document rasterized", { pages, heapBytes, ...reported });
      document.close();
      context.defer(() => prepareSpare(limits));
    }
  }
};

export const rasterizePdf = defineOperation({
  name: "rasterize-pdf",
  parameters,
  params: paramsSchema,
  run,
  partition: (params, share) => ({ ...params, share }),
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
