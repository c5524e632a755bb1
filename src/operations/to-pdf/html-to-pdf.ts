// Declares the operation that converts a web page or an HTML file to PDF. The container runs it with Chromium.
import * as z from "zod";
import { LIMITS } from "../../document/contract/limits.ts";
import { declareOperation } from "../../document/contract/operation.ts";
import { visitSchema } from "../../document/contract/parameters/web-page.ts";

const side = z.number().min(0);
const sides = z.object({ top: side, right: side, bottom: side, left: side });

/** Lengths in points. */
export type Sides = z.infer<typeof sides>;

const paramsSchema = z.object({
  /** URL of the page. @default the input is the page */
  url: z
    .url({ protocol: /^https?$/ })
    .max(LIMITS.addressLength)
    .exactOptional(),
  /** Name of the kept response of the URL, see fetch-url. @default the browser requests the URL */
  kept: z.uuid().exactOptional(),
  /** True if the input is a zip archive of the page and its files. @default false */
  isArchive: z.boolean().exactOptional(),
  /** Size of the sheet in its final orientation, in points. */
  paper: z.object({ width: z.number().positive(), height: z.number().positive() }),
  /** Margin on all sides, or on each, in points. */
  margin: z.union([side, sides]),
  /** True for one sheet that is as long as the page, instead of sheets of the paper's height. @default false */
  isOneSheet: z.boolean().exactOptional(),
  /**
   * Device whose layout is used, scaled to the width between the margins.
   * @default a desktop, except for documents made for paper (@page rules, print styles), whose CSS units keep their
   * physical size
   */
  layout: z.enum(["desktop", "tablet", "mobile"]).exactOptional(),
  /** The @page settings of the document that apply because the client does not override them. @default none */
  ownPages: z.object({ size: z.boolean(), margin: z.boolean() }).exactOptional(),
  /** True for a page without scripts that must load nothing: what it refers to is left out. @default false */
  isSealed: z.boolean().exactOptional(),
  /** True to write the structure tree, and an outline derived from it. @default false */
  tagged: z.boolean().exactOptional(),
  /** Templates of headers and footers, in HTML. @default none */
  header: z.string().max(LIMITS.pageTemplateLength).exactOptional(),
  footer: z.string().max(LIMITS.pageTemplateLength).exactOptional(),
  /** Factor for CSS lengths. @default the page is fitted to the paper, unless it is made for paper */
  scale: z.number().min(0.1).max(2).exactOptional(),
  /** The medium whose styles apply. @default print */
  media: z.enum(["print", "screen"]).exactOptional(),
  /** True to print backgrounds. @default true */
  background: z.boolean().exactOptional(),
  /** The title and the levels of headings of a table of contents before the content. @default none */
  contents: z.object({ title: z.string().max(200), depth: z.int().min(1).max(6) }).exactOptional(),
  /** How the page is visited. @default without cookies, headers, conditions and checks */
  visit: visitSchema.exactOptional(),
  /** True to store images losslessly, false to store them as JPEG. */
  lossless: z.boolean(),
  /** Maximum resolution of images on the page. @default unlimited */
  maxImageDpi: z.int().min(1).exactOptional(),
});
export type HtmlToPdfParams = z.infer<typeof paramsSchema>;
/** The @page rules of a document that can apply. `size` includes the orientation. */
export type OwnPages = NonNullable<HtmlToPdfParams["ownPages"]>;

export const sidesOf = (margin: HtmlToPdfParams["margin"]): Sides =>
  typeof margin === "number" ? { top: margin, right: margin, bottom: margin, left: margin } : margin;

/** {@link Input.role} of the files to which the page refers. */
export const ASSET = "asset";
/** {@link Input.role} of further pages, which are printed for themselves, behind the first one. */
export const PART = "part";

export const htmlToPdf = declareOperation({ name: "html-to-pdf", params: paramsSchema, internet: true });
