// Declares /encrypted-pdf, which makes a PDF open only with a password.
import { mayBePdf } from "../../document/contract/media-type.ts";
import { SECRET } from "../../document/contract/parameters/text.ts";
import { encryptPdf } from "../../operations/protection/encrypt-pdf.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import {
  fieldRequired,
  outOfRange,
  passwordRequired,
  passwordTooShort,
  permissionsRequired,
} from "../../service/http/contract/errors.ts";

export const encryptedPdf = defineEndpoint({
  path: "/encrypted-pdf",
  ...{ verb: "encrypt", title: "Encrypt", group: "Protect a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Encrypts a PDF, so that it opens only with a password.",
  example: { new_open_password: "correct horse" },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: encryptPdf,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [
    fieldRequired("new_open_password"),
    outOfRange("new_open_password", SECRET),
    passwordTooShort(),
    passwordRequired(),
    permissionsRequired(),
  ],
});
