// Splits a PDF into one PDF for each selection of pages, or for each page. Outputs contain nothing of the pages left
// out. Objects are the concern of src/pdf.

import { countedNotices, type Notice } from "../document/contract/notice.ts";
import { defineOperation, type Run } from "../document/contract/operation.ts";
import { resolvePages } from "../document/contract/pages.ts";
import { optional, type Params } from "../document/contract/parameter.ts";
import { listedPages } from "../document/contract/parameters/pages.ts";
import { list } from "../document/contract/parameters/text.ts";
import { Budget } from "../document/objects/budget.ts";
import { MupdfSource } from "../document/objects/engine/mupdf-source.ts";
import { memoryLimitsOf } from "../document/objects/memory-limits.ts";
import { PdfFile } from "../document/objects/pdf-file.ts";
import { assemble } from "../document/pages/assemble.ts";
import { countDamagedContents } from "../document/pages/damaged-contents.ts";
import { documentParts } from "../document/pages/parts/index.ts";
import { SourceDocument } from "../document/pages/source-document.ts";
import { unprotect, xfaNotices } from "../document/pages/unprotect.ts";

const parameters = {
  pages: optional("The pages of each file to make; one file for each page if left out.", list(listedPages)),
};
export type SplitPdfParams = Params<typeof parameters>;

/** Share of the memory for the source; the rest is for the current output. */
const SOURCE_PART = 0.4;

/**
 * Yields the outputs. The body of an output is produced while it is read, and must be read before the next output is
 * requested.
 * @throws EngineFailure the failure that the document or the engine caused
 * @throws OutOfRange `pages`, before the first output
 */
const run: Run<SplitPdfParams> = async function* (inputs, { pages }, context) {
  const { engineBytes, objectBytes } = memoryLimitsOf(context.heapLimitBytes);
  for (const input of inputs) {
    const budget = new Budget(objectBytes * SOURCE_PART);
    const bytes = await input.bytes();
    const objects = await MupdfSource.open(bytes, engineBytes, budget);
    let outputs = 0;
    try {
      const file = PdfFile.of(objects, budget);
      const notices: Notice[] = [...unprotect(file, objects, bytes), ...xfaNotices(file)];
      const source = new SourceDocument(file);
      const pageCount = source.pages.length;
      // All selections are resolved before the first output, so that an invalid request stores nothing.
      for (const selection of pages ?? []) resolvePages(selection, pageCount);
      const taken = pages && new Set(pages.flatMap((selection) => resolvePages(selection, pageCount)));
      const read = source.pages.filter(({ index }) => taken?.has(index + 1) ?? true);
      notices.push(...countedNotices("damaged-content-kept", countDamagedContents(file, read)));
      const select = (index: number) => (pages ? resolvePages(pages[index]!, pageCount) : [index + 1]);
      const total = pages?.length ?? pageCount;
      for (; outputs < total; outputs++) {
        context.signal.throwIfAborted();
        const wanted = select(outputs);
        const isFirst = outputs === 0;
        const taken = { open: async () => source, select: () => wanted, close: () => {} };
        const room = new Budget(objectBytes - budget.limitBytes);
        const body = assemble([taken], documentParts, room, context.signal, (...lost) => {
          if (isFirst) notices.push(...lost);
        });
        // Notices are about the input, so the other outputs report none.
        yield { extension: "pdf", type: "application/pdf", body, total, notices: () => notices.splice(0) };
      }
    } finally {
      const { count, first } = objects.reported;
      const reported = count > 0 ? { reported: count, first } : {};
      context.log("document split", {
        outputs,
        heapBytes: objects.heapBytes,
        objectBytes: budget.usedBytes,
        ...reported,
      });
      objects.close();
    }
  }
};

export const splitPdf = defineOperation({ name: "split-pdf", parameters, run });
