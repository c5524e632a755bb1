// Declares /linearized-pdf, which linearizes a PDF.

import { mayBePdf } from "../document/contract/media-type.ts";
import { linearizePdf } from "../operations/linearize-pdf.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outputName } from "../service/http/contract/fields.ts";
import { edgeJob } from "../service/placement/placement.ts";

export const linearizedPdf = defineEndpoint({
  path: "/linearized-pdf",
  verb: "linearize",
  title: "Fast web view",
  group: "Improve a PDF",
  variants: ["keyed"],
  summary: "Linearizes a PDF, so that web servers can send it one page at a time.",
  input: { kind: "one", description: "PDF", accepts: mayBePdf },
  fields: { output: outputName("Name of the file, without extension.") },
  outputNaming: "name",
  produces: "application/pdf",
  keeps: "document",
  allowsLargerUploads: true,
  // qpdf keeps its files in memory: the input and the output.
  createJob: () => edgeJob(linearizePdf, {}, "input-and-output"),
});
