// Declares /rotated-pdf, which rotates pages.
import { mayBePdf } from "../document/contract/media-type.ts";
import { rotatePages } from "../operations/rotate-pages.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { fieldRequired, outOfRange } from "../service/http/contract/errors.ts";

export const rotatedPdf = defineEndpoint({
  path: "/rotated-pdf",
  ...{ verb: "rotate", title: "Rotate pages", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Rotates pages of a PDF.",
  example: { angle: "90" },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: rotatePages,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [fieldRequired("angle"), outOfRange("angle", "45"), outOfRange("pages", "9")],
});
