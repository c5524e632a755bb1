// Tests POST /word: the response, its notice, and errors. The operation's own tests check the document.
// Contract: docs/api.md#word, #notices
import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { PdfBuilder, plainPdf } from "../fixtures/pdf-builder.ts";
import { createClient, keyedClient, privateClient, upload } from "../support/client.ts";
import { startService } from "../support/service.ts";

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

test("a page that only shows text as a picture is read first, unless the client or the operator turns it off", async () => {
  const text = "Everyone has the right to rest";
  const builder = new PdfBuilder();
  builder.page(`BT /F 16 Tf 30 120 Td (${text}) Tj ET`);
  const [scan] = await client.make("/rasterized-pdf", { file: upload(builder.bytes()) });
  const fields = { ...PASSWORD, output: "locked" };
  const [locked] = await client.make("/encrypted-pdf", { file: upload(scan!.bytes), ...fields });
  await using service = await serviceWithoutOcr();
  const readOf = async (at: typeof client, bytes: Uint8Array, fields: Record<string, string>) => {
    const { body } = await at.post("/word", { file: upload(bytes), ...fields });
    const { outputUrl, notices } = body as { outputUrl: string; notices: readonly string[] };
    const parts = unzipSync(new Uint8Array(await (await fetch(outputUrl)).arrayBuffer()));
    return { notices, xml: Buffer.from(parts["word/document.xml"]!).toString() };
  };
  const open = { current_open_password: PASSWORD.new_open_password };
  for (const [bytes, more] of [
    [scan!.bytes, { ocr_languages: "English" }],
    [locked!.bytes, open],
  ] as const) {
    const { notices, xml } = await readOf(client, bytes, more);
    expect(notices).toEqual(["the text of 1 page was recognized (OCR): 1"]);
    expect(xml.replace(/<[^>]*>/g, "")).toContain(text);
  }
  const without = createClient(service.url);
  for (const [at, more] of [
    [client, { ocr: "off" }],
    [without, {}],
  ] as const) {
    const { notices, xml } = await readOf(at, scan!.bytes, more);
    expect(notices).toEqual(["page 1 became a picture"]);
    expect(xml).not.toContain("Everyone");
  }
  expect((await client.post("/word", { file: upload(scan!.bytes), ocr: "maybe" })).status).toBe(400);
});

const PASSWORD = { new_open_password: "secret-of-7" };

async function serviceWithoutOcr(): Promise<{ readonly url: string } & AsyncDisposable> {
  const service = await startService({ variant: "private" });
  return { url: service.url, [Symbol.asyncDispose]: () => service.stop() };
}
