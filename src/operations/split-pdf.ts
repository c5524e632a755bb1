// Pages of a PDF as PDFs of their own: one for each selection, or one for each page. Nothing of the pages that are left out is in
// them. It knows no objects; that is the business of src/pdf.
import { type PageSelection, resolvePages } from "../pages.ts";
import { assemble } from "../pdf/assemble.ts";
import { Budget } from "../pdf/budget.ts";
import { MupdfSource } from "../pdf/mupdf-source.ts";
import { documentParts } from "../pdf/parts/index.ts";
import { PdfFile } from "../pdf/pdf-file.ts";
import { roomOf } from "../pdf/room.ts";
import { SourceDocument } from "../pdf/source-document.ts";
import type { Operation } from "./operation.ts";

export interface SplitPdfParams {
  /** An output for each, in this order. @default one for each page */
  readonly pages?: readonly PageSelection[];
}

/** The rest is for the output that is being made. */
const SOURCE_PART = 0.4;

/**
 * An output's body is made while it is read, and must be read before the next output is asked for.
 * @throws EngineFailure what the document or the engine made impossible
 * @throws OutOfRange `pages`, before the first output
 */
export const splitPdf: Operation<SplitPdfParams> = async function* (inputs, { pages }, context) {
  const { engineBytes, objectBytes } = roomOf(context.heapLimitBytes);
  for (const input of inputs) {
    const budget = new Budget(objectBytes * SOURCE_PART);
    const objects = await MupdfSource.open(await input.bytes(), engineBytes, budget);
    let outputs = 0;
    try {
      const source = new SourceDocument(PdfFile.of(objects, budget));
      const pageCount = source.pages.length;
      // All are asked for before the first is made: nothing is stored of a request that is wrong.
      for (const selection of pages ?? []) resolvePages(selection, pageCount);
      const select = (index: number) => (pages ? resolvePages(pages[index], pageCount) : [index + 1]);
      for (; outputs < (pages?.length ?? pageCount); outputs++) {
        context.signal.throwIfAborted();
        const wanted = select(outputs);
        const taken = { open: async () => source, select: () => wanted, close: () => {} };
        const room = new Budget(objectBytes - budget.limitBytes);
        const body = assemble([taken], documentParts, room, context.signal);
        yield { extension: "pdf", type: "application/pdf", body };
      }
    } finally {
      const { count, first } = objects.reported;
      const reported = count > 0 ? { reported: count, first } : {};
      context.log("split", { outputs, heapBytes: objects.heapBytes, objectBytes: budget.usedBytes, ...reported });
      objects.close();
    }
  }
};
