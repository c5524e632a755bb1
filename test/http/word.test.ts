// Tests POST /word: the response, its notice, and errors. The operation's own tests check the document.
// Contract: docs/api.md#word, #notices
import { expect, test } from "vitest";
import { plainPdf } from "../fixtures/pdf-builder.ts";
import { keyedClient, privateClient, upload } from "../support/client.ts";

const client = privateClient();
const file = () => upload(plainPdf("First", "Second"), "report.pdf");

test.each([["private", client] as const, ["keyed", keyedClient()] as const])("a document: %s", async (_, at) => {
  const { status, body } = await at.post("/word", { file: file() });
  expect(status).toBe(200);
  const { outputUrl, outputId, notices } = body as Record<string, string>;
  expect(notices).toBeUndefined();
  const response = await fetch(outputUrl!);
  expect(response.headers.get("Content-Disposition")).toContain("report_word.docx");
  expect([...new Uint8Array(await response.arrayBuffer()).subarray(0, 4)]).toEqual([0x50, 0x4b, 3, 4]);
  // The document can be converted back.
  expect((await at.post("/pdf", { id: outputId!, output: "again" })).status).toBe(200);
});

test.each([{ pages: "3" }, { pages: "0" }])("400 for %o", async (fields) => {
  const { status, body } = await client.post("/word", { file: file(), ...fields });
  expect([status, (body as { error: string }).error]).toEqual([400, expect.stringContaining("pages")]);
});
