// Declares the operation that writes the pages of a PDF as PostScript. The container runs it with Poppler, after the
// pages were laid on paper.
import * as z from "zod";
import { declareOperation } from "../document/contract/operation.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { wordFor } from "../document/contract/parameters/choice.ts";
import { trueFalse } from "../document/contract/parameters/on-off.ts";
import { PRINT_PAGES } from "./lay-print-pages.ts";

const parameters = {
  level: parameter(
    "Language level of PostScript; level 3 makes smaller files.",
    wordFor({ 2: 2, 3: 3 }, z.int().min(2).max(3)),
    "3",
  ),
  binaryOutput: parameter("Permits binary data; otherwise the file has only ASCII characters.", trueFalse, "true"),
  ...PRINT_PAGES,
};
export type PdfToPostscriptParams = Params<typeof parameters>;

export const pdfToPostscript = declareOperation({ name: "pdf-to-postscript", parameters });
