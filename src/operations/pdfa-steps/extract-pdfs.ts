// Extracts the PDFs embedded in a PDF, one output each. Output n is number n in replace-pdfs.ts.

import * as z from "zod";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { Budget } from "../../document/objects/budget.ts";
import { MupdfSource } from "../../document/objects/engine/mupdf-source.ts";
import { memoryLimitsOf } from "../../document/objects/memory-limits.ts";
import { PdfFile } from "../../document/objects/pdf-file.ts";
import { embeddedPdfs } from "../../document/pdfa/document/embedded-pdfs.ts";

const paramsSchema = z.object({
  /** Maximum number of PDFs. */
  most: z.int(),
});
export type ExtractPdfsParams = z.infer<typeof paramsSchema>;

/** @throws EngineFailure the failure of document or engine */
const run: Run<ExtractPdfsParams> = async function* ([input], { most }, context) {
  const { engineBytes, objectBytes } = memoryLimitsOf(context.heapLimitBytes);
  const budget = new Budget(objectBytes);
  const objects = await MupdfSource.open(await input!.bytes(), engineBytes, budget);
  try {
    let count = 0;
    for (const { bytes } of embeddedPdfs(PdfFile.of(objects, budget))) {
      context.signal.throwIfAborted();
      if (count++ >= most) break;
      yield { extension: "pdf", type: "application/pdf", body: bytes };
    }
  } finally {
    objects.close();
  }
};

export const extractPdfs = defineOperation({ name: "extract-pdfs", params: paramsSchema, run });
