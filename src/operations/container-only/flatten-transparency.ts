// Removes the transparency of a PDF with the smallest change, without visible differences. Yields one output, which is
// the input itself if nothing is transparent and the page tree is valid.

import type { Notice } from "../../document/contract/notice.ts";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { flattenFile } from "../../document/flattening/flatten-file.ts";
import { Budget } from "../../document/objects/budget.ts";
import { MupdfSource } from "../../document/objects/engine/mupdf-source.ts";
import { memoryLimitsOf } from "../../document/objects/memory-limits.ts";
import { PdfFile } from "../../document/objects/pdf-file.ts";
import { unprotect } from "../../document/pages/unprotect.ts";
import { fontsForDrawing } from "../../document/pdfa/fonts/face-choice.ts";
import { type FlattenParams, flattenTransparency as signature } from "../flatten-transparency.ts";

const TYPE = { extension: "pdf", type: "application/pdf" } as const;
/** Fraction of the engines' memory for the engine that reads objects; the rest is for the engine that draws. */
const READING_PART = 0.3;

/** @throws EngineFailure `password-protected`, or the failure of document or engine */
const run: Run<FlattenParams> = async function* ([input], { quality }, context) {
  const bytes = await input!.bytes();
  const { engineBytes, objectBytes } = memoryLimitsOf(context.heapLimitBytes);
  const readingBytes = Math.floor(engineBytes * READING_PART);
  const budget = new Budget(objectBytes);
  const objects = await MupdfSource.open(bytes, readingBytes, budget);
  try {
    const { signal } = context;
    const file = PdfFile.of(objects, budget);
    const notices: Notice[] = [];
    const prepare = () => notices.push(...unprotect(file, objects, bytes));
    const drawing = { heapLimitBytes: engineBytes - readingBytes, fonts: fontsForDrawing(context.fonts) };
    const mustWrite = objects.hasNewPageTree;
    const { usedMs } = context;
    const flattened = await flattenFile(file, { quality, mustWrite, bytes, drawing, signal, usedMs, prepare });
    if (!flattened) {
      yield { ...TYPE, body: bytes };
      return;
    }
    const { coverage } = flattened;
    context.log("document flattened", {
      pages: coverage.length,
      coverage: coverage.map((share) => Number(share.toFixed(4))),
    });
    yield { ...TYPE, body: flattened.chunks, notices: () => notices };
  } finally {
    objects.close();
  }
};

export const flattenTransparency = defineOperation({ ...signature, run });
