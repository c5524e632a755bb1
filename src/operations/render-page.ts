// Renders a region of one page of a PDF as an image of any size.

import * as z from "zod";
import { OutOfRange } from "../document/contract/failure.ts";
import { defineOperation, type Output, type Run } from "../document/contract/operation.ts";
import { type Band, COLOR_MODELS, type Raster } from "../document/contract/raster.ts";
import { asDrawn } from "../document/drawing/as-drawn.ts";
import { DRAWN_BYTES } from "../document/engines/mupdf/canvas.ts";
import { MupdfDocument } from "../document/engines/mupdf/document.ts";
import type { Mupdf, MupdfOptions } from "../document/engines/mupdf/instance/mupdf.ts";
import { acquireMupdf, prepareSpare } from "../document/engines/mupdf/instance/spare.ts";
import { MupdfPage } from "../document/engines/mupdf/page.ts";
import { resolveHybridReferences } from "../document/objects/parsing/hybrid.ts";
import { highlighted } from "../document/pictures/highlights.ts";
import { bandRows, isScanned, PageStrips } from "../document/pictures/page-strips.ts";
import { type PageImage, viewOf, wholePageSize } from "../document/pictures/page-view.ts";
import { encodedAs } from "./rasterize-pdf.ts";

const pixels = z.int().min(1);
const sizeSchema = { width: pixels, height: pixels };

const paramsSchema = z.object({
  /** Page number, from 1. */
  page: z.int().min(1),
  picture: z.object({
    full: z.object(sizeSchema),
    region: z.object({ left: z.int().min(0), top: z.int().min(0), ...sizeSchema }),
    size: z.object(sizeSchema),
    turn: z.literal([0, 90, 180, 270]),
    mirrored: z.boolean(),
  }) satisfies z.ZodType<PageImage>,
  format: z.enum(["jpg", "png", "gif", "tif"]),
  colorModel: z.enum(COLOR_MODELS),
  /** True for black and white only; the color model is then gray. */
  bitonal: z.boolean(),
  /** Parts of the whole page to mark: left, top, right and bottom, from 0 to 1. The page is not turned. @default none */
  highlights: z.array(z.tuple([z.number(), z.number(), z.number(), z.number()])).exactOptional(),
  /** The resolution stated in the file. */
  dpi: z.number().positive(),
  jpegQuality: z.int().min(1).max(100),
});
export type RenderPageParams = z.infer<typeof paramsSchema>;

/** Minimum sample that is white in a bilevel image. */
const WHITE_FROM = 128;

export type PageLimits = Pick<MupdfOptions, "heapLimitBytes">;

/** Returns an engine for pages of one document. */
export const engineForPages = (limits: PageLimits): Promise<Mupdf> => acquireMupdf(optionsFor(limits));

/** Selects the heap limit, because callers can pass a whole context. */
const optionsFor = ({ heapLimitBytes }: PageLimits): MupdfOptions => ({ heapLimitBytes, withoutStructure: true });

/** Number of pages opened by this process. */
let opened = 0;

/** A page that is open in an engine. Its cached objects speed up the next image. */
export class OpenPage implements Disposable {
  readonly #document: MupdfDocument;
  readonly #page: MupdfPage;
  readonly #isScanned: boolean;
  readonly #strips: PageStrips;
  readonly #key = String(opened++);

  private constructor(document: MupdfDocument, page: MupdfPage, strips: PageStrips) {
    this.#document = document;
    this.#page = page;
    this.#isScanned = isScanned(document.bytes);
    this.#strips = strips;
  }

  /**
   * @param number page number, from 1
   * @param engine must have read only pages of the same document; the caller must close it if this call fails
   * @param strips shared by all pages of the engine
   * @throws OutOfRange `pages` if the page does not exist; EngineFailure the failure of the document
   */
  static open(engine: Mupdf, bytes: Uint8Array, number: number, limits: PageLimits, strips: PageStrips): OpenPage {
    const document = MupdfDocument.open(engine, resolveHybridReferences(bytes), asDrawn(optionsFor(limits)));
    if (number > document.pageCount) throw new OutOfRange("pages", String(number));
    return new OpenPage(document, new MupdfPage(document, number - 1), strips);
  }

  /** Returns the image, which is rendered while its body is read. The page must stay open until then. */
  draw(params: RenderPageParams, signal?: AbortSignal): Output {
    const { format, jpegQuality, bitonal, highlights = [] } = params;
    const drawn = this.#raster(params, signal);
    const raster = highlights.length > 0 ? highlighted(drawn, highlights) : drawn;
    return encodedAs(bitonal ? blackAndWhite(raster) : raster, format, jpegQuality);
  }

  #raster({ picture, colorModel, dpi }: RenderPageParams, signal?: AbortSignal): Raster {
    const page = this.#page;
    const view = viewOf(picture, page);
    const whole = wholePageSize(picture);
    const cut = { page, pageKey: this.#key, whole, view, colorModel, dpi };
    if (this.#isScanned && this.#strips.canCut(cut)) return this.#strips.cut(cut);
    // A whole page uses the same bands as the strips, so that its pixels equal the pixels of its tiles.
    const bandBytes = bandRows(whole.width) * view.width * DRAWN_BYTES[colorModel];
    const isBanded = view.width === whole.width;
    return page.raster({ colorModel, dpi, view, ...(isBanded && { bandBytes }), ...(signal && { signal }) });
  }

  /** Closes the page. The engine can then open another page. */
  [Symbol.dispose](): void {
    this.#strips.forget(this.#key);
    this.#page.close();
    this.#document.leave();
  }
}

const run: Run<RenderPageParams> = async function* ([input], params, context) {
  const bytes = await input!.bytes();
  const engine = await engineForPages(context);
  try {
    using page = OpenPage.open(engine, bytes, params.page, context, new PageStrips(0));
    yield page.draw(params, context.signal);
    context.log("page drawn", { heapBytes: engine.heapBytes });
  } finally {
    engine.close();
  }
  context.defer(() => prepareSpare({ heapLimitBytes: context.heapLimitBytes, withoutStructure: true }));
};

export const renderPage = defineOperation({ name: "draw-page", params: paramsSchema, run });

/** @param raster in gray */
function blackAndWhite(raster: Raster): Raster {
  return {
    ...raster,
    *bands(order) {
      for (const band of raster.bands(order)) yield threshold(band);
    },
  };
}

function threshold(band: Band): Band {
  const { samples } = band;
  for (let at = 0; at < samples.length; at++) samples[at] = samples[at]! < WHITE_FROM ? 0 : 255;
  return band;
}
