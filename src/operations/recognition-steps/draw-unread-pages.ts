// Draws pages without text, and pictures on other pages, for text recognition. Yields a JSON list of these pages, and for
// each page a JSON object and a picture.
import * as z from "zod";
import { EngineFailure } from "../../document/contract/failure.ts";
import { type Context, defineOperation, type Output, type Run } from "../../document/contract/operation.ts";
import { resolvePages } from "../../document/contract/pages.ts";
import { pages } from "../../document/contract/parameters/pages.ts";
import { asDrawn } from "../../document/drawing/as-drawn.ts";
import { MupdfDocument } from "../../document/engines/mupdf/document.ts";
import { Mupdf } from "../../document/engines/mupdf/instance/mupdf.ts";
import { MupdfPage, readingTank } from "../../document/engines/mupdf/page.ts";
import { WHOLE_TEXT } from "../../document/engines/mupdf/text.ts";
import type { PlacedImage } from "../../document/images/placed-images.ts";
import type { PdfFile } from "../../document/objects/pdf-file.ts";
import { openPdf } from "../../document/pages/open-pdf.ts";
import { readPages, type SourcePage } from "../../document/pages/pages.ts";
import { fontsForDrawing } from "../../document/pdfa/fonts/face-choice.ts";
import { dpiFor, drawForRecognition, imagesOn, type PagePicture } from "../../document/recognition/page-picture.ts";
import { type UnreadPictures, unreadPictures } from "../../document/recognition/unread-pictures.ts";

const paramsSchema = z.object({
  /** @default all pages */
  pages: pages.value.exactOptional(),
  /** Clockwise turn that makes the pages upright, in degrees. */
  turn: z.int(),
});

/** The lists of pages: numbers, from 1, in ascending order. */
export interface UnreadPages {
  readonly withoutText: readonly number[];
  /** Pages with text, and with pictures that can show more. */
  readonly withPictures: readonly number[];
}

/** A page whose picture follows, unless it has a failure or is blank. */
export interface DrawnPage extends Pick<PagePicture, "width" | "height" | "dpi" | "matrix" | "isBlank" | "isSideways"> {
  /** Page number, from 1. */
  readonly pageNumber: number;
  /** True if the page has text, so that the picture shows only its pictures. */
  readonly hasText: boolean;
}

/** A page that cannot be drawn. */
export interface FailedPage {
  readonly pageNumber: number;
  readonly failure: EngineFailure["reason"];
}

const SPACE = 0x20;
const HEAP_MARK_BYTES = 192 * 2 ** 20;

/** @throws OutOfRange if a page does not exist; the failure of the document */
const run: Run<z.infer<typeof paramsSchema>> = async function* ([input], { pages: selection, turn }, context) {
  using pdf = await openPdf(await input!.bytes(), context, { engineShare: 0.5, asIs: true });
  const all = readPages(pdf.file).pages;
  const wanted = selection ? resolvePages(selection, all.length) : all.map((_, index) => index + 1);
  const options = {
    heapLimitBytes: Math.floor(pdf.memory.engineBytes / 2),
    annotations: "none",
    fonts: fontsForDrawing(context.fonts),
  } as const;
  const drawn = MupdfDocument.open(await Mupdf.create(options), pdf.bytes, asDrawn(options));
  try {
    const numbers = [...new Set(wanted)].sort((one, other) => one - other);
    const unread = numbers.flatMap((number) => unreadPage(drawn, number, pdf.file, all[number - 1]!) ?? []);
    const numbersOf = (hasText: boolean) => unread.filter((one) => one.hasText === hasText).map((one) => one.number);
    yield json({ withoutText: numbersOf(false), withPictures: numbersOf(true) } satisfies UnreadPages);
    for (const page of unread) {
      context.signal.throwIfAborted();
      if (drawn.engine.dead || drawn.engine.heapBytes > HEAP_MARK_BYTES) await drawn.reopen();
      const source = all[page.number - 1]!;
      yield* pageOutputs(drawn, page, turn, context, (shown) => imagesOn(pdf.file, source, shown));
    }
  } finally {
    drawn.close();
  }
};

export const drawUnreadPages = defineOperation({ name: "draw-unread-pages", params: paramsSchema, run });

interface UnreadPage {
  /** Page number, from 1. */
  readonly number: number;
  readonly hasText: boolean;
}

/** @returns undefined if the page has text, and no picture that can show more */
function unreadPage(drawn: MupdfDocument, number: number, file: PdfFile, source: SourcePage): UnreadPage | undefined {
  try {
    const page = new MupdfPage(drawn, number - 1, readingTank(drawn.engine));
    try {
      const lines = page.text(WHOLE_TEXT);
      const hasText = lines.some(({ characters }) => characters.some(({ codePoint }) => codePoint > SPACE));
      if (!hasText) return { number, hasText };
      return picturesOn(page, imagesOn(file, source, page)).pictures.length > 0 ? { number, hasText } : undefined;
    } finally {
      page.close();
    }
  } catch (error) {
    if (!(error instanceof EngineFailure) || drawn.engine.dead) throw error;
    return { number, hasText: false };
  }
}

const picturesOn = (page: MupdfPage, images: readonly PlacedImage[]): UnreadPictures =>
  unreadPictures(images, () => page.glyphs(), page.origin, page);

function* pageOutputs(
  drawn: MupdfDocument,
  { number: pageNumber, hasText }: UnreadPage,
  turn: number,
  { signal }: Context,
  imagesOn: (page: MupdfPage) => readonly PlacedImage[],
): Generator<Output> {
  try {
    const page = new MupdfPage(drawn, pageNumber - 1, readingTank(drawn.engine));
    try {
      const images = imagesOn(page);
      const dpi = dpiFor(images, page);
      const unread = hasText ? { unread: picturesOn(page, images) } : {};
      const { samples, ...picture } = drawForRecognition(page, { dpi, turn, signal, ...unread });
      yield json({ pageNumber, hasText, ...picture } satisfies DrawnPage);
      if (!picture.isBlank) yield netpbm(samples, picture.width, picture.height);
    } finally {
      page.close();
    }
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    yield json({ pageNumber, failure: error.reason } satisfies FailedPage);
  }
}

const json = (value: unknown): Output => ({
  ...{ extension: "json", type: "application/json", body: new TextEncoder().encode(JSON.stringify(value)) },
});

/** Returns a picture in Netpbm's format, which is not compressed. */
const netpbm = (samples: Uint8Array, width: number, height: number): Output => ({
  ...{ extension: "pgm", type: "application/octet-stream" },
  body: [new TextEncoder().encode(`P5 ${width} ${height} 255\n`), samples],
});
