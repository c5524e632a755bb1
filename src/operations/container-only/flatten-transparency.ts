// Removes the transparency of a PDF without visible differences, and with as few changes as possible. Yields one
// output, which is the input itself if nothing is transparent and the page tree is valid.

import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { flattenFile } from "../../document/flattening/flatten-file.ts";
import { openPdf, pdfOutput } from "../../document/pages/open-pdf.ts";
import { fontsForDrawing } from "../../document/pdfa/fonts/face-choice.ts";
import { type FlattenParams, flattenTransparency as signature } from "../flatten-transparency.ts";

/** Fraction of the engines' memory for the engine that reads objects; the rest is for the engine that renders. */
const READING_PART = 0.3;

/** @throws EngineFailure `password-protected`, or the failure of the document or the engine */
const run: Run<FlattenParams> = async function* ([input], { quality }, context) {
  const bytes = await input!.bytes();
  using pdf = await openPdf(bytes, context, { engineShare: READING_PART, asIs: true });
  const { file, source, memory, notices } = pdf;
  const { signal, usedMs } = context;
  const prepare = () => pdf.unprotect();
  const heapLimitBytes = Math.floor(memory.engineBytes * (1 - READING_PART));
  const drawing = { heapLimitBytes, fonts: fontsForDrawing(context.fonts) };
  const mustWrite = source.hasNewPageTree;
  const flattened = await flattenFile(file, { quality, mustWrite, bytes, drawing, signal, usedMs, prepare });
  if (!flattened) return yield pdfOutput(bytes);
  const { coverage } = flattened;
  context.log("document flattened", {
    pages: coverage.length,
    coverage: coverage.map((share) => Number(share.toFixed(4))),
  });
  yield pdfOutput(flattened.chunks, notices);
};

export const flattenTransparency = defineOperation({ ...signature, run });
