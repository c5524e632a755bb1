// Declares the operation that converts a PostScript program, encapsulated or not, to PDF. The edge cannot do this: the
// container runs it with Ghostscript.
import * as z from "zod";
import { declareOperation } from "../../document/contract/operation.ts";

const paramsSchema = z.object({
  /** True to store pictures without loss, false to store photographs as JPEG. */
  lossless: z.boolean(),
  /** Highest resolution of pictures on the page. @default as they are */
  maxImageDpi: z.int().min(1).exactOptional(),
});

export const postscriptToPdf = declareOperation({ name: "postscript-to-pdf", params: paramsSchema });
