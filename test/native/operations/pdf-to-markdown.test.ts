// Converts a document that Chromium prints: its HTML states the structure that must be found again.
// Contract: docs/api.md#markdown
import { expect, test } from "vitest";
import { parsePages } from "../../../src/document/contract/pages.ts";
import { pdfToMarkdown } from "../../../src/operations/pdf-to-markdown.ts";
import { outputsOf } from "../../support/operations.ts";
import { missingBrowser } from "../../support/plain-browser.ts";
import { printedPage } from "../../support/printed-page.ts";

const PROSE =
  "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and " +
  "should act towards one another in a spirit of brotherhood. Everyone is entitled to all the rights and freedoms.";

const HTML = `<meta charset="utf-8"><style>body { font: 12px sans-serif } table { border-collapse: collapse }
td, th { border: 1px solid; padding: 4px }</style>
<h1>Main title</h1><p>${PROSE}</p>
<h2>Second level</h2><p>A <b>bold</b> and an <i>italic</i> word, and a <a href="https://example.com/a">link</a>.</p>
<ul><li>first item</li><li>second item<ul><li>inner item</li></ul></li></ul><ol><li>one</li><li>two</li></ol>
<table><tr><th>Name</th><th>Count</th></tr><tr><td>Apples</td><td>3</td></tr>
<tr><td>Pears</td><td>12</td></tr></table>
<pre>if (a) {\n  b();\n}</pre>`;

test.skipIf(missingBrowser())("the structure of a printed document is found", async () => {
  const params = { pages: parsePages("1-last")!, pageBreakComments: false };
  const [written] = await outputsOf(pdfToMarkdown, [await printedPage(HTML)], params);
  expect(new TextDecoder().decode(written)).toBe(
    [
      ...["# Main title", "", PROSE, "", "## Second level", ""],
      ...["A **bold** and an *italic* word, and a [link](https://example.com/a).", ""],
      ...["- first item", "- second item", "    - inner item", "1. one", "2. two", ""],
      ...["| Name | Count |", "| --- | --- |", "| Apples | 3 |", "| Pears | 12 |", ""],
      ...["```", "if (a) {", "  b();", "}", "```", "", ""],
    ].join("\n"),
  );
});
