// Declares /word, which converts a PDF to a Word document.
import { mayBePdf } from "../document/contract/media-type.ts";
import { pdfToWord } from "../operations/pdf-to-word.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange } from "../service/http/contract/errors.ts";

export const word = defineEndpoint({
  path: "/word",
  ...{ verb: "word", title: "Word", group: "Read a PDF" },
  variants: ["private", "keyed"],
  summary: "Converts a PDF to a Word document.",
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: pdfToWord,
  output: {
    kind: "files",
    naming: "name",
    type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    isOptional: true,
  },
  allowsLargerUploads: true,
  mayRecognize: "automatic",
  errors: [outOfRange("ocr_languages", "Latin"), outOfRange("pages", "1-999")],
});
