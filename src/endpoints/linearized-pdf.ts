// Declares /linearized-pdf, which linearizes a PDF.

import { mayBePdf } from "../document/contract/media-type.ts";
import { linearizePdf } from "../operations/linearize-pdf.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";

export const linearizedPdf = defineEndpoint({
  path: "/linearized-pdf",
  ...{ verb: "linearize", title: "Fast web view", group: "Improve a PDF" },
  keeps: "document",
  variants: ["keyed"],
  summary: "Linearizes a PDF, so that web servers can send it one page at a time.",
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: linearizePdf,
  // qpdf keeps both its input and its output in memory.
  memory: "input-and-output",
  output: { kind: "files", naming: "name", type: "application/pdf" },
  allowsLargerUploads: true,
});
