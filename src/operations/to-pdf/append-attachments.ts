// Declares the operation that prints the page of an e-mail, and appends the pages of its attachments. The first input is
// the page, the others are the attachments, and the fonts for all of them. The container runs it.
import * as z from "zod";
import { declareOperation } from "../../document/contract/operation.ts";
import { htmlToPdf } from "./html-to-pdf.ts";
import { textToHtml } from "./text-to-html.ts";

const paramsSchema = z.object({
  /** Settings with which the page and attachments in HTML are printed. */
  printing: htmlToPdf.params,
  /** Settings of attachments that are texts. Each has a kind of its own. */
  text: textToHtml.params,
});

// `internet`: Chromium runs only where web pages are loaded. An e-mail itself loads nothing.
export const appendAttachments = declareOperation({
  ...{ name: "append-attachments", params: paramsSchema, internet: true },
});
