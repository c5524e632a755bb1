// Declares /merged-pdf, which merges PDFs, or selected pages of them, into one.
import { mayBePdf } from "../document/contract/media-type.ts";
import { mergePdfs } from "../operations/merge-pdfs.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange } from "../service/http/contract/errors.ts";

export const mergedPdf = defineEndpoint({
  path: "/merged-pdf",
  ...{ verb: "merge", title: "Merge", group: "Make a PDF" },
  joinedName: "merged",
  variants: ["private", "keyed"],
  summary: "Merges PDFs, or chosen pages of them, into one PDF.",
  example: { "pages[]": ["1-3", "all"] },
  inputs: {
    file: { kind: "several", description: "PDF", accepts: mayBePdf, orderedBy: "type", perInput: ["pages"] },
  },
  operation: mergePdfs,
  output: { kind: "files", naming: "name", type: "application/pdf" },
  allowsLargerUploads: true,
  errors: [outOfRange("pages[]", "0")],
});
