// Declares /pdf-with-metadata, which sets the metadata of a PDF.
import { mayBePdf } from "../document/contract/media-type.ts";
import { setMetadata } from "../operations/set-metadata.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { fieldRequired, fieldTooLarge, outOfRange } from "../service/http/contract/errors.ts";

export const pdfWithMetadata = defineEndpoint({
  path: "/pdf-with-metadata",
  ...{ verb: "setMetadata", title: "Set metadata", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Sets or deletes the title, author, keywords, dates and other metadata of a PDF.",
  example: { metadata: JSON.stringify({ title: "Annual report", author: "Jane Doe", keywords: null }) },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: setMetadata,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [fieldRequired("metadata"), fieldTooLarge("metadata"), outOfRange("creation_date", "2024-02-30")],
});
