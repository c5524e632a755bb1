// Merges PDFs, or selected pages of them, into one PDF in the given order.

import { OutOfRange } from "../document/contract/failure.ts";
import { countedNotices, type Notice } from "../document/contract/notice.ts";
import { defineOperation, type Input, type Run } from "../document/contract/operation.ts";
import { selectPages } from "../document/contract/pages.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { listedPages } from "../document/contract/parameters/pages.ts";
import { list } from "../document/contract/parameters/text.ts";
import type { Mupdf } from "../document/engines/mupdf/instance/mupdf.ts";
import { Budget } from "../document/objects/budget.ts";
import { memoryLimitsOf } from "../document/objects/memory-limits.ts";
import { type AssemblyInput, assemble } from "../document/pages/assemble.ts";
import { countDamagedContents } from "../document/pages/damaged-contents.ts";
import { type OpenPdf, openPdf, pdfOutput } from "../document/pages/open-pdf.ts";
import { documentParts } from "../document/pages/parts/index.ts";
import { SourceDocument } from "../document/pages/source-document.ts";
import { xfaNotices } from "../document/pages/unprotect.ts";
import { naming, subjectOf } from "./named-inputs.ts";

const parameters = { pages: parameter("The pages of each input, in the order of type[].", list(listedPages)) };
export type MergePdfsParams = Params<typeof parameters>;

/** Fraction of the object memory for the result; the rest is for the one open source. */
const RESULT_PART = 0.6;

/**
 * Yields one output. Opens each input after the pages of the previous input were copied. A single selection of pages
 * applies to all inputs.
 * @throws EngineFailure the failure of a document or the engine
 * @throws OutOfRange `pages`
 */
const run: Run<MergePdfsParams> = async function* (inputs, { pages }, context) {
  const selection = pages.length === 1 ? inputs.map(() => pages[0]!) : pages;
  if (selection.length !== inputs.length) {
    throw new OutOfRange("pages", String(pages.length), `There are ${inputs.length} documents.`);
  }
  const { objectBytes } = memoryLimitsOf(context.heapLimitBytes);
  const budget = new Budget(objectBytes * RESULT_PART);
  const merged = { inputs: inputs.length, pages: 0, heapBytes: 0, objectBytes: 0, reported: 0 };

  const notices: Notice[] = [];

  /** The engine of the previous input, for reuse. */
  let engine: Mupdf | undefined;

  function assemblyInput(input: Input, index: number): AssemblyInput {
    const document = subjectOf(input, index, inputs.length);
    const sourceBudget = new Budget(objectBytes - budget.limitBytes);
    let pdf: OpenPdf | undefined;
    let source: SourceDocument | undefined;
    return {
      async open() {
        const bytes = await input.bytes();
        const left = engine;
        engine = undefined;
        try {
          pdf = await openPdf(bytes, context, { budget: sourceBudget, engine: left, inPasses: true });
          notices.push(...pdf.notices, ...xfaNotices(pdf.file));
          source = new SourceDocument(pdf.file);
        } catch (error) {
          throw inputs.length > 1 ? naming(error, document) : error;
        }
        return source;
      },
      select(pageCount) {
        const selected = selectPages(selection[index]!, pageCount, { document });
        merged.pages += selected.length;
        const isLast = index === inputs.length - 1;
        if (isLast && merged.pages === 0) throw new OutOfRange("pages", selection[0]!.text, "No page is selected.");
        const { file, pages: sourcePages } = source!;
        const taken = new Set(selected);
        const damaged = countDamagedContents(
          file,
          sourcePages.filter((page) => taken.has(page.index + 1)),
        );
        notices.push(...countedNotices("damaged-content-kept", damaged));
        return selected;
      },
      close() {
        if (!pdf) return;
        const { heapBytes, reported } = pdf.source;
        merged.heapBytes = Math.max(merged.heapBytes, heapBytes);
        merged.objectBytes = Math.max(merged.objectBytes, budget.usedBytes + sourceBudget.usedBytes);
        merged.reported += reported;
        engine = pdf.source.release();
        pdf = undefined;
      },
    };
  }

  const opening = inputs.map(assemblyInput);
  try {
    const body = assemble(opening, documentParts, budget, context.signal, (...lost) => notices.push(...lost));
    yield pdfOutput(body, notices);
  } finally {
    engine?.close();
    context.log("documents merged", merged);
  }
};

export const mergePdfs = defineOperation({ name: "merge-pdfs", parameters, run });
