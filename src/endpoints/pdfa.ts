// Declares /pdfa, which converts a PDF to PDF/A.
import { detectMediaType, mayBePdf } from "../document/contract/media-type.ts";
import { pdfToPdfa } from "../operations/pdf-to-pdfa.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { nonconforming, outOfRange, tooMuchContent } from "../service/http/contract/errors.ts";

export const pdfa = defineEndpoint({
  path: "/pdfa",
  ...{ verb: "pdfa", title: "Archive as PDF/A", group: "Improve a PDF" },
  keeps: "pages",
  variants: ["private", "keyed"],
  summary: "Converts a PDF to a PDF/A version.",
  example: { output_type: "PDF/A-2b" },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: pdfToPdfa,
  names: { level: "output_type", rasterize: "rasterize_if_errors_encountered" },
  output: { kind: "files", naming: "name", type: "application/pdf" },
  errors: [outOfRange("output_type", "PDF/A-4"), nonconforming(), tooMuchContent()],
  prewarmFor: (start, name) => (mayBePdf(detectMediaType(start, name)) ? pdfToPdfa : undefined),
});
