// Declares /verified-pdf, which verifies the signatures of a PDF.
import { mayBePdf } from "../../document/contract/media-type.ts";
import { VERIFICATION_SCHEMAS, verifyPdf } from "../../operations/verify-pdf.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import { outOfRange } from "../../service/http/contract/errors.ts";

export const verifiedPdf = defineEndpoint({
  path: "/verified-pdf",
  ...{ verb: "verify", title: "Verify signatures", group: "Read a PDF" },
  variants: ["private", "keyed"],
  summary: "Verifies the signatures of a PDF, and finds what changed after them.",
  inputs: {
    file: { kind: "one", description: "PDF", accepts: mayBePdf },
    certificates_file: {
      ...{ kind: "one", description: "PEM or DER file with the certificates of trusted authorities" },
      ...{ isOptional: true, isUnlisted: true },
    },
  },
  operation: verifyPdf,
  memory: "input-and-output",
  output: { kind: "data", type: "application/json", schema: VERIFICATION_SCHEMAS },
  allowsLargerUploads: true,
  errors: [outOfRange("certificates_file", "authority.pem")],
});
