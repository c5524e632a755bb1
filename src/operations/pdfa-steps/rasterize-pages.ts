// Replaces some or all pages of a PDF by images, with invisible text for searching.

import * as z from "zod";
import { memoryBody } from "../../document/compression/recode-stream.ts";
import { IDENTITY, inverse, type Matrix, multiply } from "../../document/content/matrix.ts";
import { EngineFailure } from "../../document/contract/failure.ts";
import { LIMITS } from "../../document/contract/limits.ts";
import { type NoticeSubject, namedNotices } from "../../document/contract/notice.ts";
import { type Context, defineOperation, type Run } from "../../document/contract/operation.ts";
import type { ColorModel } from "../../document/contract/raster.ts";
import { asDrawn } from "../../document/drawing/as-drawn.ts";
import { MupdfDocument } from "../../document/engines/mupdf/document.ts";
import { Mupdf } from "../../document/engines/mupdf/instance/mupdf.ts";
import { MupdfPage } from "../../document/engines/mupdf/page.ts";
import { encodeJpeg } from "../../document/formats/jpeg/write.ts";
import {
  finerPixels,
  type Piece,
  piecesOf,
  pixelsOf,
  smallPageFactor,
} from "../../document/images/drawn-resolution.ts";
import { placedImages } from "../../document/images/placed-images.ts";
import { PdfFile } from "../../document/objects/pdf-file.ts";
import { serializeNumber } from "../../document/objects/serialize.ts";
import { Dictionary, Name, PdfStream, Reference, type Value } from "../../document/objects/values.ts";
import { writeFile } from "../../document/objects/writer.ts";
import { openPdf, pdfOutput } from "../../document/pages/open-pdf.ts";
import { putPageTree } from "../../document/pages/page-tree.ts";
import { pageDictionary, readPages, type SourcePage } from "../../document/pages/pages.ts";
import { removeFields } from "../../document/pages/parts/forms/remove-fields.ts";
import { type DisplaySpace, displaySpace } from "../../document/pdfa/colors/display-space.ts";
import { usesCmyk } from "../../document/pdfa/colors/page-colors.ts";
import { InvisibleFont, invisibleText } from "../../document/pdfa/content/text/invisible-text.ts";
import { fontsForDrawing } from "../../document/pdfa/fonts/face-choice.ts";
import { withoutTags } from "./replace-contents.ts";

const paramsSchema = z.object({
  /** Page numbers, from 1. @default all pages; the result then contains nothing else of the document */
  pages: z.union([z.array(z.int().min(1)).readonly(), z.literal("all")]).exactOptional(),
  /** True to draw all pages in RGB or gray; false to draw pages with inks in CMYK. */
  inRgb: z.boolean(),
  /**
   * True to draw annotations, except links, into the image. @default annotations stay, if parts of the document other
   * than its pages stay
   */
  flatAnnotations: z.boolean().exactOptional(),
});
export type RasterizePagesParams = z.infer<typeof paramsSchema>;

const POINTS_PER_INCH = 72;
const DPI = 300;
/** Fraction of a pixel that counts as a rounding error. */
const ROUNDING = 0.01;
/** Maximum page side in PDF/A (ISO 19005-2, 6.1.13), in units. Larger pages are reduced. */
const MAX_PAGE = 14_400;
const BOXES = ["CropBox", "BleedBox", "TrimBox", "ArtBox"];
const MAX_SIDE = 30_000;
const JPEG_QUALITY = 90;
/** Resolution at which a page of usual size is checked for colors. */
const COARSE_DPI = 36;
/** Maximum difference between channels caused by rounding. */
const GRAY_TOLERANCE = 3;
/** Maximum size of all images, which are in memory until the file is written. */
const MAX_PICTURE_BYTES = 512 * 2 ** 20;
/** Size of a band. An image that exceeds the engine's cache is decoded once per band. */
const BAND_BYTES = 32 * 2 ** 20;
const HEAP_MARK_BYTES = 192 * 2 ** 20;

/**
 * Yields one PDF.
 * @param inputs the PDF whose pages are replaced, then optionally another PDF to draw the pages from
 * @throws EngineFailure the failure of a document or the engine
 */
const run: Run<RasterizePagesParams> = async function* ([input, look = input], params, context) {
  using pdf = await openPdf(await input!.bytes(), context, { engineShare: 0.5 });
  const { file: source, budget, memory } = pdf;
  const isFlat = !params.pages || params.flatAnnotations === true;
  // Draws pages as on screen, because the result always prints what it shows (ISO 19005-2, 6.3.2).
  const options = {
    heapLimitBytes: Math.floor(memory.engineBytes / 2),
    annotations: isFlat ? "on-screen" : "none",
    fonts: fontsForDrawing(context.fonts),
  } as const;
  const drawn = MupdfDocument.open(await Mupdf.create(options), await look!.bytes(), asDrawn(options));
  try {
    const notices = [...pdf.notices, ...withoutTags(source)];
    const { pages } = readPages(source);
    const pictured: NoticeSubject[] = [];
    const target = params.pages ? source : PdfFile.create(budget);
    const font = new InvisibleFont(target);
    const kids: Reference[] = [];
    const made = {
      target,
      font,
      inRgb: params.inRgb,
      isFlat,
      bytes: { left: MAX_PICTURE_BYTES },
      finerLeft: LIMITS.picturedDocumentPixels,
    };
    const all = pages.map((_, index) => index + 1);
    const wantedPages = params.pages === "all" ? all : (params.pages?.toSorted((one, other) => one - other) ?? all);
    for (const pageNumber of wantedPages) {
      const page = pages[pageNumber - 1];
      if (!page) continue;
      context.signal.throwIfAborted();
      if (drawn.engine.dead || drawn.engine.heapBytes > HEAP_MARK_BYTES) await drawn.reopen();
      pictured.push({ name: String(pageNumber) });
      const dictionary = await rasterizePage(source, page, drawn, made, context);
      if (params.pages) source.put(page.reference, dictionary.set("Parent", parentOf(source, page)));
      else kids.push(target.add(dictionary));
    }
    font.finish();
    if (!params.pages) target.catalog.set("Pages", putPageTree(target, kids));
    notices.push(...namedNotices("pages-pictured", pictured));
    yield pdfOutput(writeFile(target), notices);
  } finally {
    drawn.close();
  }
};

export const rasterizePages = defineOperation({ name: "picture-pages", params: paramsSchema, run });

/** Page entries that are kept, because they do not depend on the content. */
const KEPT = [
  "Type",
  "MediaBox",
  "CropBox",
  "BleedBox",
  "TrimBox",
  "ArtBox",
  "Rotate",
  "UserUnit",
  "LastModified",
  "Dur",
  "Tabs",
];

interface Made {
  readonly target: PdfFile;
  readonly font: InvisibleFont;
  readonly inRgb: boolean;
  /** True if annotations become part of the image. */
  readonly isFlat: boolean;
  readonly bytes: { left: number };
  /** Remaining number of pixels that pages can have in excess of the default resolution. */
  finerLeft: number;
}

async function rasterizePage(
  source: PdfFile,
  page: SourcePage,
  drawn: MupdfDocument,
  made: Made,
  context: Context,
): Promise<Dictionary> {
  const { target } = made;
  const before = pageDictionary(source, page);
  const space = displaySpace(source, before);
  const after = new Dictionary().set("Type", Name.of("Page"));
  for (const key of KEPT) after.set(key, plain(source, before.get(key)));
  const longest = Math.max(space.width, space.height);
  const fit = MAX_PAGE / longest;
  if (fit < 1) {
    for (const key of [...BOXES, "Rotate"]) after.delete(key);
    after.set("MediaBox", [0, 0, space.width * fit, space.height * fit].map(Math.floor));
  }
  const matrix: Matrix = fit < 1 ? [fit / space.unit, 0, 0, fit / space.unit, 0, 0] : space.matrix;
  const subject = { source, page: before, index: page.index, space, matrix };
  const drawing = await drawnFinely(drawn, subject, made, context);
  after.set("Resources", drawing.resources);
  after.set(
    "Contents",
    target.add(new PdfStream(new Dictionary(), memoryBody(Buffer.from(drawing.content, "latin1")))),
  );
  if (!made.isFlat) keepAnnotations(before, after);
  else if (target === source) keepLinks(source, before, after);
  return after;
}

interface Subject {
  readonly source: PdfFile;
  readonly page: Dictionary;
  readonly index: number;
  readonly space: DisplaySpace;
  /** Maps the displayed page to the user space of the new page. */
  readonly matrix: Matrix;
}

interface Drawing {
  readonly content: string;
  readonly resources: Dictionary;
}

/** Draws at the resolution of the images if possible, otherwise at the default resolution. */
async function drawnFinely(drawn: MupdfDocument, subject: Subject, made: Made, context: Context): Promise<Drawing> {
  try {
    return drawingOf(drawn, subject, made, context);
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    context.log("page not drawn finely", { pageNumber: subject.index + 1, error: String(error) });
  }
  if (drawn.engine.dead) await drawn.reopen();
  try {
    return drawingOf(drawn, subject, { ...made, finerLeft: 0 }, context);
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.reason === "too-large") throw error;
    // If a page cannot be drawn here, viewers do not show it either.
    context.log("page left blank", { pageNumber: subject.index + 1, error: String(error) });
    return { content: "", resources: new Dictionary() };
  }
}

function drawingOf(drawn: MupdfDocument, subject: Subject, made: Made, context: Context): Drawing {
  const { target, font } = made;
  const { source, page, space } = subject;
  const look = new MupdfPage(drawn, subject.index);
  try {
    const { width, height } = look;
    // The new page can be smaller than the original, but its image shows the whole page.
    const [x, y] = [(space.width * space.unit) / width, (space.height * space.unit) / height];
    const toPage = multiply([x, 0, 0, y, 0, 0], subject.matrix);
    const draw = drawerOf(look, target, () => !made.inRgb && usesCmyk(source, page), context);
    const pieces = piecesFor(look, source, page, toPage, made);
    const pictures = pieces.map((piece) => draw(piece));
    const bytes = pictures.reduce((sum, { body }) => sum + body.raw().length, 0);
    if (bytes > made.bytes.left) throw new EngineFailure("too-large", "the pictures of the pages take too much memory");
    made.bytes.left -= bytes;
    const objects = new Dictionary();
    const resources = Dictionary.of({ XObject: objects });
    let content = "";
    for (const [index, { box }] of pieces.entries()) {
      const name = index === 0 ? "Picture" : `Picture${index}`;
      objects.set(name, target.add(pictures[index]!));
      const [left, top, right, bottom] = box;
      const place = multiply([right - left, 0, 0, bottom - top, left, height - bottom], toPage);
      content += `q ${place.map(serializeNumber).join(" ")} cm /${name} Do Q\n`;
    }
    const lines = look.text();
    if (lines.length > 0) {
      resources.set("Font", Dictionary.of({ Invisible: font.reference }));
      content += invisibleText(lines, { font, name: "Invisible" }, toPage, height);
    }
    return { content, resources };
  } finally {
    look.close();
  }
}

function keepAnnotations(before: Dictionary, after: Dictionary): void {
  const annotations = before.get("Annots");
  if (annotations !== undefined) after.set("Annots", annotations);
}

/** Keeps only links, which are invisible. All other annotations are in the image of the page. */
function keepLinks(file: PdfFile, before: Dictionary, after: Dictionary): void {
  const links: Value[] = [];
  const gone = new Set<number>();
  for (const annotation of file.array(before.get("Annots")) ?? []) {
    if (file.name(file.dictionary(annotation)?.get("Subtype")) === "Link") links.push(annotation);
    else if (annotation instanceof Reference) gone.add(annotation.number);
  }
  if (links.length > 0) after.set("Annots", links);
  removeFields(file, gone);
}

/**
 * Returns the areas of the page that become images.
 * @param toPage maps the displayed page, upright and in points, to user space
 */
function piecesFor(look: MupdfPage, file: PdfFile, page: Dictionary, toPage: Matrix, made: Made): readonly Piece[] {
  const { width, height } = look;
  const matrix = multiply(inverse(toPage) ?? IDENTITY, [1, 0, 0, -1, 0, height]);
  const images = placedImages(file, page, { matrix, bounds: [0, 0, width, height], annotations: made.isFlat });
  const usual = (DPI / POINTS_PER_INCH) * smallPageFactor(width * height, DPI);
  const whole: Piece = { box: [0, 0, width, height], density: [usual, usual] };
  const pixels = Math.min(LIMITS.picturedPagePixels, pixelsOf(whole) + made.finerLeft);
  const pieces = piecesOf(whole, images, { pixels, side: MAX_SIDE });
  made.finerLeft -= finerPixels(pieces, whole);
  return pieces;
}

/** Returns a function that draws areas of the page as images, all in the same color space. */
function drawerOf(page: MupdfPage, file: PdfFile, hasInks: () => boolean, { signal }: Context) {
  const isGray = looksGray(page);
  const colorModel: ColorModel = isGray ? "gray" : hasInks() ? "cmyk" : "rgb";
  let profile: Reference | undefined;
  return ({ box: [left, top, right, bottom], density }: Piece): PdfStream => {
    const [width, height] = [(right - left) * density[0], (bottom - top) * density[1]].map(wholePixels) as [
      number,
      number,
    ];
    const [x, y] = [width / (right - left), height / (bottom - top)];
    const view = { width, height, left: 0, top: 0, matrix: [x, 0, 0, y, -left * x, -top * y] } as const;
    const raster = page.raster({ colorModel, dpi: x * POINTS_PER_INCH, view, signal, bandBytes: BAND_BYTES });
    const chunks: Uint8Array[] = [];
    for (const chunk of encodeJpeg(raster, { quality: JPEG_QUALITY })) chunks.push(chunk.slice());
    const dictionary = Dictionary.of({
      Type: Name.of("XObject"),
      Subtype: Name.of("Image"),
      Width: width,
      Height: height,
      BitsPerComponent: 8,
      Filter: Name.of("DCTDecode"),
      ColorSpace: Name.of(isGray ? "DeviceGray" : "DeviceRGB"),
    });
    if (colorModel === "cmyk") {
      profile ??= file.add(
        new PdfStream(
          Dictionary.of({ N: 4, Alternate: Name.of("DeviceCMYK") }),
          memoryBody(raster.iccProfile ?? new Uint8Array(0)),
        ),
      );
      dictionary.set("ColorSpace", [Name.of("ICCBased"), profile]);
      // The encoder stores the inks of a JPEG inverted, like Adobe's programs.
      dictionary.set("Decode", [1, 0, 1, 0, 1, 0, 1, 0]);
    }
    return new PdfStream(dictionary, memoryBody(Buffer.concat(chunks)));
  };
}

/** Rounds up to whole pixels, but ignores rounding errors. */
const wholePixels = (length: number): number => Math.max(1, Math.ceil(length - ROUNDING));

function looksGray(page: MupdfPage): boolean {
  const dpi = COARSE_DPI * smallPageFactor(page.width * page.height, DPI);
  const { width } = page.pixels(dpi);
  for (const { samples, rows } of page.raster({ colorModel: "rgb", dpi }).bands()) {
    const end = rows * width * 3;
    for (let at = 0; at < end; at += 3) {
      const [red, green, blue] = [samples[at]!, samples[at + 1]!, samples[at + 2]!];
      if (Math.abs(red - green) > GRAY_TOLERANCE || Math.abs(green - blue) > GRAY_TOLERANCE) return false;
    }
  }
  return true;
}

/** Returns the value with references resolved, for use in another file. */
function plain(file: PdfFile, value: Value | undefined): Value {
  const object = file.resolve(value);
  if (Array.isArray(object)) {
    return object.map((element) => file.number(element) ?? null);
  }
  return typeof object === "number" || object instanceof Name ? object : null;
}

function parentOf(file: PdfFile, { reference }: SourcePage): Value {
  return file.dictionary(reference)?.get("Parent") ?? null;
}
