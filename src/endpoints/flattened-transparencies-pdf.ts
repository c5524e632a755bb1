// Declares /flattened-transparencies-pdf, which flattens the transparent objects of a PDF.

import { mayBePdf } from "../document/contract/media-type.ts";
import { FLATTENING_QUALITIES } from "../document/flattening/settings.ts";
import { flattenTransparency } from "../operations/flatten-transparency.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange } from "../service/http/contract/errors.ts";
import { choice, outputName } from "../service/http/contract/fields.ts";
import { containerJob } from "../service/placement/placement.ts";

export const flattenedTransparenciesPdf = defineEndpoint({
  path: "/flattened-transparencies-pdf",
  verb: "flatten",
  title: "Flatten transparency",
  group: "Improve a PDF",
  variants: ["keyed"],
  summary: "Flattens all transparent objects in a PDF.",
  example: { quality: "high" },
  input: { kind: "one", description: "PDF", accepts: mayBePdf },
  fields: {
    output: outputName("Name of the file, without extension."),
    quality: choice(
      "low for proofs on black-and-white printers and for the web, medium for desktop proofs and color " +
        "printers, high for press.",
      FLATTENING_QUALITIES,
      "medium",
    ),
  },
  outputNaming: "name",
  produces: "application/pdf",
  keeps: "document",
  allowsLargerUploads: true,
  errors: [outOfRange("quality", "best")],
  createJob: ({ quality }) => containerJob(flattenTransparency, { quality }),
});
