// Declares /pdf-with-page-boxes-set, which sets the boxes of pages.
import { mayBePdf } from "../document/contract/media-type.ts";
import { setPageBoxes } from "../operations/set-page-boxes.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { fieldRequired, fieldTooLarge, outOfRange } from "../service/http/contract/errors.ts";

const margins = { left: 36, top: 36, bottom: 36, right: 36 };

export const pdfWithPageBoxesSet = defineEndpoint({
  path: "/pdf-with-page-boxes-set",
  ...{ verb: "setPageBoxes", title: "Set page boxes", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Sets the media, crop, bleed, trim and art boxes of pages.",
  example: { boxes: JSON.stringify({ boxes: [{ box: "crop", pages: [{ range: "all", ...margins }] }] }) },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: setPageBoxes,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [fieldRequired("boxes"), fieldTooLarge("boxes"), outOfRange("boxes.0.pages.0.range", "9")],
});
