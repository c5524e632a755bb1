// Draws the selected pages of a PDF one after the other, for operations that encode them as images.

import * as z from "zod";
import type { Context, Input } from "../document/contract/operation.ts";
import { resolvePages } from "../document/contract/pages.ts";
import { extra, type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { length } from "../document/contract/parameters/length.ts";
import { integer } from "../document/contract/parameters/number.ts";
import { onOff } from "../document/contract/parameters/on-off.ts";
import { pages } from "../document/contract/parameters/pages.ts";
import { words } from "../document/contract/parameters/text.ts";
import { COLOR_MODELS, type Raster } from "../document/contract/raster.ts";
import { asDrawn } from "../document/drawing/as-drawn.ts";
import { MupdfDocument } from "../document/engines/mupdf/document.ts";
import { acquireMupdf, prepareSpare } from "../document/engines/mupdf/instance/spare.ts";
import { MupdfPage, type Size } from "../document/engines/mupdf/page.ts";
import type { Smoothing } from "../document/engines/mupdf/smoothing.ts";
import { resolveHybridReferences } from "../document/objects/parsing/hybrid.ts";
import { trimmed } from "../document/pictures/trimmed.ts";

/** If even this resolution produces too many pixels, no resolution is low enough. */
export const LOWEST_DPI = 12;
/** Heap size above which the next page gets a new engine, because a heap never shrinks. */
export const HEAP_MARK_BYTES = 48 * 1024 * 1024;

export const resolution = integer({ min: LOWEST_DPI, max: 2400 });

export const DRAWING_PARAMETERS = {
  pages: parameter("The pages to convert, in this order.", pages, "1-last"),
  dpi: parameter("Dots per inch.", resolution, "300"),
  colorModel: parameter("The color model of the files.", choice(COLOR_MODELS), "rgb"),
  smoothing: extra(
    "What is smoothed: text, line, image, or several of them, separated by commas; or all, or none.",
    words(["none", "all", "text", "line", "image"]),
    "all",
  ),
  trim: extra("Cuts off the white margins of each page.", onOff, "off"),
  trimMargin: extra("The margin that trim keeps around the content, in inches or millimeters.", length, "0in"),
};
export type DrawingParams = Params<typeof DRAWING_PARAMETERS>;

/** One partition of the pages. @default all pages */
export const onePartition = z.object({ share: z.int().min(0), shares: z.int().min(1) });

export interface DrawnPage {
  readonly raster: Raster;
  /** Number of selected pages. */
  readonly total: number;
}

interface Checks {
  /** Throws for a page whose size, in points, no file can have. */
  check(page: Size): void;
  /** True to check all pages before the first is drawn. @default each page is checked when its turn comes */
  readonly checksFirst?: boolean;
}

/**
 * Yields the selected pages, in order. A raster is readable until the next page is requested.
 * @throws EngineFailure the failure of the document or the engine
 * @throws OutOfRange `pages`
 */
export async function* drawPages(
  input: Input,
  params: DrawingParams & { readonly share?: z.infer<typeof onePartition> },
  context: Context,
  { check, checksFirst = false }: Checks,
): AsyncGenerator<DrawnPage, undefined> {
  const limits = { heapLimitBytes: context.heapLimitBytes, withoutStructure: true };
  const [bytes, engine] = await Promise.all([input.bytes(), acquireMupdf(limits)]);
  const document = MupdfDocument.open(engine, resolveHybridReferences(bytes), asDrawn(limits));
  let heapBytes = 0;
  let drawn = 0;
  try {
    const numbers = resolvePages(params.pages, document.pageCount);
    const { share, shares } = params.share ?? { share: 0, shares: 1 };
    const own = numbers.filter((_, index) => index % shares === share);
    if (checksFirst) {
      for (const number of new Set(own)) {
        using page = new MupdfPage(document, number - 1);
        check(page);
      }
    }
    for (const number of own) {
      context.signal.throwIfAborted();
      using page = new MupdfPage(document, number - 1);
      check(page);
      yield { raster: rasterOf(page, params, context.signal), total: numbers.length };
      drawn++;
      heapBytes = Math.max(heapBytes, document.engine.heapBytes);
      if (document.engine.heapBytes > HEAP_MARK_BYTES) await document.reopen();
    }
  } finally {
    const reported = document.messageCount > 0 ? { reported: document.messageCount } : {};
    context.log("document rasterized", { pages: drawn, heapBytes, ...reported });
    document.close();
    context.defer(() => prepareSpare(limits));
  }
}

function rasterOf(page: MupdfPage, params: DrawingParams, signal: AbortSignal): Raster {
  const { colorModel, dpi, smoothing, trim = false, trimMargin } = params;
  const options = { colorModel, dpi, signal, smoothing: smoothing && smoothingOf(smoothing) };
  return trim ? trimmed(page, options, trimMargin?.points ?? 0) : page.raster(options);
}

function smoothingOf(chosen: NonNullable<DrawingParams["smoothing"]>): Smoothing | undefined {
  if (chosen.includes("all")) return undefined;
  return { text: chosen.includes("text"), lines: chosen.includes("line"), images: chosen.includes("image") };
}
