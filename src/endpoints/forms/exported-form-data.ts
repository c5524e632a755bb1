// Declares /exported-form-data, which returns the data of a form.
import { mayBePdf } from "../../document/contract/media-type.ts";
import { MEDIA_TYPES } from "../../document/form-data/formats.ts";
import { exportFormData } from "../../operations/export-form-data.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import { fieldRequired, outOfRange } from "../../service/http/contract/errors.ts";

const { fdf, xfdf, xml, xfd, xdp } = MEDIA_TYPES;

export const exportedFormData = defineEndpoint({
  path: "/exported-form-data",
  ...{ verb: "exportFormData", title: "Export form data", group: "Read a PDF" },
  variants: ["private", "keyed"],
  summary: "Returns the values of a form as FDF, XFDF, XML or JSON.",
  example: { file: "form.pdf", data_format: "xfdf" },
  inputs: { file: { kind: "one", description: "PDF with a form", accepts: mayBePdf } },
  operation: exportFormData,
  output: { kind: "files", naming: "name", type: xfdf, otherTypes: [fdf, xml, xfd, xdp], isOptional: true },
  allowsLargerUploads: true,
  errors: [fieldRequired("data_format"), outOfRange("data_format", "xdp")],
});
