// Declares the operation that converts an Office document to PDF. The edge cannot do this: the container runs it with
// LibreOffice.
import * as z from "zod";
import { declareOperation } from "../../document/contract/operation.ts";

const paramsSchema = z.object({
  /** True to write the structure of the document (ISO 32000-1, 14.8), its language and title. */
  tagged: z.boolean(),
  /** True to store pictures without loss, false to store them as JPEG. */
  lossless: z.boolean(),
  /** Highest resolution of pictures on the page. @default as they are */
  maxImageDpi: z.int().min(1).exactOptional(),
});

export const officeToPdf = declareOperation({ name: "office-to-pdf", params: paramsSchema });
