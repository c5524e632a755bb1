// Declares /pdf-with-imported-form-data, which fills a form.
import { mayBePdf } from "../../document/contract/media-type.ts";
import { importFormData } from "../../operations/import-form-data.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import { eitherRequired, outOfRange } from "../../service/http/contract/errors.ts";

const mayBeData = (type: string) => /fdf|xml|json|^text\/(plain|xml)|octet-stream$/.test(type);

export const pdfWithImportedFormData = defineEndpoint({
  path: "/pdf-with-imported-form-data",
  ...{ verb: "importFormData", title: "Fill a form", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Fills the form of a PDF with values.",
  example: { file: "form.pdf", data: JSON.stringify({ Name: "Ada Lovelace" }) },
  inputs: {
    file: { kind: "one", description: "PDF with a form", accepts: mayBePdf },
    data_file: {
      ...{ kind: "one", description: "FDF, XFDF, XML, XDP, XFD or JSON", accepts: mayBeData },
      ...{ insteadOf: "data", isUnlisted: true },
    },
  },
  operation: importFormData,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [eitherRequired("data_file", "data"), outOfRange("data_file", "data.fdf")],
});
