// Declares /split-pdf, which splits a PDF into several.
import { mayBePdf } from "../document/contract/media-type.ts";
import { splitPdf } from "../operations/split-pdf.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange } from "../service/http/contract/errors.ts";
import { optionalOutputName, pagesList } from "../service/http/contract/fields.ts";
import { edgeJob } from "../service/placement/placement.ts";

export const splitPdfEndpoint = defineEndpoint({
  path: "/split-pdf",
  verb: "split",
  title: "Split",
  group: "Make a PDF",
  variants: ["private", "keyed"],
  summary: "Splits a PDF into one or more PDFs.",
  example: { "pages[]": ["1", "2-last"] },
  input: { kind: "one", description: "PDF", accepts: mayBePdf },
  fields: {
    output: optionalOutputName(
      "Prefix of the files' names, without extension; a number from 1 is appended to each. The input's name " +
        "if left out.",
    ),
    pages: pagesList("The pages of each file to make; one file for each page if left out.", false),
  },
  outputNaming: "list",
  produces: "application/pdf",
  allowsLargerUploads: true,
  errors: [outOfRange("pages[]", "0")],
  createJob: ({ pages }) => edgeJob(splitPdf, pages.length > 0 ? { pages } : {}),
});
