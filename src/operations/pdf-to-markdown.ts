// Converts a PDF to Markdown: headings, paragraphs, lists, tables and links in reading order, without running heads and
// page numbers. Yields one output, which is written page by page.
import { defineOperation, type Run } from "../document/contract/operation.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { onOff } from "../document/contract/parameters/on-off.ts";
import { pages } from "../document/contract/parameters/pages.ts";
import { DocumentLayout } from "../document/layout/document-layout.ts";
import { MarkdownWriter } from "../document/layout/markdown.ts";
import { startedPages } from "../document/layout/read-pages.ts";

const parameters = {
  pages: parameter("The pages to convert, in this order.", pages, "1-last"),
  pageBreakComments: parameter("On to start each page with a comment that has its number.", onOff, "off"),
};
export type MarkdownParams = Params<typeof parameters>;

const run: Run<MarkdownParams> = async function* ([input], params, context) {
  const read = await startedPages(input!, params.pages, context);
  yield { extension: "md", type: "text/markdown", body: written(read, params) };
};

async function* written(
  read: Awaited<ReturnType<typeof startedPages>>,
  { pageBreakComments }: MarkdownParams,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const layout = new DocumentLayout();
  const writer = new MarkdownWriter(layout.hyphens);
  for await (const page of layout.read(read)) {
    const comment = pageBreakComments ? `${writer.endList()}<!--Page ${page.number}-->\n\n` : "";
    const text = comment + writer.page(page);
    if (text !== "") yield encoder.encode(text);
  }
}

export const pdfToMarkdown = defineOperation({ name: "pdf-to-markdown", parameters, run });
