// Declares /extracted-text, which extracts the text of a PDF.
import { mayBePdf } from "../document/contract/media-type.ts";
import { extractText, TEXT_SCHEMAS } from "../operations/extract-text.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange, tooMuchContent } from "../service/http/contract/errors.ts";

export const extractedText = defineEndpoint({
  path: "/extracted-text",
  ...{ verb: "text", title: "Text", group: "Read a PDF" },
  variants: ["private", "keyed"],
  summary: "Extracts the text of a PDF, its layout, and its words with their places and styles.",
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: extractText,
  output: {
    kind: "data",
    type: "application/json",
    schema: TEXT_SCHEMAS,
    optional: ["fullText", "layout", "words"],
    mayBeFile: true,
  },
  allowsLargerUploads: true,
  mayRecognize: "asked",
  errors: [outOfRange("ocr_languages", "Latin"), outOfRange("pages", "1-999"), tooMuchContent()],
});
