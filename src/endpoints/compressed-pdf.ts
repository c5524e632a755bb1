// Declares /compressed-pdf, which reduces the file size of a PDF.

import { mayBePdf } from "../document/contract/media-type.ts";
import { compressPdf } from "../operations/compress-pdf.ts";
import { compressionSteps } from "../operations/compression-steps.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import {
  fieldRequired,
  fieldTooLarge,
  outOfRange,
  profileNotJson,
  targetMissed,
} from "../service/http/contract/errors.ts";
import { stepsJob } from "../service/placement/placement.ts";

export const compressedPdf = defineEndpoint({
  path: "/compressed-pdf",
  ...{ verb: "compress", title: "Compress", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Reduces the file size of a PDF.",
  example: { compression_level: "medium" },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: compressPdf,
  names: { level: "compression_level" },
  output: { kind: "files", naming: "name", type: "application/pdf" },
  extraFields: ["inputSize"],
  allowsLargerUploads: true,
  errors: [
    outOfRange("compression_level", "best"),
    fieldRequired("profile"),
    profileNotJson(),
    fieldTooLarge("profile"),
    ...[outOfRange("target_size", "small"), targetMissed()],
  ],
  createJob(params) {
    // The output is buffered, because the input is returned unless the output is smaller.
    return stepsJob(compressionSteps(params), "input-and-output");
  },
});
