// Declares /blank-pdf, which creates a PDF of empty pages.
import { createBlankPdf } from "../operations/create-blank-pdf.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { customSizeRequired, fieldRequired, outOfRange } from "../service/http/contract/errors.ts";

export const blankPdf = defineEndpoint({
  path: "/blank-pdf",
  ...{ verb: "blank", title: "Blank pages", group: "Make a PDF" },
  variants: ["private", "keyed"],
  summary: "Creates a PDF of empty pages.",
  example: { page_size: "A4", page_count: 1, page_orientation: "portrait" },
  inputs: {},
  operation: createBlankPdf,
  memory: "nothing",
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  missing: { custom_height: customSizeRequired, custom_width: customSizeRequired },
  errors: [fieldRequired("page_size"), outOfRange("page_count", "1001"), customSizeRequired()],
});
