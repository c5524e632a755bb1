// Declares /pdf-with-redacted-text-applied, which removes marked text for good.
import { mayBePdf } from "../document/contract/media-type.ts";
import { applyRedactions } from "../operations/apply-redactions.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange } from "../service/http/contract/errors.ts";

export const pdfWithRedactedTextApplied = defineEndpoint({
  path: "/pdf-with-redacted-text-applied",
  ...{ verb: "applyRedactions", title: "Redact marked text", group: "Protect a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Removes what redaction marks cover, and every match outside of pages, for good.",
  inputs: { file: { kind: "one", description: "PDF with marks", accepts: mayBePdf } },
  operation: applyRedactions,
  memory: "input-and-output",
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [outOfRange("rgb_color", "red")],
});
