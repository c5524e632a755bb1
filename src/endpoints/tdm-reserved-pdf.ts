// Declares /tdm-reserved-pdf, which reserves the rights of text and data mining.
import { mayBePdf } from "../document/contract/media-type.ts";
import { reserveMining } from "../operations/reserve-mining.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { fieldRequired, outOfRange } from "../service/http/contract/errors.ts";

export const tdmReservedPdf = defineEndpoint({
  path: "/tdm-reserved-pdf",
  ...{ verb: "reserveMining", title: "Reserve data mining", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Declares in a PDF that the rights of text and data mining are reserved.",
  example: { policy: "https://example.com/tdm-policy.json" },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: reserveMining,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [fieldRequired("policy"), outOfRange("policy", "example.com")],
});
