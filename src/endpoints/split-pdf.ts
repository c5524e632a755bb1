// Declares /split-pdf, which splits a PDF into several.
import { mayBePdf } from "../core/media-type.ts";
import { endpoint } from "../http/endpoint.ts";
import { outOfRange } from "../http/errors.ts";
import { optionalOutputName, pagesList } from "../http/fields.ts";
import { splitPdf } from "../operations/split-pdf.ts";
import { edge } from "../placement/placement.ts";

export const splitPdfEndpoint = endpoint({
  path: "/split-pdf",
  variants: ["private", "keyed"],
  summary: "Splits a PDF into one or more PDFs.",
  example: { "pages[]": ["1", "2-last"] },
  source: { kind: "one", description: "PDF", accepts: mayBePdf },
  fields: {
    output: optionalOutputName(
      "Prefix of the files' names, without extension; a number from 1 is appended to each. The input's name " +
        "if left out.",
    ),
    pages: pagesList("The pages of each file to make; one file for each page if left out.", false),
  },
  naming: "list",
  produces: "application/pdf",
  setsUploadLimit: true,
  errors: [outOfRange("pages[]", "0")],
  prepare: ({ pages }) => edge(splitPdf, pages.length > 0 ? { pages } : {}),
});
