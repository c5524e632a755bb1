// Creates a PDF of empty pages. Yields one output, and needs no input.

import { defineOperation, type Run } from "../document/contract/operation.ts";
import { onlyWith, type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { integer, number } from "../document/contract/parameters/number.ts";
import { orientation, PAPER_NAMES, type PageSize, paperSize } from "../document/contract/parameters/paper.ts";
import { Budget } from "../document/objects/budget.ts";
import { PdfFile } from "../document/objects/pdf-file.ts";
import { Dictionary, Name } from "../document/objects/values.ts";
import { writeFile } from "../document/objects/writer.ts";
import { pdfOutput } from "../document/pages/open-pdf.ts";
import { putPageTree } from "../document/pages/page-tree.ts";

/** Range of a page's sides, in points (ISO 32000-1, annex C.2). */
const side = number({ min: 0.01, max: 14_400 });

const parameters = {
  pageSize: parameter("Size of the pages.", choice([...PAPER_NAMES, "custom"])),
  pageCount: parameter("Number of pages.", integer({ min: 1, max: 1000 })),
  pageOrientation: onlyWith("pageSize", PAPER_NAMES, parameter("Orientation of the pages.", orientation)),
  customHeight: onlyWith("pageSize", "custom", parameter("Height of the pages in points.", side)),
  customWidth: onlyWith("pageSize", "custom", parameter("Width of the pages in points.", side)),
};
export type CreateBlankPdfParams = Params<typeof parameters>;

const FILE_BYTES = 2 ** 20;

const run: Run<CreateBlankPdfParams> = async function* (_inputs, params) {
  const file = PdfFile.create(new Budget(FILE_BYTES));
  const { width, height } = sizeOf(params);
  const entries = { Type: Name.of("Page"), MediaBox: [0, 0, width, height], Resources: new Dictionary() };
  const pages = Array.from({ length: params.pageCount }, () => file.add(Dictionary.of(entries)));
  file.catalog.set("Pages", putPageTree(file, pages));
  yield pdfOutput(writeFile(file));
};

export const createBlankPdf = defineOperation({ name: "create-blank-pdf", parameters, run });

function sizeOf({ pageSize, pageOrientation, customHeight, customWidth }: CreateBlankPdfParams): PageSize {
  if (pageSize !== "custom") return paperSize(pageSize, pageOrientation!);
  return { width: customWidth!, height: customHeight! };
}
