// Declares the operation that makes an HTML page of a text, a table, data, an e-mail or a web archive. The container runs
// it, before it prints the page. Images with the role `image` are those to which a Markdown text refers. Yields one
// output, and the fonts among its inputs; an e-mail whose attachments are appended yields these, too, with the role `attachment`.
import * as z from "zod";
import { declareOperation } from "../../document/contract/operation.ts";
import { structuredTextOptions } from "./structured-text-options.ts";

/** Kinds of texts. `mail` is MIME, `msg` an item of Outlook, `web-archive` MHTML. */
export const TEXT_KINDS = ["text", "table", "markdown", "json", "xml", "mail", "msg", "web-archive"] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

const side = z.number().min(0);

const paramsSchema = z.object({
  kind: z.enum(TEXT_KINDS),
  /** Size of the sheet in its final orientation, in points. */
  paper: z.object({ width: z.number().positive(), height: z.number().positive() }),
  /** Margins in points. */
  margin: z.object({ top: side, right: side, bottom: side, left: side }),
  /** True if upright paper can be turned for a wide table. */
  isTurnable: z.boolean(),
  /** True if the PDF will have tags. */
  tagged: z.boolean(),
  /** True to pass the attachments of an e-mail on. @default they are listed only */
  appends: z.boolean().exactOptional(),
  options: structuredTextOptions,
});
export type TextToHtmlParams = z.infer<typeof paramsSchema>;

export const textToHtml = declareOperation({ name: "text-to-html", params: paramsSchema });
