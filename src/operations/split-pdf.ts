// Pages of a PDF as PDFs of their own: one for each selection, or one for each page. Nothing of the pages that are left out is in
// them. It knows no objects; that is the business of src/pdf.
import { type PageSelection, resolvePages } from "../pages.ts";
import { assemble } from "../pdf/assemble.ts";
import { Budget } from "../pdf/budget.ts";
import { countDamagedContents } from "../pdf/damaged-contents.ts";
import { MupdfSource } from "../pdf/mupdf-source.ts";
import { documentParts } from "../pdf/parts/index.ts";
import { PdfFile } from "../pdf/pdf-file.ts";
import { roomOf } from "../pdf/room.ts";
import { SourceDocument } from "../pdf/source-document.ts";
import { type Notice, noticesOf } from "./notice.ts";
import type { Operation } from "./operation.ts";
import { unprotect, withoutXfa } from "./unprotect.ts";

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
    const bytes = await input.bytes();
    const objects = await MupdfSource.open(bytes, engineBytes, budget);
    let outputs = 0;
    try {
      const file = PdfFile.of(objects, budget);
      const notices: Notice[] = [...unprotect(file, objects, bytes), ...withoutXfa(file)];
      const source = new SourceDocument(file);
      const pageCount = source.pages.length;
      // All are asked for before the first is made: nothing is stored of a request that is wrong.
      for (const selection of pages ?? []) resolvePages(selection, pageCount);
      const taken = pages && new Set(pages.flatMap((selection) => resolvePages(selection, pageCount)));
      const read = source.pages.filter(({ index }) => taken?.has(index + 1) ?? true);
      notices.push(...noticesOf("damaged-content-kept", countDamagedContents(file, read)));
      const select = (index: number) => (pages ? resolvePages(pages[index], pageCount) : [index + 1]);
      for (; outputs < (pages?.length ?? pageCount); outputs++) {
        context.signal.throwIfAborted();
        const wanted = select(outputs);
        const taken = { open: async () => source, select: () => wanted, close: () => {} };
        const room = new Budget(objectBytes - budget.limitBytes);
        const body = assemble([taken], documentParts, room, context.signal);
        // They are about the input: its other outputs report nothing more.
        yield { extension: "pdf", type: "application/pdf", body, notices: () => notices.splice(0) };
      }
    } finally {
      const { count, first } = objects.reported;
      const reported = count > 0 ? { reported: count, first } : {};
      context.log("split", { outputs, heapBytes: objects.heapBytes, objectBytes: budget.usedBytes, ...reported });
      objects.close();
    }
  }
};
