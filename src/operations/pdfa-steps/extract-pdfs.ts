// Extracts the PDFs embedded in a PDF, one output each. The index of an output, from 0, identifies the PDF in
// replace-pdfs.ts.

import * as z from "zod";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { openPdf, pdfOutput } from "../../document/pages/open-pdf.ts";
import { embeddedPdfs } from "../../document/pdfa/document/embedded-pdfs.ts";

const paramsSchema = z.object({
  /** Maximum number of PDFs. */
  most: z.int(),
});
export type ExtractPdfsParams = z.infer<typeof paramsSchema>;

/** @throws EngineFailure the failure of the document or the engine */
const run: Run<ExtractPdfsParams> = async function* ([input], { most }, context) {
  using pdf = await openPdf(await input!.bytes(), context, { asIs: true });
  let count = 0;
  for (const { bytes } of embeddedPdfs(pdf.file)) {
    context.signal.throwIfAborted();
    if (count++ >= most) break;
    yield pdfOutput(bytes);
  }
};

export const extractPdfs = defineOperation({ name: "extract-pdfs", params: paramsSchema, run });
