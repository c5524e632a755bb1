// Declares /flattened-layers-pdf, which removes the layers of a PDF.
import { mayBePdf } from "../document/contract/media-type.ts";
import { flattenLayers } from "../operations/flatten-layers.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";

export const flattenedLayersPdf = defineEndpoint({
  path: "/flattened-layers-pdf",
  ...{ verb: "flattenLayers", title: "Flatten layers", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Removes the layers of a PDF, with everything that is hidden.",
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: flattenLayers,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
});
