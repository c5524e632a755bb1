// Replaces the contents of all pages of a PDF by images. Yields one output, whose pages are drawn while it is read.
import { type Matrix, multiply } from "../document/content/matrix.ts";
import {
  type Chunks,
  type Context,
  defineOperation,
  type Run,
  yieldBetweenPages,
} from "../document/contract/operation.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { type Raster, samplesOf } from "../document/contract/raster.ts";
import { asDrawn } from "../document/drawing/as-drawn.ts";
import { MupdfDocument } from "../document/engines/mupdf/document.ts";
import { acquireMupdf, prepareSpare } from "../document/engines/mupdf/instance/spare.ts";
import { MupdfPage } from "../document/engines/mupdf/page.ts";
import { Budget } from "../document/objects/budget.ts";
import { resolveHybridReferences } from "../document/objects/parsing/hybrid.ts";
import { PdfFile } from "../document/objects/pdf-file.ts";
import { serializeNumber } from "../document/objects/serialize.ts";
import { Dictionary, PdfStream, plainBody, type Reference } from "../document/objects/values.ts";
import { FileWriter } from "../document/objects/writer.ts";
import { openPdf, pdfOutput } from "../document/pages/open-pdf.ts";
import { displayedSize, shownSpace } from "../document/pages/page-size.ts";
import { copyShell } from "../document/pages/shell.ts";
import { type Coding, imageData, RasterImages } from "../document/pictures/raster-image.ts";
import { HEAP_MARK_BYTES, resolution } from "./draw-pages.ts";
import { checkSize, jpegQuality } from "./rasterize-pdf.ts";

const parameters = {
  dpi: parameter("Dots per inch.", resolution, "300"),
  colorModel: parameter("The color model of the images.", choice(["rgb", "gray", "cmyk"]), "rgb"),
  jpegQuality: parameter("Quality of photographs; other pages are stored without losses.", jpegQuality, "90"),
};
export type RasterizedParams = Params<typeof parameters>;

/** Fraction of the memory for the document; the rest is for what remains of it. */
const SOURCE_PART = 0.5;
/**
 * Gap in points between each edge of the page and the image. Without it, some viewers enlarge an image by one pixel,
 * because the image reaches the edge of a pixel. The gap is invisible.
 */
const INSET = 0.0001;
/** A page is drawn and coded at this fraction of the resolution first, to find colors and to choose its coding. */
const TRIAL_SCALE = 1 / 4;
/** Limits the memory of the trial. A large page is tried at a lower resolution. */
const MAX_TRIAL_PIXELS = 2 ** 20;
/**
 * Lossless data of a trial that are larger than JPEG data by up to this factor are smaller at the full resolution: edges
 * of text and lines cost JPEG as much at any resolution, and areas without edges cost lossless data little.
 */
const TRIAL_FACTOR = 1.5;

/**
 * @throws EngineFailure the failure of the document or the engine
 * @throws OutOfRange `dpi`, before the output
 */
const run: Run<RasterizedParams> = async function* ([input], params, context) {
  const bytes = await input!.bytes();
  const { notices, ...shell } = await shellOf(bytes, params, context);
  yield pdfOutput(writePages({ ...shell, bytes }, params, context), notices);
};

export const pdfToRasterized = defineOperation({ name: "pdf-to-rasterized", parameters, run });

/** Returns the document without the contents of its pages, after checking that each page can be drawn. */
async function shellOf(bytes: Uint8Array, params: RasterizedParams, context: Context) {
  using pdf = await openPdf(bytes, context, { objectShare: SOURCE_PART });
  const file = PdfFile.create(new Budget(pdf.memory.objectBytes - pdf.budget.limitBytes));
  const { pages, notices } = copyShell(pdf.file, file);
  for (const page of pages) checkSize(displayedSize(file, page), { ...params, format: "jpg" });
  return { file, pages, version: pdf.file.version, notices: [...pdf.notices, ...notices] };
}

interface Drawing {
  readonly file: PdfFile;
  readonly version: string;
  readonly pages: readonly Dictionary[];
  /** The document from which pages are drawn. */
  readonly bytes: Uint8Array;
}

async function* writePages(
  { file, version, pages, bytes }: Drawing,
  params: RasterizedParams,
  context: Context,
): AsyncGenerator<Uint8Array> {
  const limits = { heapLimitBytes: context.heapLimitBytes, withoutStructure: true };
  const writer = new FileWriter(version, "kept");
  const document = MupdfDocument.open(await acquireMupdf(limits), resolveHybridReferences(bytes), asDrawn(limits));
  try {
    const images = new RasterImages(file);
    for (const [index, page] of pages.entries()) {
      await yieldBetweenPages({ index }, context.signal);
      const drawn = new MupdfPage(document, index);
      try {
        const { raster, coding } = await imageOf(drawn, params, context.signal);
        const image = file.reserve();
        showImage(file, page, image);
        yield* writer.writeChunks(file, image, images.dictionary(raster, coding), imageData(raster, coding));
      } finally {
        drawn.close();
      }
      if (document.engine.heapBytes > HEAP_MARK_BYTES) await document.reopen();
    }
  } finally {
    context.log("document rasterized", { pages: pages.length, heapBytes: document.engine.heapBytes });
    document.close();
    context.defer(() => prepareSpare(limits));
  }
  yield* writer.finish(file);
}

/** Fills a page with an image. */
function showImage(file: PdfFile, page: Dictionary, image: Reference): void {
  const { width, height } = displayedSize(file, page);
  const inset: Matrix = [width - 2 * INSET, 0, 0, height - 2 * INSET, INSET, INSET];
  const place = multiply(inset, shownSpace(file, page)).map(serializeNumber).join(" ");
  const content = plainBody(Buffer.from(`${place} cm /Image Do`, "latin1"));
  page.set("Resources", Dictionary.of({ XObject: Dictionary.of({ Image: image }) }));
  page.set("Contents", file.add(new PdfStream(new Dictionary(), content)));
}

/** Returns the image of a page, in gray if the page has no colors, and the coding that makes it smaller. */
async function imageOf(page: MupdfPage, params: RasterizedParams, signal: AbortSignal) {
  const { dpi, colorModel, jpegQuality } = params;
  const trial = inMemory(page.raster({ colorModel, dpi: trialDpi(page, dpi), signal }));
  const sizes = [await sizeOf(imageData(trial, "lossless")), await sizeOf(imageData(trial, jpegQuality))] as const;
  const coding: Coding = sizes[0] <= sizes[1] * TRIAL_FACTOR ? "lossless" : jpegQuality;
  const model = isColorless(trial) ? "gray" : colorModel;
  return { raster: page.raster({ dpi, colorModel: model, signal }), coding };
}

function trialDpi(page: MupdfPage, dpi: number): number {
  const { width, height } = page.pixels(dpi);
  return dpi * Math.min(TRIAL_SCALE, Math.sqrt(MAX_TRIAL_PIXELS / (width * height)));
}

function inMemory(raster: Raster): Raster {
  const samples = samplesOf(raster);
  return { ...raster, bands: () => [{ top: 0, rows: raster.height, samples: samples.slice() }] };
}

function isColorless({ bands, colorModel }: Raster): boolean {
  if (colorModel !== "rgb") return false;
  for (const { samples } of bands()) {
    for (let at = 0; at < samples.length; at += 3) {
      if (samples[at] !== samples[at + 1] || samples[at] !== samples[at + 2]) return false;
    }
  }
  return true;
}

async function sizeOf(data: Chunks): Promise<number> {
  let size = 0;
  for await (const chunk of data) size += chunk.length;
  return size;
}
