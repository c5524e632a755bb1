// Tests POST /word: the response, its notice, and errors. The operation's own tests check the document.
// Contract: docs/api.md#word, #notices
import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { PdfBuilder, plainPdf } from "../fixtures/pdf-builder.ts";
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

test("a page that only shows text as a picture is read first, unless the client turns it off", async () => {
  const text = "Everyone has the right to rest";
  const builder = new PdfBuilder();
  builder.page(`BT /F 16 Tf 30 120 Td (${text}) Tj ET`);
  const [scan] = await client.make("/rasterized-pdf", { file: upload(builder.bytes()) });
  const file = upload(scan!.bytes);
  const readOf = async (fields: Record<string, string>) => {
    const { body } = await client.post("/word", { file, ...fields });
    const { outputUrl, notices } = body as { outputUrl: string; notices: readonly string[] };
    const parts = unzipSync(new Uint8Array(await (await fetch(outputUrl)).arrayBuffer()));
    return { notices, xml: Buffer.from(parts["word/document.xml"]!).toString() };
  };
  const [read, pictured] = [await readOf({ ocr_languages: "English" }), await readOf({ ocr: "off" })];
  expect(read.notices).toEqual(["the text of 1 page was recognized (OCR): 1"]);
  expect(read.xml.replace(/<[^>]*>/g, "")).toContain(text);
  expect(pictured.notices).toEqual(["page 1 became a picture"]);
  expect(pictured.xml).not.toContain(text.split(" ")[0]!);
  expect(await client.post("/word", { file, ocr: "maybe" })).toMatchObject({ status: 400 });
});
