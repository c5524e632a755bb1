// Declares /rasterized-pdf, which replaces the contents of pages by images.
import { mayBePdf } from "../document/contract/media-type.ts";
import { pdfToRasterized } from "../operations/pdf-to-rasterized.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange } from "../service/http/contract/errors.ts";

export const rasterizedPdf = defineEndpoint({
  path: "/rasterized-pdf",
  ...{ verb: "rasterize", title: "Rasterize", group: "Improve a PDF" },
  keeps: "pages",
  variants: ["private", "keyed"],
  summary: "Replaces the contents of all pages by images.",
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: pdfToRasterized,
  names: { dpi: "resolution" },
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  errors: [outOfRange("resolution", "9")],
});
