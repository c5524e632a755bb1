// Makes a workbook of the tables of a PDF, with a sheet for each. Yields one output, which is written page by page.

import { countedNotices } from "../document/contract/notice.ts";
import { defineOperation, type Run } from "../document/contract/operation.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { pages } from "../document/contract/parameters/pages.ts";
import { writeWorkbook } from "../document/formats/xlsx/write.ts";
import { DocumentLayout } from "../document/layout/document-layout.ts";
import type { PageText } from "../document/layout/lines/page-text.ts";
import { startedPages } from "../document/layout/read-pages.ts";
import { NumberMarks } from "../document/sheets/number-marks.ts";
import { Workbook } from "../document/sheets/workbook.ts";

const parameters = { pages: parameter("The pages whose tables are read, in this order.", pages, "1-last") };
export type PdfToWorkbookParams = Params<typeof parameters>;

const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

const run: Run<PdfToWorkbookParams> = async function* ([input], params, context) {
  const read = await startedPages(input!, params.pages, context);
  const [layout, marks] = [new DocumentLayout(), new NumberMarks()];
  const workbook = new Workbook(layout.read(counted(read, marks)), { hyphens: layout.hyphens, marks });
  yield {
    ...{ extension: "xlsx", type: TYPE, body: writeWorkbook(workbook.sheets()) },
    notices: () => countedNotices("no-tables", workbook.hasTables ? 0 : 1),
  };
};

/** Counts how numbers are written on pages that are read ahead. */
async function* counted(pages: AsyncIterable<PageText>, marks: NumberMarks): AsyncGenerator<PageText> {
  for await (const page of pages) {
    marks.add(page);
    yield page;
  }
}

export const pdfToWorkbook = defineOperation({ name: "pdf-to-workbook", parameters, run });
