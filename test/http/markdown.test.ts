// Tests POST /markdown. The layout's own tests check what is written.
// Contract: docs/api.md#markdown
import { expect, test } from "vitest";
import { plainPdf } from "../fixtures/pdf-builder.ts";
import { type FormFields, keyedClient, privateClient, upload } from "../support/client.ts";

const client = privateClient();
const ask = async (fields: FormFields, at = client) => {
  const { status, body } = await at.post("/markdown", fields);
  return { status, body: body as Record<string, unknown> };
};
const file = () => upload(plainPdf("First", "Second"));

test.each([["private", client] as const, ["keyed", keyedClient()] as const])("the text: %s", async (_, at) => {
  const { status, body } = await ask({ file: file() }, at);
  expect([status, body]).toEqual([200, { markdown: "First\n\nSecond\n\n", inputId: expect.any(String) }]);
});

test("comments with the numbers of pages", async () => {
  const { body } = await ask({ file: file(), page_break_comments: "on", pages: "2" });
  expect(body.markdown).toBe("<!--Page 2-->\n\nSecond\n\n");
});

test("a stored file", async () => {
  const { body } = await ask({ file: file(), output_type: "file", output: "book" });
  const response = await fetch(String(body.outputUrl));
  expect(response.headers.get("Content-Disposition")).toContain("book.md");
  expect(await response.text()).toBe("First\n\nSecond\n\n");
});

test.each([
  [{ page_break_comments: "yes" }, "page_break_comments"],
  [{ pages: "3" }, "pages"],
])("400 for %o", async (fields, name) => {
  const { status, body } = await ask({ file: file(), ...fields });
  expect([status, body.error]).toEqual([400, expect.stringContaining(name)]);
});
