// Declares the operation that takes a picture of a web page or an HTML file. The container runs it with Chromium.
import * as z from "zod";
import { LIMITS } from "../document/contract/limits.ts";
import { declareOperation } from "../document/contract/operation.ts";
import { viewport, visitSchema } from "../document/contract/parameters/web-page.ts";

const paramsSchema = z.object({
  format: z.enum(["png", "jpg", "webp"]),
  /** From 1 to 100, for JPEG. @default 75 */
  quality: z.int().min(1).max(100).exactOptional(),
  /** URL of the page. @default the input is the page */
  url: z
    .url({ protocol: /^https?$/ })
    .max(LIMITS.addressLength)
    .exactOptional(),
  /** Name of the kept response of the URL, see fetch-url. @default the browser requests the URL */
  kept: z.uuid().exactOptional(),
  /** True if the input is a zip archive of the page and its files. @default false */
  isArchive: z.boolean().exactOptional(),
  viewport: viewport.value,
  /** True for the whole page, false for the viewport. Without effect if there is a selector. */
  fullPage: z.boolean(),
  /** CSS selector of the element to show. @default the page */
  selector: z.string().max(1024).exactOptional(),
  /** Pixels of the picture per CSS pixel. */
  deviceScale: z.number().min(0.1).max(4),
  media: z.enum(["print", "screen"]),
  background: z.boolean(),
  visit: visitSchema,
});
export type HtmlToPictureParams = z.infer<typeof paramsSchema>;

export const htmlToPicture = declareOperation({ name: "html-to-picture", params: paramsSchema, internet: true });
