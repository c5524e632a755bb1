// Tests the options of spreadsheets and text documents, and the passwords of documents.
// Contract: docs/api.md#pdf
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { OfficeOptions } from "../../../../src/operations/to-pdf/office-options.ts";
import { docx, field, flatOpenDocument, pageBreak, paragraph } from "../../../../test/fixtures/office.ts";
import { oneRow, row, workbook } from "../../../../test/fixtures/workbooks.ts";
import { corpusDir } from "../../../../test/support/corpus.ts";
import {
  attempt,
  convert,
  failsWith,
  openOffices,
  save,
  soffice,
  zygote,
} from "../../../../test/support/libreoffice.ts";
import { PdfJson } from "../../../../test/support/pdf-json.ts";

openOffices();

const annotationsIn = (pdf: Uint8Array): string[] =>
  new PdfJson(pdf)
    .annotations(1)
    .flatMap((annotation) =>
      annotation["/Subtype"] === "/Text" ? [String(annotation["/Contents"]).replace("u:", "")] : [],
    );

const made = (path: string, options: OfficeOptions) => convert(zygote, path, { options });

describe("sheets", () => {
  const wide = `<cols><col min="1" max="8" width="60" customWidth="1"/></cols>${oneRow(..."abcdefgh")}`;
  const overflowing = "a heading that leaves its cell and the last column of its sheet and is printed to its last word";
  const book = workbook([
    { name: "Wide", content: wide },
    { name: "Kept", content: oneRow("secret"), state: "hidden" },
    { name: "2", content: oneRow('=Wide!A1&" "&Kept!A1', overflowing) },
    { name: "Area", content: oneRow("area", "outside"), printArea: "$A$1" },
  ]);

  test("are chosen by name or number, also hidden ones; an unknown one is named", async () => {
    const path = await save(book, "xlsx");
    const { pages, text } = await made(path, { sheets: ["4", "Kept", "2"] });
    expect(pages).toBe(3);
    expect(text).toMatch(/^secret\s+a\Wsecret\s.*word\s+area\s*$/s);
    await expect(attempt(zygote, path, { options: { sheets: ["Kept", "Missing"] } })).rejects.toMatchObject({
      name: "OutOfRange",
      parameter: "sheets",
      value: "Missing",
    });
  });

  test("are printed alone, even if the document prints only another one", async () => {
    const cell = (text: string) =>
      `<table:table-row><table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell></table:table-row>`;
    const table = (name: string, attributes: string) =>
      `<table:table table:name="${name}" ${attributes}>${cell(`text of ${name}`)}</table:table>`;
    const tables = table("One", 'table:print-ranges="One.A1:One.A1"') + table("Two", 'table:print="false"');
    const path = await save(
      flatOpenDocument("spreadsheet", `<office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body>`),
      "fods",
    );
    expect((await made(path, { sheets: ["Two"] })).text).toMatch(/^Two\s+text of Two\s+Page 1\s*$/);
  });

  test("fit on the width of the page, turned, with headings", async () => {
    const path = await save(book, "xlsx");
    const options = {
      sheets: ["Wide"],
      headings: true,
      page_orientation: "landscape",
      sheet_fit: "page_width",
    } as const;
    const { pages, text, info } = await made(path, options);
    expect([pages, info["Page size"]]).toEqual([1, expect.stringMatching(/^792 x 612 /)]);
    expect(text.split(/\s+/)).toEqual(expect.arrayContaining(["A", "H", "1", "a", "h"]));
  });

  test("fit on one page each", async () => {
    const rows = Array.from({ length: 300 }, (_, at) => row(at + 1, `row ${at}`)).join("");
    const path = await save(workbook([{ name: "Long", content: `<sheetData>${rows}</sheetData>` }]), "xlsx");
    const { pages, text } = await made(path, { sheet_fit: "one_page" });
    expect([pages, text.includes("row 299")]).toEqual([1, true]);
  });

  test("have numbers in the format of a locale", async () => {
    const number = '<sheetData><row r="1"><c r="A1"><v>1234.5</v></c></row></sheetData>';
    const path = await save(workbook([{ name: "Numbers", content: number }]), "xlsx");
    expect((await made(path, { locale: "de-DE" })).text.trim()).toBe("1234,5");
    expect((await made(path, {})).text.trim()).toBe("1234.5");
  });
});

describe("texts", () => {
  const change = (kind: string, text: string) =>
    `<w:${kind} w:id="1" w:author="Ann" w:date="2026-01-01T00:00:00Z"><w:r><w:${kind === "del" ? "delText" : "t"}>${text}</w:${kind === "del" ? "delText" : "t"}></w:r></w:${kind}>`;

  test("have new tables of contents, and their changes are accepted or rejected", async () => {
    const changes = `<w:p>${change("ins", "added")}${change("del", "removed")}</w:p>`;
    const body = field('TOC \\o "1-1"') + pageBreak + paragraph("Chapter", "Heading1") + changes;
    const path = await save(docx({ body, settings: "<w:trackRevisions/>" }), "docx");
    const options = { refresh_fields: true, tracked_changes: "rejected" } as const;
    const { text } = await made(path, options);
    expect(text).toMatch(/^\s*Chapter[\s.]*2\s+Chapter\s+removed\s*$/);
    const accepted = (await made(path, { tracked_changes: "accepted" })).text;
    expect(accepted).toMatch(/as saved\s+Chapter\s+added\s*$/);
    expect((await made(path, {})).text).toMatch(/as saved\s+Chapter\s+added\s*removed\s*$/);
  });

  test.each(["trackedChanges", "readOnly"])(
    "have changes that are accepted in spite of protection: %s",
    async (edit) => {
      const protection = `<w:documentProtection w:edit="${edit}" w:enforcement="1" w:cryptAlgorithmSid="4" w:cryptSpinCount="1000" w:hash="AAAAAAAAAAAAAAAAAAAAAAAAAAA=" w:salt="AAAAAAAAAAAAAAAAAAAAAA=="/>`;
      const body = `<w:p>${change("ins", "added")}${change("del", "removed")}</w:p>`;
      const path = await save(docx({ body, settings: protection }), "docx");
      expect((await made(path, { tracked_changes: "accepted" })).text.trim()).toBe("added");
    },
  );

  test("show comments after the text, or as annotations, or not at all", async () => {
    const comment =
      '<office:annotation xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Bob</dc:creator><text:p>A remark</text:p></office:annotation>';
    const content = `<office:body><office:text><text:p>Words${comment}</text:p></office:text></office:body>`;
    const path = await save(flatOpenDocument("text", content), "fodt");
    const listed = await made(path, { comments: "end" });
    expect([listed.pages, listed.text]).toEqual([2, expect.stringMatching(/^Words\s+\[1\] Bob: A remark\s*$/)]);
    const annotated = await made(path, { comments: "annotations" });
    expect([annotated.text.trim(), annotationsIn(annotated.bytes)]).toEqual(["Words", ["A remark"]]);
    expect(annotationsIn((await made(path, {})).bytes)).toEqual([]);
  });
});

test("plain soffice, which has no options, is busy rather than ignoring them", async () => {
  const path = await save(docx({ body: paragraph("Text") }), "docx");
  await expect(attempt(soffice, path, { options: { locale: "de-DE" } })).rejects.toEqual(failsWith("busy"));
});

describe.skipIf(corpusDir === undefined)("protected documents", () => {
  test.each(["example_password.xlsx", "rc4cryptoapi_password.doc"])("%s opens with its password", async (name) => {
    const path = await save(readFileSync(join(corpusDir!, "office", name)), extname(name).slice(1));
    expect((await made(path, { password: "Password1234_" })).text).toMatch(/lorem\s+ipsum/);
    const wrong = attempt(zygote, path, { options: { password: "Password1234" } });
    await expect(wrong).rejects.toEqual(failsWith("password-protected"));
  });
});
