// Declares /pdf-with-added-text, which adds texts to pages.
import { mayBePdf } from "../document/contract/media-type.ts";
import { addText } from "../operations/add-text.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { fieldRequired, fieldTooLarge, outOfRange } from "../service/http/contract/errors.ts";

export const pdfWithAddedText = defineEndpoint({
  path: "/pdf-with-added-text",
  ...{ verb: "addText", title: "Add text", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Adds texts to pages of a PDF.",
  example: {
    text_objects: JSON.stringify([
      {
        ...{ font: "Arial", text: "Approved", text_size: 12, page: 1, x: 72, y: 72, max_width: 200, rotation: 0 },
        ...{ opacity: 1, text_color_rgb: "0,0,0" },
      },
    ]),
  },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: addText,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [fieldRequired("text_objects"), fieldTooLarge("text_objects"), outOfRange("text_objects.0.page", "9")],
});
