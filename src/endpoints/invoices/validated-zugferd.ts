// Declares /validated-zugferd, which validates an electronic invoice.
import { mayBePdf } from "../../document/contract/media-type.ts";
import { REPORT_SCHEMAS, validateInvoice } from "../../operations/validate-invoice.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import { notAPdf, tooMuchContent } from "../../service/http/contract/errors.ts";

export const validatedZugferd = defineEndpoint({
  path: "/validated-zugferd",
  ...{ verb: "validateInvoice", title: "Validate an invoice", group: "Read a PDF" },
  variants: ["private", "keyed"],
  summary: "Validates an electronic invoice: ZUGFeRD, Factur-X or XRechnung, as a PDF or as XML.",
  example: { file: "invoice.xml" },
  // Not mayBePdf itself, which would add a password: PDF/A is never encrypted.
  inputs: { file: { kind: "one", description: "PDF or XML", accepts: (type) => mayBePdf(type) } },
  operation: validateInvoice,
  output: {
    kind: "data",
    type: "application/json",
    schema: REPORT_SCHEMAS,
    optional: ["pdf_valid", "pdfa", "syntax", "guideline", "profile"],
  },
  errors: [notAPdf(), tooMuchContent()],
});
