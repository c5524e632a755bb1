// Declares /pdf-with-page-numbers, which numbers pages.
import { mayBePdf } from "../document/contract/media-type.ts";
import { addPageNumbers } from "../operations/add-page-numbers.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { eitherRequired, outOfRange } from "../service/http/contract/errors.ts";
import { edgeJob } from "../service/placement/placement.ts";

export const pdfWithPageNumbers = defineEndpoint({
  path: "/pdf-with-page-numbers",
  ...{ verb: "addPageNumbers", title: "Number pages", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Adds page numbers or Bates numbers to pages of a PDF.",
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: addPageNumbers,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [eitherRequired("text_color_rgb", "text_color_cmyk"), outOfRange("pages", "9")],
  createJob(params) {
    if (params.textColorRgb && params.textColorCmyk) throw eitherRequired("text_color_rgb", "text_color_cmyk");
    return edgeJob(addPageNumbers, params);
  },
});
