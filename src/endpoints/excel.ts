// Declares /excel, which makes a workbook of the tables of a PDF.
import { mayBePdf } from "../document/contract/media-type.ts";
import { pdfToWorkbook } from "../operations/pdf-to-workbook.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange } from "../service/http/contract/errors.ts";

export const excel = defineEndpoint({
  path: "/excel",
  ...{ verb: "excel", title: "Excel", group: "Read a PDF" },
  variants: ["private", "keyed"],
  summary: "Makes an Excel workbook of the tables of a PDF, with a sheet for each table.",
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: pdfToWorkbook,
  output: {
    kind: "files",
    naming: "name",
    type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    isOptional: true,
  },
  allowsLargerUploads: true,
  mayRecognize: "asked",
  errors: [outOfRange("ocr_languages", "Latin"), outOfRange("pages", "1-999")],
});
