// Declares /pdfa, which converts a PDF to PDF/A.
import { detectMediaType, mayBePdf } from "../document/contract/media-type.ts";
import { ATTACHMENT, pdfToPdfa } from "../operations/pdf-to-pdfa.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import {
  fieldRequired,
  nonconforming,
  notAnInvoice,
  outOfRange,
  tooMuchContent,
} from "../service/http/contract/errors.ts";
import { containerJob } from "../service/placement/placement.ts";

export const pdfa = defineEndpoint({
  path: "/pdfa",
  ...{ verb: "pdfa", title: "Archive as PDF/A", group: "Improve a PDF" },
  keeps: "pages",
  variants: ["private", "keyed"],
  summary: "Converts a PDF to a PDF/A version.",
  example: { output_type: "PDF/A-2b" },
  inputs: {
    file: { kind: "one", description: "PDF", accepts: mayBePdf },
    file_to_attach: {
      ...{
        kind: "one",
        description: "an invoice in XML, or a file of another type",
        role: ATTACHMENT,
        isOptional: true,
      },
      ...{ id: "id_to_attach", url: "url_to_attach" },
    },
  },
  operation: pdfToPdfa,
  names: { level: "output_type", rasterize: "rasterize_if_errors_encountered" },
  output: { kind: "files", naming: "name", type: "application/pdf" },
  mayRecognize: "asked",
  errors: [
    outOfRange("output_type", "PDF/A-5"),
    outOfRange("invoice_profile", "comfort"),
    outOfRange("ocr_languages", "Latin"),
    fieldRequired("file_to_attach"),
    ...[nonconforming(), tooMuchContent(), notAnInvoice()],
  ],
  createJob(params, { inputs }) {
    const isAttached = inputs.some(({ role }) => role === ATTACHMENT);
    if (inputs.length > 0 && !isAttached && params.invoiceProfile) throw fieldRequired("file_to_attach");
    return containerJob(pdfToPdfa, params);
  },
  prewarmFor: (start, name) => (mayBePdf(detectMediaType(start, name)) ? pdfToPdfa : undefined),
});
