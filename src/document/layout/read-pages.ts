// Reads the text of selected pages of a PDF, one page at a time, so that any number of pages fits into memory.
import type { Context, Input } from "../contract/operation.ts";
import { yieldBetweenPages } from "../contract/operation.ts";
import { type PageSelection, resolvePages } from "../contract/pages.ts";
import { asDrawn } from "../drawing/as-drawn.ts";
import { MupdfDocument } from "../engines/mupdf/document.ts";
import { acquireMupdf, prepareSpare } from "../engines/mupdf/instance/spare.ts";
import { MupdfPage, readingTank } from "../engines/mupdf/page.ts";
import { readOutline } from "../engines/mupdf/structure/outline.ts";
import { resolveHybridReferences } from "../objects/parsing/hybrid.ts";
import { type PageText, readPageText } from "./lines/page-text.ts";

/** Heap size above which the next page gets a new engine, because a heap never shrinks. */
const HEAP_MARK_BYTES = 48 * 1024 * 1024;

/**
 * Reads the first page, so that a failure ends the job before its output starts.
 * @returns all selected pages
 * @throws EngineFailure the failure of the document or the engine; OutOfRange `pages`
 */
export async function startedPages(
  input: Input,
  selection: PageSelection,
  context: Context,
): Promise<AsyncGenerator<PageText>> {
  const pages = readTextOfPages(input, selection, context);
  const first = await pages.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* pages;
  })();
}

/**
 * Yields the selected pages in their order. Opens the document before the first page.
 * @throws EngineFailure the failure of the document or the engine; OutOfRange `pages`
 */
async function* readTextOfPages(input: Input, selection: PageSelection, context: Context): AsyncGenerator<PageText> {
  const limits = { heapLimitBytes: context.heapLimitBytes, withoutStructure: true, readsStructure: true };
  const [bytes, engine] = await Promise.all([input.bytes(), acquireMupdf(limits)]);
  const document = MupdfDocument.open(engine, resolveHybridReferences(bytes), asDrawn(limits));
  try {
    const outline = Map.groupBy(readOutline(document.engine, document.pointer), ({ page }) => page);
    for (const [index, number] of resolvePages(selection, document.pageCount).entries()) {
      if (index > 0 && document.engine.heapBytes > HEAP_MARK_BYTES) await document.reopen();
      await yieldBetweenPages({ index }, context.signal);
      const page = new MupdfPage(document, number - 1, readingTank(document.engine));
      try {
        yield { ...readPageText(page, number), bookmarks: outline.get(number) };
      } finally {
        page.close();
      }
    }
  } finally {
    context.log("text read", { pages: document.pageCount, heapBytes: document.engine.heapBytes });
    document.close();
    context.defer(() => prepareSpare(limits));
  }
}
