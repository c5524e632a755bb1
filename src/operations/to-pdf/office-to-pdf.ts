// Declares the operation that converts an Office document to PDF. The container runs it with LibreOffice.
import * as z from "zod";
import { declareOperation } from "../../document/contract/operation.ts";
import { officeOptions } from "./office-options.ts";

const paramsSchema = z.object({
  /** True to write the structure tree (ISO 32000-1, 14.8), language and title. */
  tagged: z.boolean(),
  /** True to store images losslessly, false to store them as JPEG. */
  lossless: z.boolean(),
  /** Maximum resolution of images on the page. @default unlimited */
  maxImageDpi: z.int().min(1).exactOptional(),
  options: officeOptions.exactOptional(),
});

export const officeToPdf = declareOperation({ name: "office-to-pdf", params: paramsSchema });
