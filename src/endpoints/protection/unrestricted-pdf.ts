// Declares /unrestricted-pdf, which removes the restrictions of a PDF.
import { mayBePdf } from "../../document/contract/media-type.ts";
import { SECRET } from "../../document/contract/parameters/text.ts";
import { unrestrictPdf } from "../../operations/protection/unrestrict-pdf.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import { fieldRequired, outOfRange, permissionsRequired } from "../../service/http/contract/errors.ts";

export const unrestrictedPdf = defineEndpoint({
  path: "/unrestricted-pdf",
  ...{ verb: "unrestrict", title: "Unrestrict", group: "Protect a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Removes the restrictions of a PDF.",
  example: { file: "restricted.pdf", current_permissions_password: "correct horse" },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: unrestrictPdf,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [
    fieldRequired("current_permissions_password"),
    outOfRange("current_permissions_password", SECRET),
    permissionsRequired(),
  ],
});
