// Declares the operation that converts a web page or an HTML file to PDF. The edge cannot do this: the container runs
// it with Chromium.
import * as z from "zod";
import { LIMITS } from "../../document/contract/limits.ts";
import { declareOperation } from "../../document/contract/operation.ts";

const paramsSchema = z.object({
  /** Address of the page. If it is not set, the input is the page. */
  url: z
    .url({ protocol: /^https?$/ })
    .max(LIMITS.addressLength)
    .exactOptional(),
  /** Size of the sheet in its final orientation, in points. */
  paper: z.object({ width: z.number().positive(), height: z.number().positive() }),
  /** Margin on all sides, in points. */
  margin: z.number().min(0),
  /**
   * Device whose layout the page shows, fitted to the width between the margins.
   * @default a desktop; a document made for paper (@page rules, print styles) keeps CSS units instead
   */
  layout: z.enum(["desktop", "tablet", "mobile"]).exactOptional(),
  /** The @page rules that a document made for paper follows: those that the client did not replace. @default none */
  ownPages: z.object({ size: z.boolean(), margin: z.boolean() }).exactOptional(),
  /** True to write the structure of the document, and the outline derived from it. @default false */
  tagged: z.boolean().exactOptional(),
  /** True to store pictures without loss, false to store them as JPEG. */
  lossless: z.boolean(),
  /** Highest resolution of pictures on the page. @default as they are */
  maxImageDpi: z.int().min(1).exactOptional(),
});
export type HtmlToPdfParams = z.infer<typeof paramsSchema>;
/** The @page rules that a document may set: `size` stands for size and orientation. */
export type OwnPages = NonNullable<HtmlToPdfParams["ownPages"]>;

export const htmlToPdf = declareOperation({ name: "html-to-pdf", params: paramsSchema, internet: true });
