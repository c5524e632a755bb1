// Declares /flattened-forms-pdf, which draws form fields into the pages.
import { mayBePdf } from "../document/contract/media-type.ts";
import { flattenForms } from "../operations/flatten-forms.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";

export const flattenedFormsPdf = defineEndpoint({
  path: "/flattened-forms-pdf",
  ...{ verb: "flattenForms", title: "Flatten forms", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Draws form fields into the pages, so that they can no longer be filled in.",
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: flattenForms,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
});
