// Tests POST /pdf-with-bookmarks: a JSON parameter of several levels. The operation's own tests check the outline.
// Contract: docs/api.md#pdf-with-bookmarks
import { beforeAll, expect, test } from "vitest";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { privateClient, upload } from "../support/client.ts";
import { PdfJson } from "../support/pdf-json.ts";

const client = privateClient();
let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await labeledPdf("P", 2);
});
const file = () => upload(pdf, "book.pdf");
const TREE = [{ title: "One", page: 1, children: [{ title: "A", page: 2, color: [1, 2, 3] }] }];
/** Returns bookmarks of a number of levels. */
const nested = (levels: number): object[] => [
  { title: "a", page: 1, ...(levels > 1 ? { children: nested(levels - 1) } : {}) },
];

test("bookmarks are a text in a form, and a list in JSON", async () => {
  const { status, body } = await client.post("/pdf-with-bookmarks", { file: file(), bookmarks: JSON.stringify(TREE) });
  expect(status).toBe(200);
  const response = await fetch(`${client.url}/pdf-with-bookmarks`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/pdf" },
    body: JSON.stringify({ id: body.outputId, bookmarks: nested(10), mode: "merge" }),
  });
  expect(response.headers.get("Content-Disposition")).toContain("_pdf-with-bookmarks.pdf");
  const outlines = new PdfJson(new Uint8Array(await response.arrayBuffer())).outlines;
  expect(outlines).toMatchObject([
    { title: "One", kids: [{ title: "A" }] },
    { title: "a", kids: [{ title: "a" }] },
  ]);
});

test.each([
  ["", "The 'bookmarks' field is required."],
  ["one", "one is not within the acceptable range for bookmarks. It is not JSON."],
  ['[{"title":"a"}]', "The 'bookmarks.0.page' field is required."],
  ['[{"title":"","page":1}]', " is not within the acceptable range for bookmarks.0.title."],
  ['[{"title":"a","page":0}]', "0 is not within the acceptable range for bookmarks.0.page."],
  ['[{"title":"a","page":3}]', "3 is not within the acceptable range for bookmarks.0.page. The document has 2 pages."],
  ['[{"title":"a","page":1,"color":[1,2,256]}]', "256 is not within the acceptable range for bookmarks.0.color.2."],
  [
    '[{"title":"a","page":1,"pageNumber":1}]',
    expect.stringContaining("is not within the acceptable range for bookmarks.0"),
  ],
  [
    JSON.stringify(nested(11)),
    expect.stringContaining("is not within the acceptable range for bookmarks.0.children.0"),
  ],
])("400 for the bookmarks %s", async (bookmarks, error) => {
  const { status, body } = await client.post("/pdf-with-bookmarks", { file: file(), bookmarks });
  expect([status, body.error]).toEqual([400, error]);
});
