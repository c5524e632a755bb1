// Declares the operation that converts a PDF to PDF/A. The edge cannot do this: the container runs it, because the
// validator is there.
import * as z from "zod";
import { declareOperation } from "../document/contract/operation.ts";
import { pdfaLevelSchema } from "../document/pdfa/level.ts";

const paramsSchema = z.object({
  level: pdfaLevelSchema,
  /** True to replace pages that cannot be made to conform by pictures, false to refuse the document. */
  rasterize: z.boolean(),
});
export type PdfToPdfaParams = z.infer<typeof paramsSchema>;

export const pdfToPdfa = declareOperation({ name: "pdf-to-pdfa", params: paramsSchema });
