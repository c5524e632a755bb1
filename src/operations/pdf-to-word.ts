// Converts a PDF to a Word document: paragraphs, lists, tables and pictures in reading order, with their looks. Yields
// one output, whose text is written page by page; pictures are drawn after it.
import * as z from "zod";
import { EngineFailure } from "../document/contract/failure.ts";
import { countedNotices, namedNotices } from "../document/contract/notice.ts";
import { type Context, defineOperation, type Input, type Run } from "../document/contract/operation.ts";
import { parameter, schemaOf } from "../document/contract/parameter.ts";
import { pages } from "../document/contract/parameters/pages.ts";
import { asDrawn } from "../document/drawing/as-drawn.ts";
import { MupdfDocument } from "../document/engines/mupdf/document.ts";
import { acquireMupdf, prepareSpare } from "../document/engines/mupdf/instance/spare.ts";
import { MupdfPage } from "../document/engines/mupdf/page.ts";
import { type WordImage, writeWord } from "../document/formats/docx/write.ts";
import { DocumentLayout } from "../document/layout/document-layout.ts";
import { startedPages } from "../document/layout/read-pages.ts";
import { resolveHybridReferences } from "../document/objects/parsing/hybrid.ts";
import { PageDrawings, WordDocument } from "../document/word/document.ts";
import { drawnPicture, type PageBox } from "../document/word/pictures.ts";
import { REFUSED, refuseScans } from "./recognition-steps/refuse-scans.ts";

const parameters = { pages: parameter("The pages to convert, in this order.", pages, "1-last") };
const params = z.intersection(
  schemaOf(parameters),
  z.object({
    /** {@link REFUSED}, or the selection of the pages whose text was recognized. @default none */
    scans: z.string().exactOptional(),
  }),
);
export type PdfToWordParams = z.infer<typeof params>;

const TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
/** Heap size above which the next page gets a new engine, because a heap never shrinks. */
const HEAP_MARK_BYTES = 48 * 1024 * 1024;

/** A PNG of one white pixel. */
const EMPTY_IMAGE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg==",
  "base64",
);

const run: Run<PdfToWordParams> = async function* ([input], params, context) {
  if (params.scans === REFUSED) await refuseScans(input!, params.pages, context);
  const read = await startedPages(input!, params.pages, context);
  const [layout, drawings] = [new DocumentLayout(), new PageDrawings()];
  let unreadable = 0;
  const document = new WordDocument({
    ...{ pages: layout.read(drawings.of(read)), drawings, hyphens: layout.hyphens },
    draw: (pictures) => drawn(input!, pictures, context, () => unreadable++),
  });
  yield {
    ...{ extension: "docx", type: TYPE, body: writeWord(document) },
    notices: () => {
      const { picturedPages } = document;
      const pages = picturedPages.map((page) => ({ name: String(page) }));
      const recognized = (params.scans ?? "").split(",").flatMap((name) => {
        return /\d/.test(name) && !picturedPages.includes(Number(name)) ? [{ name }] : [];
      });
      const scans = [...namedNotices("pages-pictured", pages), ...namedNotices("pages-recognized", recognized)];
      return [...scans, ...countedNotices("images-unreadable", unreadable)];
    },
  };
};

/** Draws the pictures of each page. Those of a page that cannot be drawn are empty. */
async function* drawn(
  input: Input,
  pictures: readonly PageBox[],
  context: Context,
  onUnreadable: () => void,
): AsyncGenerator<WordImage> {
  if (pictures.length === 0) return;
  const limits = { heapLimitBytes: context.heapLimitBytes, withoutStructure: true };
  const [bytes, engine] = await Promise.all([input.bytes(), acquireMupdf(limits)]);
  const document = MupdfDocument.open(engine, resolveHybridReferences(bytes), asDrawn(limits));
  try {
    for (const [number, own] of Map.groupBy(pictures, ({ page }) => page)) {
      context.signal.throwIfAborted();
      using page = new MupdfPage(document, number - 1);
      for (const picture of own) {
        const image = imageOf(page, picture, context);
        if (!image) onUnreadable();
        yield image ?? { id: picture.id, extension: "png", bytes: EMPTY_IMAGE };
      }
      if (document.engine.heapBytes > HEAP_MARK_BYTES) await document.reopen();
    }
  } finally {
    document.close();
    context.defer(() => prepareSpare(limits));
  }
}

/** @returns undefined if the page is too complex to draw, or damaged */
function imageOf(page: MupdfPage, picture: PageBox, { signal }: Context): WordImage | undefined {
  try {
    return drawnPicture(page, picture, signal);
  } catch (error) {
    if (error instanceof EngineFailure && NOT_DRAWN.has(error.reason)) return undefined;
    throw error;
  }
}

const NOT_DRAWN: ReadonlySet<string> = new Set(["too-complex", "damaged"]);

export const pdfToWord = defineOperation({ name: "pdf-to-word", parameters, params, run });
