// Declares /pdf-with-redacted-text-preview, which marks the text that /pdf-with-redacted-text-applied removes.

import { mayBePdf } from "../document/contract/media-type.ts";
import { SECRET } from "../document/contract/parameters/text.ts";
import { markRedactions } from "../operations/mark-redactions.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { fieldRequired, fieldTooLarge, outOfRange } from "../service/http/contract/errors.ts";

export const pdfWithRedactedTextPreview = defineEndpoint({
  path: "/pdf-with-redacted-text-preview",
  ...{ verb: "markRedactions", title: "Mark text to redact", group: "Protect a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Marks literals, regular expressions and presets such as e-mail addresses for redaction.",
  example: { redactions: JSON.stringify([{ type: "preset", value: "email" }]) },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: markRedactions,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [fieldRequired("redactions"), fieldTooLarge("redactions"), outOfRange("redactions.0.value", SECRET)],
});
