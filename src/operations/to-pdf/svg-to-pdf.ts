// Declares the operation that converts an SVG drawing, compressed or not, to a PDF with one page. The container runs it
// with Chromium.
import * as z from "zod";
import { declareOperation } from "../../document/contract/operation.ts";

const paramsSchema = z.object({
  /** True to store images in the drawing losslessly, false to store them as JPEG. */
  lossless: z.boolean(),
  /** Maximum resolution of images on the page. @default unlimited */
  maxImageDpi: z.int().min(1).exactOptional(),
});

// `internet`: Chromium runs only where web pages are loaded. A drawing itself loads nothing.
export const svgToPdf = declareOperation({ name: "svg-to-pdf", params: paramsSchema, internet: true });
