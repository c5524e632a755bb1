// Declares the operation that converts a HEIC or AVIF picture to PDF. Its code is in container-only/.
import * as z from "zod";
import { declareOperation } from "../../document/contract/operation.ts";

const paramsSchema = z.object({
  /** True to store the pixels losslessly, false to store them as JPEG. */
  lossless: z.boolean(),
});
export type HeifToPdfParams = z.infer<typeof paramsSchema>;

export const heifToPdf = declareOperation({ name: "heif-to-pdf", params: paramsSchema });
