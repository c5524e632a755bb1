// Declares /merged-pdf, which merges PDFs, or selected pages of them, into one.
import { mayBePdf } from "../document/contract/media-type.ts";
import { mergePdfs } from "../operations/merge-pdfs.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange } from "../service/http/contract/errors.ts";
import { outputName, pagesList } from "../service/http/contract/fields.ts";
import { edgeJob } from "../service/placement/placement.ts";

export const mergedPdf = defineEndpoint({
  path: "/merged-pdf",
  verb: "merge",
  title: "Merge",
  group: "Make a PDF",
  variants: ["private", "keyed"],
  summary: "Merges PDFs, or chosen pages of them, into one PDF.",
  example: { "pages[]": ["1-3", "all"] },
  input: {
    kind: "several",
    description: "PDF",
    accepts: mayBePdf,
    orderedBy: "type",
    perInput: ["pages"],
  },
  fields: {
    output: outputName("Name of the file, without extension."),
    pages: pagesList("The pages of each input, in the order of type[].", true),
  },
  outputNaming: "name",
  produces: "application/pdf",
  joinedName: "merged",
  allowsLargerUploads: true,
  errors: [outOfRange("pages[]", "0")],
  createJob: ({ pages }) => edgeJob(mergePdfs, { pages }),
});
