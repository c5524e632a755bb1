// Declares the operation that converts a PostScript program, encapsulated or not, to PDF. The container runs it with
// Ghostscript.
import * as z from "zod";
import { declareOperation } from "../../document/contract/operation.ts";

const paramsSchema = z.object({
  /** True to store images losslessly, false to store photographs as JPEG. */
  lossless: z.boolean(),
  /** Maximum resolution of images on the page. @default unlimited */
  maxImageDpi: z.int().min(1).exactOptional(),
  /** Further settings, which take precedence. @default none */
  jobOptions: z
    .object({
      parameters: z.string(),
      bilevelDpi: z.int().min(1).exactOptional(),
      ignored: z.array(z.string()).readonly(),
    })
    .exactOptional(),
});

export const postscriptToPdf = declareOperation({ name: "postscript-to-pdf", params: paramsSchema });
