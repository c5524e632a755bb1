// Tests POST /pdf-with-ocr-text: its declarations of conformance, its languages, and its output for a text document.
// Contract: docs/api.md#pdf-with-ocr-text
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { invoiceXml } from "../fixtures/invoices.ts";
import { PdfBuilder } from "../fixtures/pdf-builder.ts";
import { textPdf } from "../fixtures/pdfs.ts";
import { privateClient, upload } from "../support/client.ts";
import { pageTexts, withFile } from "../support/pdf-readers.ts";

const client = privateClient();

/** Returns an image of a text, as a PDF/A-2b. */
async function archivedScan(): Promise<Uint8Array> {
  const builder = new PdfBuilder();
  builder.page("BT /F 16 Tf 30 120 Td (Everyone has the right to rest) Tj ET");
  const [scan] = await client.make("/rasterized-pdf", { file: upload(builder.bytes()) });
  const fields = { file: upload(scan!.bytes), output: "scan", output_type: "PDF/A-2b" };
  const [archived] = await client.make("/pdfa", fields);
  return archived!.bytes;
}

test("spec: a PDF/A stays valid", async () => {
  const file = upload(await archivedScan());
  const [made] = await client.make("/pdf-with-ocr-text", { file, languages: "German,English" });
  expect(pageTexts(made!.bytes)).toEqual(["Everyone has the right to rest"]);
  const { body } = await client.post("/pdf-info", { file: upload(made!.bytes), queries: "pdfa" });
  expect(body).toMatchObject({ pdfa: true });
});

test("a text document is returned as it is", async () => {
  const pdf = await textPdf(2);
  const [made] = await client.make("/pdf-with-ocr-text", { file: upload(pdf) });
  expect(Buffer.from(made!.bytes).equals(pdf)).toBe(true);
});

test("a language that is not offered is an error, and so is a page that does not exist", async () => {
  const file = upload(await textPdf(1));
  for (const [fields, named] of [
    [{ languages: "English,Latin" }, "languages"],
    [{ pages: "2" }, "pages"],
  ] as const) {
    const { status, body } = await client.post("/pdf-with-ocr-text", { file, ...fields });
    expect([status, body.error]).toEqual([400, expect.stringContaining(named)]);
  }
});

test("ocr=on: text endpoints read scans, and a PDF/A with an invoice has the text", async () => {
  const scan = upload(await archivedScan());
  const text = "Everyone has the right to rest";
  const [read, without, markdown] = await Promise.all([
    client.post("/extracted-text", { file: scan, ocr: "on", pages: "1" }),
    client.post("/extracted-text", { file: scan }),
    client.post("/markdown", { file: scan, ocr: "on", ocr_languages: "English,German" }),
  ]);
  expect([read.body, without.body]).toMatchObject([{ fullText: text }, { fullText: "" }]);
  expect(markdown.body).toMatchObject({ markdown: `${text}\n\n` });
  const invoice = upload(Buffer.from(invoiceXml("xrechnung")), "invoice.xml");
  const fields = { ocr: "on", output: "made", output_type: "PDF/A-3b", file_to_attach: invoice };
  const [made] = await client.make("/pdfa", { file: scan, ...fields });
  expect(pageTexts(made!.bytes)).toEqual([text]);
  const attached = withFile(made!.bytes, (path) => execFileSync("pdfdetach", ["-list", path], { encoding: "utf8" }));
  expect(attached).toContain("xrechnung.xml");
});

test("ocr_languages counts with ocr=on only", async () => {
  const file = upload(await textPdf(1));
  const { status, body } = await client.post("/markdown", { file, ocr: "on", ocr_languages: "Latin" });
  expect([status, body.error]).toEqual([400, expect.stringContaining("ocr_languages")]);
  expect((await client.post("/markdown", { file, ocr_languages: "Latin" })).status).toBe(200);
});
