// Declares /split-pdf, which splits a PDF into several.
import { mayBePdf } from "../document/contract/media-type.ts";
import { splitPdf } from "../operations/split-pdf.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange } from "../service/http/contract/errors.ts";
import { edgeJob } from "../service/placement/placement.ts";

const BOTH = "The request has pages[], too.";

export const splitPdfEndpoint = defineEndpoint({
  path: "/split-pdf",
  ...{ verb: "split", title: "Split", group: "Make a PDF" },
  variants: ["private", "keyed"],
  summary: "Splits a PDF into one or more PDFs.",
  example: { "pages[]": ["1", "2-last"] },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: splitPdf,
  output: { kind: "files", naming: "list", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [outOfRange("pages[]", "0"), outOfRange("pages_per_file", "0")],
  createJob(params) {
    if (params.pages && params.pagesPerFile) throw outOfRange("pages_per_file", `${params.pagesPerFile}`, BOTH);
    return edgeJob(splitPdf, params);
  },
});
