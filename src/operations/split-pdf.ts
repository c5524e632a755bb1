// Splits a PDF into one PDF per page selection, or per page. An output contains no data of omitted pages.

import { LIMITS } from "../document/contract/limits.ts";
import { countedNotices } from "../document/contract/notice.ts";
import { defineOperation, type Run } from "../document/contract/operation.ts";
import { resolvePages } from "../document/contract/pages.ts";
import { optional, type Params } from "../document/contract/parameter.ts";
import { integer } from "../document/contract/parameters/number.ts";
import { listedPages } from "../document/contract/parameters/pages.ts";
import { list } from "../document/contract/parameters/text.ts";
import { Budget } from "../document/objects/budget.ts";
import { assemble } from "../document/pages/assemble.ts";
import { countDamagedContents } from "../document/pages/damaged-contents.ts";
import { openPdf, pdfOutput } from "../document/pages/open-pdf.ts";
import { documentParts } from "../document/pages/parts/index.ts";
import { SourceDocument } from "../document/pages/source-document.ts";
import { xfaNotices } from "../document/pages/unprotect.ts";

const parameters = {
  pages: optional("The pages of each file to make; one file for each page if left out.", list(listedPages)),
  pagesPerFile: optional(
    "Number of pages of each file, instead of pages.",
    integer({ min: 1, max: LIMITS.selectedPages }),
  ),
};
export type SplitPdfParams = Params<typeof parameters>;

/** Fraction of the memory for the source; the rest is for the current output. */
const SOURCE_PART = 0.4;

/**
 * Yields the outputs. A body is produced while it is read, and must be read before the next output is requested.
 * @throws EngineFailure the failure of the document or the engine
 * @throws OutOfRange `pages`, before the first output
 */
const run: Run<SplitPdfParams> = async function* (inputs, { pages, pagesPerFile = 1 }, context) {
  for (const input of inputs) {
    using pdf = await openPdf(await input.bytes(), context, { objectShare: SOURCE_PART });
    const { file, notices, memory, budget } = pdf;
    let outputs = 0;
    try {
      notices.push(...xfaNotices(file));
      const source = new SourceDocument(file);
      const pageCount = source.pages.length;
      // Resolves all selections before the first output, so that an invalid request stores nothing.
      for (const selection of pages ?? []) resolvePages(selection, pageCount);
      const taken = pages && new Set(pages.flatMap((selection) => resolvePages(selection, pageCount)));
      const read = source.pages.filter(({ index }) => taken?.has(index + 1) ?? true);
      notices.push(...countedNotices("damaged-content-kept", countDamagedContents(file, read)));
      const rangeOf = (index: number) => {
        const first = index * pagesPerFile + 1;
        return Array.from({ length: Math.min(pagesPerFile, pageCount + 1 - first) }, (_, at) => first + at);
      };
      const select = (index: number) => (pages ? resolvePages(pages[index]!, pageCount) : rangeOf(index));
      const total = pages?.length ?? Math.ceil(pageCount / pagesPerFile);
      for (; outputs < total; outputs++) {
        context.signal.throwIfAborted();
        const wanted = select(outputs);
        const isFirst = outputs === 0;
        const taken = { open: async () => source, select: () => wanted, close: () => {} };
        const sourceBudget = new Budget(memory.objectBytes - budget.limitBytes);
        const body = assemble([taken], documentParts, sourceBudget, context.signal, (...lost) => {
          if (isFirst) notices.push(...lost);
        });
        // Notices concern the whole input, so only the first output reports them.
        yield { ...pdfOutput(body), total, notices: () => notices.splice(0) };
      }
    } finally {
      context.log("document split", { outputs, ...pdf.usage });
    }
  }
};

export const splitPdf = defineOperation({ name: "split-pdf", parameters, run });
