// Declares /postscript, which converts a PDF to PostScript.
import { mayBePdf } from "../document/contract/media-type.ts";
import { stepOf } from "../document/contract/operation.ts";
import { flattenTransparency } from "../operations/flatten-transparency.ts";
import { layPrintPages } from "../operations/lay-print-pages.ts";
import { pdfToPostscript } from "../operations/pdf-to-postscript.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange } from "../service/http/contract/errors.ts";
import { stepsJob } from "../service/placement/placement.ts";

export const postscript = defineEndpoint({
  path: "/postscript",
  ...{ verb: "postscript", title: "PostScript", group: "Draw the pages" },
  variants: ["private", "keyed"],
  summary: "Converts a PDF to PostScript, for printers.",
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: pdfToPostscript,
  names: { pages: "page_range", level: "ps_level" },
  output: { kind: "files", naming: "name", type: "application/postscript", isOptional: true },
  errors: [outOfRange("page_range", "9"), outOfRange("ps_level", "1")],
  createJob(params) {
    // PostScript has no transparency, and Poppler would replace a page that has some by a picture.
    const flatten = stepOf(flattenTransparency, { quality: "high" });
    return stepsJob([stepOf(layPrintPages, params), flatten, stepOf(pdfToPostscript, params)]);
  },
});
