// Declares /markdown, which converts a PDF to Markdown.
import { mayBePdf } from "../document/contract/media-type.ts";
import { pdfToMarkdown } from "../operations/pdf-to-markdown.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange, tooMuchContent } from "../service/http/contract/errors.ts";

export const markdown = defineEndpoint({
  path: "/markdown",
  ...{ verb: "markdown", title: "Markdown", group: "Read a PDF" },
  variants: ["private", "keyed"],
  summary: "Converts a PDF to Markdown.",
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: pdfToMarkdown,
  output: {
    kind: "data",
    type: "text/markdown",
    member: "markdown",
    schema: { markdown: { type: "string", description: "The document in Markdown." } },
    mayBeFile: true,
  },
  allowsLargerUploads: true,
  mayRecognize: "asked",
  errors: [outOfRange("ocr_languages", "Latin"), outOfRange("pages", "1-999"), tooMuchContent()],
});
