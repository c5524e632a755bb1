// Declares /flattened-annotations-pdf, which draws annotations into the pages.
import { mayBePdf } from "../document/contract/media-type.ts";
import { flattenAnnotations } from "../operations/flatten-annotations.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";

export const flattenedAnnotationsPdf = defineEndpoint({
  path: "/flattened-annotations-pdf",
  ...{ verb: "flattenAnnotations", title: "Flatten annotations", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Draws annotations into the pages, so that they can no longer be changed.",
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: flattenAnnotations,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
});
