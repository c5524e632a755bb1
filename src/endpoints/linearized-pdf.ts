// Declares /linearized-pdf, which linearizes a PDF.

import { mayBePdf } from "../core/media-type.ts";
import { endpoint } from "../http/endpoint.ts";
import { outputName } from "../http/fields.ts";
import { linearizePdf } from "../operations/linearize-pdf.ts";
import { edge } from "../placement/placement.ts";

export const linearizedPdf = endpoint({
  path: "/linearized-pdf",
  variants: ["keyed"],
  summary: "Linearizes a PDF, so that web servers can send it one page at a time.",
  source: { kind: "one", description: "PDF", accepts: mayBePdf },
  fields: { output: outputName("Name of the file, without extension.") },
  naming: "name",
  produces: "application/pdf",
  setsUploadLimit: true,
  // qpdf keeps its files in memory: the input and the output.
  prepare: () => edge(linearizePdf, {}, "input-and-output"),
});
