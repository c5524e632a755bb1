// Replaces some or all pages of a PDF by pictures of them, with invisible text for searching. Knows nothing about the
// reason.

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
import { Budget } from "../../document/objects/budget.ts";
import { MupdfSource } from "../../document/objects/engine/mupdf-source.ts";
import { memoryLimitsOf } from "../../document/objects/memory-limits.ts";
import { PdfFile } from "../../document/objects/pdf-file.ts";
import { serializeNumber } from "../../document/objects/serialize.ts";
import { Dictionary, Name, PdfStream, Reference, type Value } from "../../document/objects/values.ts";
import { writeFile } from "../../document/objects/writer.ts";
import { putPageTree } from "../../document/pages/page-tree.ts";
import { pageDictionary, readPages, type SourcePage } from "../../document/pages/pages.ts";
import { unprotect } from "../../document/pages/unprotect.ts";
import { type DisplaySpace, displaySpace } from "../../document/pdfa/colors/display-space.ts";
import { usesCmyk } from "../../document/pdfa/colors/page-colors.ts";
import { InvisibleFont, invisibleText } from "../../document/pdfa/content/text/invisible-text.ts";
import { removeFields } from "../../document/pdfa/document/remove-fields.ts";
import { fontsForDrawing } from "../../document/pdfa/fonts/face-choice.ts";
import { withoutTags } from "./replace-contents.ts";

const paramsSchema = z.object({
  /** Page numbers, from 1. @default all pages, and nothing else of the document */
  pages: z.union([z.array(z.int().min(1)).readonly(), z.literal("all")]).exactOptional(),
  /** True to draw in RGB even if the page has inks, which would otherwise be kept. */
  inRgb: z.boolean(),
  /**
   * True to draw annotations, except links, into the picture. @default annotations stay as they are, if parts of the
   * document other than its pages are kept
   */
  flatAnnotations: z.boolean().exactOptional(),
});
export type PicturePagesParams = z.infer<typeof paramsSchema>;

const POINTS_PER_INCH = 72;
const DPI = 300;
/** Part of a pixel that does not count. */
const ROUNDING = 0.01;
/** The largest page that PDF/A allows (ISO 19005-2, 6.1.13), in units. Larger pages are reduced. */
const LONGEST_PAGE = 14_400;
const BOXES = ["CropBox", "BleedBox", "TrimBox", "ArtBox"];
const LONGEST_SIDE = 30_000;
const JPEG_QUALITY = 90;
/** Resolution at which a page of the usual size is checked for colors. */
const COARSE_DPI = 36;
/** Differences between channels that rounding causes. */
const GRAY_TOLERANCE = 3;
/** Limits the size of all pictures, which are held until the file is written. */
const MOST_PICTURE_BYTES = 512 * 2 ** 20;
/** Bands of pictures. The engine may decode an image that is larger than its store again for each band. */
const BAND_BYTES = 32 * 2 ** 20;
const HEAP_MARK_BYTES = 192 * 2 ** 20;

/**
 * Yields one PDF.
 * @param inputs the PDF whose pages are replaced, and the PDF that shows their look, if it is a different one
 * @throws EngineFailure the failure that a document or the engine caused
 */
const run: Run<PicturePagesParams> = async function* ([input, look = input], params, context) {
  const { engineBytes, objectBytes } = memoryLimitsOf(context.heapLimitBytes);
  const budget = new Budget(objectBytes);
  const bytes = await input!.bytes();
  const objects = await MupdfSource.open(bytes, Math.floor(engineBytes / 2), budget);
  const isFlat = !params.pages || params.flatAnnotations === true;
  // Pages are drawn as a screen shows them: content that is visible only on screen is printed from now on (ISO 19005-2,
  // 6.3.2).
  const options = {
    heapLimitBytes: Math.floor(engineBytes / 2),
    annotations: isFlat ? "on-screen" : "none",
    fonts: fontsForDrawing(context.fonts),
  } as const;
  const drawn = MupdfDocument.open(await Mupdf.create(options), await look!.bytes(), asDrawn(options));
  try {
    const source = PdfFile.of(objects, budget);
    const notices = [...unprotect(source, objects, bytes), ...withoutTags(source)];
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
      bytes: { left: MOST_PICTURE_BYTES },
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
      const dictionary = await picturedPage(source, page, drawn, made, context);
      if (params.pages) source.put(page.reference, dictionary.set("Parent", parentOf(source, page)));
      else kids.push(target.add(dictionary));
    }
    font.finish();
    if (!params.pages) target.catalog.set("Pages", putPageTree(target, kids));
    notices.push(...namedNotices("pages-pictured", pictured));
    yield { extension: "pdf", type: "application/pdf", body: writeFile(target), notices: () => notices };
  } finally {
    objects.close();
    drawn.close();
  }
};

export const rasterizePages = defineOperation({ name: "picture-pages", params: paramsSchema, run });

/** Entries of a page that are kept, whatever it shows. */
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
  /** True if annotations become part of the picture. */
  readonly isFlat: boolean;
  readonly bytes: { left: number };
  /** Pixels that all further pages may have together beyond those of the usual resolution. */
  finerLeft: number;
}

async function picturedPage(
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
  const fit = LONGEST_PAGE / longest;
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
  /** From the displayed page to the space of the page that is made. */
  readonly matrix: Matrix;
}

interface Drawing {
  readonly content: string;
  readonly resources: Dictionary;
}

/** Draws at the resolution of the images, if that is possible, and otherwise at the usual one. */
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
    // If a page cannot be drawn, no viewer shows it either.
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
    // The page may be smaller than before; its picture still shows all of it.
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

/** Keeps only links, which have no look of their own. All other annotations are in the picture of the page. */
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
 * Returns the parts of the page that become pictures.
 * @param toPage from the displayed page, upright and in points, to the page's own space
 */
function piecesFor(look: MupdfPage, file: PdfFile, page: Dictionary, toPage: Matrix, made: Made): readonly Piece[] {
  const { width, height } = look;
  const matrix = multiply(inverse(toPage) ?? IDENTITY, [1, 0, 0, -1, 0, height]);
  const images = placedImages(file, page, { matrix, bounds: [0, 0, width, height], annotations: made.isFlat });
  const usual = (DPI / POINTS_PER_INCH) * smallPageFactor(width * height, DPI);
  const whole: Piece = { box: [0, 0, width, height], density: [usual, usual] };
  const pixels = Math.min(LIMITS.picturedPagePixels, pixelsOf(whole) + made.finerLeft);
  const pieces = piecesOf(whole, images, { pixels, side: LONGEST_SIDE });
  made.finerLeft -= finerPixels(pieces, whole);
  return pieces;
}

/** Returns a function that draws parts of the page as images, all in the same colors. */
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
      // Adobe's programs store the inks of a JPEG inverted, and so does the encoder.
      dictionary.set("Decode", [1, 0, 1, 0, 1, 0, 1, 0]);
    }
    return new PdfStream(dictionary, memoryBody(Buffer.concat(chunks)));
  };
}

/** Rounds up to whole pixels, except for errors of rounding. */
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

/** Returns the value without references, so that it can be used in another file. */
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
