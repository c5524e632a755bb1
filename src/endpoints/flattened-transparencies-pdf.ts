// Declares /flattened-transparencies-pdf, which flattens the transparent objects of a PDF.

import { mayBePdf } from "../document/contract/media-type.ts";
import { flattenTransparency } from "../operations/flatten-transparency.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange } from "../service/http/contract/errors.ts";

export const flattenedTransparenciesPdf = defineEndpoint({
  path: "/flattened-transparencies-pdf",
  ...{ verb: "flatten", title: "Flatten transparency", group: "Improve a PDF" },
  keeps: "document",
  variants: ["keyed"],
  summary: "Flattens all transparent objects in a PDF.",
  example: { quality: "high" },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: flattenTransparency,
  output: { kind: "files", naming: "name", type: "application/pdf" },
  allowsLargerUploads: true,
  errors: [outOfRange("quality", "best")],
});
