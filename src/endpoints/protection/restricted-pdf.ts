// Declares /restricted-pdf, which restricts what readers of a PDF can do.
import { mayBePdf } from "../../document/contract/media-type.ts";
import { SECRET } from "../../document/contract/parameters/text.ts";
import { restrictPdf } from "../../operations/protection/restrict-pdf.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import {
  fieldRequired,
  outOfRange,
  passwordRequired,
  passwordTooShort,
  permissionsRequired,
} from "../../service/http/contract/errors.ts";

export const restrictedPdf = defineEndpoint({
  path: "/restricted-pdf",
  ...{ verb: "restrict", title: "Restrict", group: "Protect a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Restricts what readers of a PDF can do, such as printing or copying.",
  example: { new_permissions_password: "correct horse", "restrictions[]": ["print_high", "copy_content"] },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: restrictPdf,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [
    fieldRequired("new_permissions_password"),
    outOfRange("new_permissions_password", SECRET),
    outOfRange("restrictions[]", "print"),
    passwordTooShort(),
    passwordRequired(),
    permissionsRequired(),
  ],
});
