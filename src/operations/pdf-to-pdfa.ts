// Declares the operation that converts a PDF to PDF/A. The container runs it, because it has the validator.
import * as z from "zod";
import { declareOperation } from "../document/contract/operation.ts";
import { pdfaLevelSchema } from "../document/pdfa/level.ts";

const paramsSchema = z.object({
  level: pdfaLevelSchema,
  /** True to replace non-conforming pages by images; false to reject the document instead. */
  rasterize: z.boolean(),
});
export type PdfToPdfaParams = z.infer<typeof paramsSchema>;

export const pdfToPdfa = declareOperation({ name: "pdf-to-pdfa", params: paramsSchema });
