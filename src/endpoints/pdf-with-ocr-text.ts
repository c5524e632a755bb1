// Declares /pdf-with-ocr-text, which adds the recognized text of scanned pages and pictures.
import { mayBePdf } from "../document/contract/media-type.ts";
import { recognizeText } from "../operations/recognize-text.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange, tooMuchContent } from "../service/http/contract/errors.ts";

export const pdfWithOcrText = defineEndpoint({
  path: "/pdf-with-ocr-text",
  ...{ verb: "recognizeText", title: "Recognize text", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary:
    "Recognizes the text of scanned pages (OCR), and adds it invisibly behind the page, for searching and copying.",
  example: { languages: "English" },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: recognizeText,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  errors: [outOfRange("languages", "Latin"), outOfRange("pages", "9"), tooMuchContent()],
});
