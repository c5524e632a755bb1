// Tests that PDFs show the author's file name and links, and no server paths, with both the zygote and plain soffice.
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { docx, field, flatOpenDocument, paragraph } from "../../../../test/fixtures/office.ts";
import { chunk, chunked, repacked } from "../../../../test/fixtures/office-forms.ts";
import { oneRow, row, workbook } from "../../../../test/fixtures/workbooks.ts";
import { convert, documents, openOffices, save, soffice, zygote } from "../../../../test/support/libreoffice.ts";
import { SOFFICE } from "../profile.ts";

openOffices();

/** Returns the target of each link: its URL, or the page's object number if the link is within the PDF. */
const linksIn = (bytes: Buffer) =>
  [...bytes.toString("latin1").matchAll(/\/Subtype\/Link.*?(?:\/URI\(((?:\\.|[^\\)])*)\)|\/Dest\[(\d+))/gs)].map(
    ([, url, page]) => url ?? Number(page),
  );

/** Returns all text that a PDF reveals without decoding its streams, including strings in UTF-16. */
const revealed = (bytes: Buffer) =>
  bytes
    .toString("latin1")
    .replaceAll(/<FEFF([0-9A-F]+)>/g, (_, hex: string) => Buffer.from(hex, "hex").swap16().toString("utf16le"));

const hyperlink = (id: string) =>
  `<w:p><w:hyperlink r:id="${id}"><w:r><w:rPr><w:rStyle w:val="Hyperlink"/></w:rPr><w:t>${id}</w:t></w:r></w:hyperlink></w:p>`;
const externals: Readonly<Record<string, string>> = {
  "Annex%20B.docx": "./Annex%20B.docx",
  "sub/Annex.docx#part": "sub/Annex.docx#part",
  "../plans/site.pdf": "../plans/site.pdf",
  "../../../../x.docx": "../../../../x.docx",
  "file:///C:/plan.pdf": "file:///C:/plan.pdf",
  "file:///srv/x.pdf": "file:///srv/x.pdf",
  "file://server/x.doc": "file://server/x.doc",
  "https://example.com/a": "https://example.com/a",
};

describe.each(["zygote", "soffice"])("by %s", (mode) => {
  const office = () => (mode === "zygote" ? zygote : soffice);

  test("a text document prints its name, and its links stay relative or absolute", async () => {
    const targets = Object.keys(externals);
    const links = targets.map((target, index): [string, string, string] => [`l${index}`, "hyperlink", target]);
    const body = field("FILENAME") + targets.map((_, index) => hyperlink(`l${index}`)).join("");
    const name = "- Günter – 50% #1 (a).docx";
    const { bytes, text } = await convert(office(), await save(docx({ body, links }), "docx"), { name, tagged: true });
    expect(linksIn(bytes).sort()).toEqual(Object.values(externals).sort());
    expect(text).toContain("Günter – 50% #1 (a).docx");
    expect(revealed(bytes)).not.toMatch(/pagewright-|\/proc\/|\/dev\/shm/);
  });

  test("links of a workbook stay relative, and those within it stay within", async () => {
    const content = `<sheetData>${row(1, "rel", "inner", "proper")}${row(2, '=HYPERLINK("sub/x.pdf","f")', '=HYPERLINK("\\\\server\\share\\x.doc","g")')}</sheetData><hyperlinks><hyperlink ref="A1" r:id="rel"/><hyperlink ref="B1" r:id="inner"/><hyperlink ref="C1" location="'Data 1'!A1"/></hyperlinks>${header("&amp;C&amp;F")}`;
    const sheets = [
      { name: "First", content, links: { rel: "Annex%20B.xlsx", inner: "#First!A2" } },
      { name: "Data 1", content: oneRow("data") },
    ];
    const { bytes, text } = await convert(office(), await save(workbook(sheets), "xlsx"), { name: "Book.XLSX" });
    const links = linksIn(bytes);
    expect(links).toHaveLength(5);
    expect(links).toEqual(expect.arrayContaining(["./Annex%20B.xlsx", "sub/x.pdf", "file://server/share/x.doc"]));
    for (const link of links) expect(String(link)).toMatch(/^([^:]*|file:\/\/server\/.*)$/);
    expect(text).toContain("Book.XLSX");
    expect(revealed(bytes)).not.toMatch(/pagewright-|\/proc\/|\/dev\/shm/);
  });
});

test("links of OpenDocument stay relative", async () => {
  const content =
    '<text:p><text:a xlink:href="../up.odt">up</text:a> <text:a xlink:href="sub/a b.odt">sub</text:a></text:p>';
  const { bytes } = await convert(zygote, await save(officeText(content), "fodt"), { tagged: true });
  expect(linksIn(bytes).sort()).toEqual(["../up.odt", "sub/a%20b.odt"]);
});

test("links of inserted documents stay relative", async () => {
  const links = `<p><a href="../up.pdf">up</a> <a href="sub/a%20b.html#c">sub</a> <a href="#d">inner</a> <a name="d">d</a></p>`;
  const content = chunked(chunk("a.htm") + chunk("b.rtf"), [
    ["a.htm", links],
    ["b.rtf", '{\\rtf1 {\\field{\\*\\fldinst HYPERLINK "r.doc"}{\\fldrslt r}}}'],
  ]);
  const { bytes } = await convert(zygote, await save(content, "docx"), { name: "Letter.docx" });
  expect(linksIn(bytes)).toEqual(expect.arrayContaining(["../up.pdf", "sub/a%20b.html#c", "r.doc"]));
  expect(revealed(bytes)).not.toMatch(/pagewright-|\/proc\/|\/dev\/shm|chunk-/);
});

test("without a name, a document has one of no meaning", async () => {
  const path = await save("{\\rtf1 {\\field{\\*\\fldinst FILENAME}{\\fldrslt x}}}", "rtf");
  expect((await convert(zygote, path)).text.trim()).toBe("document.rtf");
});

test("a name does not change how a document is read, and harms nothing", async () => {
  const path = await save(docx({ body: paragraph("Hello") }), "docx");
  for (const name of ["a.XLSX", "b.pdf", "c.d.e", "output.pdf", "in", "up", "sample.docx", "../../x.docx"]) {
    expect((await convert(zygote, path, { name })).text.trim()).toBe("Hello");
  }
});

describe("a path that a field prints is the name alone", () => {
  test.each([
    ["docx", docx({ body: field("FILENAME \\p") })],
    ["docx", docx({ body: '<w:p><w:fldSimple w:instr="FILENAME \\p \\* MERGEFORMAT"/></w:p>' })],
    ["rtf", "{\\rtf1 {\\field{\\*\\fldinst FILENAME \\\\p}{\\fldrslt C:\\\\x.rtf}}}"],
    ["fodt", officeText('<text:p><text:file-name text:display="full">saved</text:file-name></text:p>')],
    ["fodt", officeText('<text:p><text:file-name text:display="path">saved</text:file-name></text:p>')],
    ["fodp", slideText('<text:file-name text:display="full">saved</text:file-name>')],
    ["xlsx", workbook([{ name: "S", content: `${oneRow("x")}${header("&amp;C&amp;Z&amp;F")}` }])],
    ["xlsx", workbook([{ name: "S", content: `${oneRow("x")}${header("&amp;R&amp;Z")}` }])],
    ["xlsx", workbook([{ name: "S", content: `${oneRow("x")}${header("&amp;L&amp;F")}` }])],
  ])(".%s (%#)", async (extension, content) => {
    const { text } = await convert(zygote, await save(content, extension), { name: `My file.${extension}` });
    expect(text.replace(/^x$/m, "").trim()).toBe(`My file.${extension}`);
  });
});

test("a path in tables and shapes of a presentation is the name alone", async () => {
  const cell = "<table:table-cell><text:p>REPLACED</text:p></table:table-cell>";
  const table = `<draw:frame svg:x="1cm" svg:y="4cm" svg:width="20cm" svg:height="3cm"><table:table><table:table-column/><table:table-row>${cell}</table:table-row></table:table></draw:frame>`;
  const path = await save(slideText("REPLACED", table), "fodp");
  const profile = `-env:UserInstallation=file://${documents}/profile`;
  execFileSync(SOFFICE, [profile, "--headless", "--convert-to", "pptx", "--outdir", documents, path], {
    stdio: "ignore",
  });
  const file = await readFile(path.replace(/fodp$/, "pptx"));
  for (const type of ["filename", "file", "file1", "file3"]) {
    const content = repacked(file, (parts) => {
      const slide = Buffer.from(parts["ppt/slides/slide1.xml"]!).toString();
      const withFields = slide.replace(/<a:r>(?=(?:(?!<\/a:r>).)*REPLACED)(.*?)<\/a:r>/gs, (_, inner: string) => {
        return `<a:fld id="{B4E5C1A2-0000-4000-8000-000000000001}" type="${type}">${inner}</a:fld>`;
      });
      expect(withFields.match(/<a:fld/g)).toHaveLength(2);
      return { ...parts, "ppt/slides/slide1.xml": withFields };
    });
    const { text } = await convert(zygote, await save(content, "pptx"), { name: "My & file.pptx" });
    expect(text.trim().split(/\s*\n\s*/)).toEqual(["My & file.pptx", "My & file.pptx"]);
  }
});

test("formulas show the name and no folder, as Excel's formulas expect it", async () => {
  const formulas = ['=CELL("filename",A1)', '=MID(CELL("filename",A1),FIND("]",CELL("filename",A1))+1,31)'];
  const elsewhere = `="at "&CELL("filename",'Data 1'!A1)`;
  const sheets = [
    {
      name: "First",
      content: `<sheetData>${[...formulas, elsewhere].map((formula, index) => row(index + 1, formula)).join("")}</sheetData>`,
    },
    { name: "Data 1", content: oneRow("data") },
  ];
  const { text } = await convert(zygote, await save(workbook(sheets), "xlsx"), { name: "Book.xlsx" });
  expect(text.split(/\s*\n\s*/)).toEqual(expect.arrayContaining(["[Book.xlsx]First", "First", "at [Book.xlsx]Data 1"]));
});

test("links within a workbook lead to its pages, also those of formulas and those to cells that are not printed", async () => {
  const content = `<sheetData>${row(1, "inner", '=HYPERLINK("#\'Data 1\'!A1","formula")', "beyond")}</sheetData><hyperlinks><hyperlink ref="A1" r:id="inner"/><hyperlink ref="C1" r:id="beyond"/></hyperlinks>`;
  const sheets = [
    { name: "First", content, links: { inner: "#'Data%201'!A1", beyond: "#'Data 1'!Z99" } },
    { name: "Data 1", content: oneRow("data") },
  ];
  const { bytes, text } = await convert(zygote, await save(workbook(sheets), "xlsx"), { name: "Book.xlsx" });
  const links = linksIn(bytes);
  expect(links).toHaveLength(3);
  expect(new Set(links).size).toBe(1);
  expect(links[0]).toEqual(expect.any(Number));
  expect(text.match(/formula/g)).toHaveLength(1);
});

function header(codes: string): string {
  return `<headerFooter><oddHeader>${codes}</oddHeader></headerFooter>`;
}

function officeText(content: string): Buffer {
  return flatOpenDocument("text", `<office:body><office:text>${content}</office:text></office:body>`);
}

function slideText(content: string, more = ""): Buffer {
  const box = `<draw:frame svg:width="20cm" svg:height="3cm"><draw:text-box><text:p>${content}</text:p></draw:text-box></draw:frame>`;
  const page = `<draw:page draw:name="One">${box}${more}</draw:page>`;
  return flatOpenDocument(
    "presentation",
    `<office:body><office:presentation>${page}</office:presentation></office:body>`,
  );
}
