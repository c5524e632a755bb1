// Declares /decrypted-pdf, which removes the passwords of a PDF.
import { mayBePdf } from "../../document/contract/media-type.ts";
import { SECRET } from "../../document/contract/parameters/text.ts";
import { decryptPdf } from "../../operations/protection/decrypt-pdf.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import { fieldRequired, outOfRange, permissionsRequired } from "../../service/http/contract/errors.ts";

export const decryptedPdf = defineEndpoint({
  path: "/decrypted-pdf",
  ...{ verb: "decrypt", title: "Decrypt", group: "Protect a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Removes the passwords of a PDF.",
  example: { file: "locked.pdf", current_open_password: "correct horse" },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: decryptPdf,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [fieldRequired("current_open_password"), outOfRange("current_open_password", SECRET), permissionsRequired()],
});
