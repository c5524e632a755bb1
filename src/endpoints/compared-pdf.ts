// Declares /compared-pdf, which finds the differences between two PDFs.
import { mayBePdf } from "../document/contract/media-type.ts";
import { DIFFERENCE_SCHEMAS, findDifferences } from "../operations/find-differences.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange } from "../service/http/contract/errors.ts";

export const comparedPdf = defineEndpoint({
  path: "/compared-pdf",
  ...{ verb: "compare", title: "Compare", group: "Read a PDF" },
  variants: ["private", "keyed"],
  summary: "Finds the words and the areas of pages that differ between two PDFs.",
  example: { compared_file: "appendix.pdf" },
  inputs: {
    file: { kind: "one", description: "PDF", accepts: mayBePdf },
    compared_file: { kind: "one", description: "another version of the PDF", accepts: mayBePdf },
  },
  operation: findDifferences,
  names: { dpi: "resolution" },
  memory: "input-and-output",
  output: {
    kind: "data",
    type: "application/json",
    otherTypes: ["application/pdf"],
    schema: DIFFERENCE_SCHEMAS,
    mayBeFile: true,
  },
  errors: [outOfRange("resolution", "9")],
});
