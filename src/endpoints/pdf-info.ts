// Declares /pdf-info, which returns information about a PDF.
import { mayBePdf } from "../document/contract/media-type.ts";
import { ANSWER_SCHEMAS, needsValidator, readPdfInfo, readValidatedPdfInfo } from "../operations/read-pdf-info.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange, tooMuchContent } from "../service/http/contract/errors.ts";
import { containerJob, edgeJob } from "../service/placement/placement.ts";

export const pdfInfo = defineEndpoint({
  path: "/pdf-info",
  ...{ verb: "info", title: "Facts", group: "Read a PDF" },
  variants: ["private", "keyed"],
  summary: "Answers questions about a PDF.",
  example: { queries: "page_count,title" },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf, mayBeLocked: true } },
  operation: readPdfInfo,
  output: {
    kind: "data",
    type: "application/json",
    schema: {
      ...ANSWER_SCHEMAS,
      allQueriesProcessed: { type: "boolean" },
      warning: { type: "string", description: "Which queries have no answer, and why." },
    },
    optional: [...Object.keys(ANSWER_SCHEMAS), "warning"],
  },
  allowsLargerUploads: true,
  errors: [outOfRange("queries", "pages"), tooMuchContent()],
  createJob: (params) =>
    needsValidator(params) ? containerJob(readValidatedPdfInfo, params) : edgeJob(readPdfInfo, params),
});
