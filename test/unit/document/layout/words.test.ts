// Tests which glyphs are words, in text and in searches, on PDFs whose spaces and marks are known.
// Contract: docs/api.md#extracted-text, #search
import { describe, expect, test } from "vitest";
import { parsePages } from "../../../../src/document/contract/pages.ts";
import { DocumentLayout } from "../../../../src/document/layout/document-layout.ts";
import { startedPages } from "../../../../src/document/layout/read-pages.ts";
import { recordOf } from "../../../../src/document/search/page-record.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { CONTEXT, inputOf } from "../../../support/operations.ts";

/** Returns the text and the searched words of a page whose text is shown by operators. */
async function read(shown: string) {
  const builder = new PdfBuilder();
  builder.page(`BT /F 10 Tf 20 100 Td ${shown} ET`);
  const layout = new DocumentLayout();
  const pages = await startedPages(inputOf(builder.bytes()), parsePages("1-last")!, CONTEXT);
  for await (const page of layout.read(pages)) {
    const { blocks, words } = recordOf(page, layout.hyphens);
    return { text: blocks.map(({ text }) => text).join("\n"), words: words.map(([word]) => word) };
  }
  throw new Error("no page");
}

describe("spaces without a space character", () => {
  test.each([
    ["a small one ends a word", "[(the heavens.) -130 (The airplane)] TJ", "the heavens. The airplane"],
    ["kerning does not", "[(the cat) -60 (s.)] TJ", "the cats."],
    ["spaced letters are one word", "1.2 Tc (spaced) Tj", "spaced"],
    [
      "a wider one between spaced letters ends a word",
      "[(a) -120 (b) -120 (c) -120 (d) -260 (e) -120 (f)] TJ",
      "abcd ef",
    ],
  ])("%s", async (_, shown, text) => {
    expect((await read(shown)).text).toBe(text);
  });
});

describe("raised marks", () => {
  const raised = (text: string, mark: string) => `(${text}) Tj 4 Ts /F 6 Tf (${mark}) Tj 0 Ts /F 10 Tf ( goes on) Tj`;

  test("that of a footnote is part of the text, but is searched apart", async () => {
    const { text, words } = await read(raised("an expression.", "6"));
    expect(text).toBe("an expression.6 goes on");
    expect(words).toEqual(["an", "expression.", "6", "goes", "on"]);
  });

  test("an exponent is part of its word", async () => {
    expect((await read(raised("12 m", "2"))).words).toEqual(["12", "m2", "goes", "on"]);
  });
});
