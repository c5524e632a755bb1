// Declares /validated-pdf, which validates a PDF against PDF/A or PDF/UA.
import { mayBePdf } from "../document/contract/media-type.ts";
import { VALIDATION_SCHEMAS, validatePdf } from "../operations/validate-pdf.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange, tooMuchContent } from "../service/http/contract/errors.ts";

export const validatedPdf = defineEndpoint({
  path: "/validated-pdf",
  ...{ verb: "validate", title: "Validate PDF/A and PDF/UA", group: "Read a PDF" },
  variants: ["private", "keyed"],
  summary: "Lists the rules of PDF/A or PDF/UA that a PDF breaks, with their places, or marks them in the PDF.",
  example: { profile: "PDF/A-2b" },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: validatePdf,
  output: {
    kind: "data",
    type: "application/json",
    otherTypes: ["application/pdf"],
    schema: VALIDATION_SCHEMAS,
    mayBeFile: true,
  },
  errors: [outOfRange("profile", "PDF/A-5"), tooMuchContent()],
});
