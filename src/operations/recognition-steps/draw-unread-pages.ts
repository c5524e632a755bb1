// Draws pages without text as pictures for text recognition. Yields a JSON list of these pages, and for each page a JSON
// object and a picture.
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
import { openPdf } from "../../document/pages/open-pdf.ts";
import { readPages } from "../../document/pages/pages.ts";
import { fontsForDrawing } from "../../document/pdfa/fonts/face-choice.ts";
import { dpiFor, drawForRecognition, type PagePicture } from "../../document/recognition/page-picture.ts";

const paramsSchema = z.object({
  /** @default all pages */
  pages: pages.value.exactOptional(),
  /** Clockwise turn that makes the pages upright, in degrees. */
  turn: z.int(),
});

/** The list of pages. */
export interface UnreadPages {
  /** Numbers, from 1, in ascending order. */
  readonly pages: readonly number[];
}

/** A page whose picture follows, unless it has a failure or is blank. */
export interface DrawnPage extends Pick<PagePicture, "width" | "height" | "dpi" | "matrix" | "isBlank" | "isSideways"> {
  /** Page number, from 1. */
  readonly pageNumber: number;
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
    const unread = [...new Set(wanted)].sort((one, other) => one - other).filter((number) => isUnread(drawn, number));
    yield json({ pages: unread } satisfies UnreadPages);
    for (const pageNumber of unread) {
      context.signal.throwIfAborted();
      if (drawn.engine.dead || drawn.engine.heapBytes > HEAP_MARK_BYTES) await drawn.reopen();
      yield* pageOutputs(drawn, pageNumber, turn, context, (page) => dpiFor(pdf.file, all[pageNumber - 1]!, page));
    }
  } finally {
    drawn.close();
  }
};

export const drawUnreadPages = defineOperation({ name: "draw-unread-pages", params: paramsSchema, run });

/** Reports whether a page shows no characters; false if it cannot be read. */
function isUnread(drawn: MupdfDocument, number: number): boolean {
  try {
    const page = new MupdfPage(drawn, number - 1, readingTank(drawn.engine));
    try {
      return !page.text(WHOLE_TEXT).some(({ characters }) => characters.some(({ codePoint }) => codePoint > SPACE));
    } finally {
      page.close();
    }
  } catch (error) {
    if (!(error instanceof EngineFailure) || drawn.engine.dead) throw error;
    return true;
  }
}

function* pageOutputs(
  drawn: MupdfDocument,
  pageNumber: number,
  turn: number,
  { signal }: Context,
  dpiOf: (page: MupdfPage) => number,
): Generator<Output> {
  try {
    const page = new MupdfPage(drawn, pageNumber - 1, readingTank(drawn.engine));
    try {
      const { samples, ...picture } = drawForRecognition(page, dpiOf(page), turn, signal);
      yield json({ pageNumber, ...picture } satisfies DrawnPage);
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
