// Declares /imposed-pdf, which places several pages on each sheet.
import { mayBePdf } from "../document/contract/media-type.ts";
import { imposePages } from "../operations/impose-pages.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { fieldRequired, outOfRange } from "../service/http/contract/errors.ts";

export const imposedPdf = defineEndpoint({
  path: "/imposed-pdf",
  ...{ verb: "impose", title: "Pages per sheet", group: "Make a PDF" },
  variants: ["private", "keyed"],
  summary: "Places several pages on each sheet, also in the order of a booklet.",
  example: { layout: "2-up" },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: imposePages,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  errors: [fieldRequired("layout"), outOfRange("pages", "9")],
});
