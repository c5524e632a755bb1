// Declares /pdf-with-added-attachment, which attaches a file to a PDF.
import { mayBePdf } from "../document/contract/media-type.ts";
import { addAttachment } from "../operations/add-attachment.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { attachmentsForbidden, outOfRange } from "../service/http/contract/errors.ts";

export const pdfWithAddedAttachment = defineEndpoint({
  path: "/pdf-with-added-attachment",
  ...{ verb: "attach", title: "Attach a file", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Attaches a file to a PDF.",
  example: { file_to_attach: "logo.png", relationship: "supplement" },
  inputs: {
    file: { kind: "one", description: "PDF", accepts: mayBePdf },
    file_to_attach: {
      ...{ kind: "one", description: "a file of any type", role: "attachment" },
      ...{ id: "id_to_attach", url: "url_to_attach" },
    },
  },
  operation: addAttachment,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [outOfRange("relationship", "none"), attachmentsForbidden()],
});
