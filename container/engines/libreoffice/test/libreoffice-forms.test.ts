// Tests documents that Office opens and LibreOffice alone does not: web archives, Flat OPC, packages with unusual part
// names, and embedded documents.
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { docx, paragraph, picture, xlsx } from "../../../../test/fixtures/office.ts";
import {
  type ArchivePart,
  chunk,
  chunked,
  flatOpc,
  renamed,
  repacked,
  webArchive,
} from "../../../../test/fixtures/office-forms.ts";
import { pattern, png } from "../../../../test/fixtures/pictures.ts";
import {
  attempt,
  convert,
  documents,
  failsWith,
  openOffices,
  save,
  scratch,
  soffice,
  zygote,
} from "../../../../test/support/libreoffice.ts";

openOffices();

const drawing = png(pattern(3, 41, 29), { colorType: 2, bits: 8 });
const base64 = (content: Uint8Array | string) => Buffer.from(content).toString("base64").replace(/.{76}/g, "$&\r\n");
const image = (fields: Readonly<Record<string, string>>): ArchivePart => [
  { "Content-Type": "image/png", "Content-Transfer-Encoding": "base64", ...fields },
  base64(drawing),
];
const page = (fields: Readonly<Record<string, string>>, content: string): ArchivePart => [
  { "Content-Type": "text/html", ...fields },
  content,
];

describe("a web archive", () => {
  const quoted =
    '<html><body><h1>Gr=C3=B6=C3=9Fe</h1><p>in on=\r\ne word <img src=3D"doc_files/a%20b.png"></p></body></html>';
  const unicode = Buffer.from('<html><body>Größe in one word <img src="cid:a.1@x"></body></html>', "utf16le");
  const archives: Readonly<Record<string, string>> = {
    "quoted-printable, addresses as Word writes them": webArchive([
      page(
        {
          "Content-Type": 'text/html; charset="utf-8"',
          "Content-Transfer-Encoding": "quoted-printable",
          "Content-Location": "file:///C:/x/doc.htm",
        },
        quoted,
      ),
      image({ "Content-Location": "file:///C:/x/doc_files/a%20b.png" }),
    ]),
    "Base64, UTF-16, identifiers, lines of Unix": webArchive(
      [
        image({ "Content-ID": "<a.1@x>" }),
        page({ "Content-Type": "text/html; charset=utf-16le", "Content-Transfer-Encoding": "base64" }, base64(unicode)),
      ],
      { end: "\n" },
    ),
    "relative addresses, an encoding in the page, a part within a part, no end": webArchive([
      [
        { "Content-Type": 'multipart/alternative; boundary="inner"' },
        '--inner\r\n\r\nplain\r\n--inner\r\nContent-Type: text/html\r\n\r\n<meta charset="iso-8859-1"><p>Gr\xf6\xdfe in one word <img src=a.png>\r\n--inner--',
      ],
      image({ "Content-Location": "a.png" }),
    ]).replace(/--[^-\r\n]+'--\s*$/, ""),
  };

  test.each(Object.entries(archives))("%s: its text and pictures are there", async (_, archive) => {
    for (const extension of ["doc", "xls"]) {
      const { text, pictures } = await convert(zygote, await save(Buffer.from(archive, "latin1"), extension));
      expect(text).toMatch(/Größe\s+in one word/);
      expect(text).not.toMatch(/MIME|Content-|multipart/);
      expect(pictures).toContain("41 x 29");
    }
  });

  test("of a workbook in frames has all of its sheets, and not their tabs", async () => {
    const sheet = (name: string, cells: string) =>
      page(
        { "Content-Location": `file:///C:/b_files/${name}` },
        `<table><tr><td>${cells}</td><td>42</td></tr></table>`,
      );
    const source = (name: string) => `<x:ExcelWorksheet><x:WorksheetSource HRef="b_files/${name}"/></x:ExcelWorksheet>`;
    const frames = '<frameset><frame src="b_files/sheet001.htm"><frame src="b_files/tabs.htm"></frameset>';
    const root = `<html><xml>${source("sheet001.htm")}${source("sheet002.htm")}</xml>${frames}</html>`;
    const parts = [sheet("tabs.htm", "Tabs"), sheet("sheet001.htm", "First"), sheet("sheet002.htm", "Second")];
    const archive = webArchive([page({ "Content-Location": "file:///C:/b.htm" }, root), ...parts]);
    for (const office of [zygote, soffice]) {
      const { text } = await convert(office, await save(archive, "xls"));
      expect(text.match(/First|Second|Tabs|42/g)?.toSorted()).toEqual(["42", "42", "First", "Second"]);
    }
  });

  test("without HTML is refused, and so is one of endless depth or a picture for every word", async () => {
    const plain = webArchive([[{ "Content-Type": "text/plain" }, "Hello"]]);
    await expect(attempt(zygote, await save(plain, "doc"))).rejects.toEqual(failsWith("unsupported"));
    const nested = (depth: number): string =>
      depth === 0 ? "x" : `Content-Type: multipart/related; boundary=b${depth}\n\n--b${depth}\n${nested(depth - 1)}`;
    const deep = `MIME-Version: 1.0\n${nested(2000)}`;
    await expect(attempt(zygote, await save(deep, "doc"))).rejects.toEqual(failsWith("too-complex"));
    const parts = "--b\n\nx\n".repeat(50_000);
    const many = `MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n${parts}`;
    await expect(attempt(zygote, await save(many, "doc"))).rejects.toEqual(failsWith("too-complex"));
    const addresses = webArchive([page({}, "<img src=a>".repeat(200_000))]);
    await expect(attempt(zygote, await save(addresses, "doc"))).rejects.toEqual(failsWith("too-complex"));
    const large: ArchivePart = [{ "Content-Type": "image/png", "Content-ID": "<a>" }, "A".repeat(2 ** 20)];
    const repeated = webArchive([page({}, "<img src=cid:a>".repeat(500)), large]);
    await expect(attempt(zygote, await save(repeated, "doc"))).rejects.toEqual(failsWith("too-large"));
  });
});

describe("a package in one file of XML", () => {
  const text = docx({
    body: `${paragraph("Größe & more".replace("&", "&amp;"), "Heading1")}${picture("a.png")}`,
    media: { "a.png": drawing },
  });
  const table = xlsx('<row r="1"><c r="A1"><v>42</v></c><c r="B1"><f>A1*2</f></c></row>', 9);
  const declared = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<?mso-application progid="Word.Document"?>\n`;

  test.each([
    ["of Word", "doc", declared + flatOpc(text)],
    ["of Word with another prefix and name", "xml", flatOpc(text, "p")],
    [
      "of Word in UTF-16",
      "doc",
      Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${flatOpc(text)}`, "utf16le"),
    ],
    ["of Word without a prefix", "docx", `\ufeff${declared}${flatOpc(text, "")}`],
  ])("%s is converted with its pictures", async (_, extension, content) => {
    const { text, pictures, bytes } = await convert(zygote, await save(content, extension));
    expect({ text: text.trim(), pictures }).toEqual({ text: "Größe & more", pictures: ["41 x 29"] });
    expect(bytes.toString("latin1")).toContain("/Outlines");
  });

  test("of Excel is a table, by both ways and whatever its name", async () => {
    for (const [office, extension] of [
      [zygote, "xls"],
      [zygote, "xml"],
      [soffice, "xml"],
    ] as const) {
      const { text, info } = await convert(office, await save(declared + flatOpc(table), extension));
      expect(text.split(/\s+/).filter(Boolean)).toEqual(["42", "84"]);
      expect(info["Page size"]).toContain("(A4)");
    }
  });

  test("that is damaged is refused", async () => {
    const whole = declared + flatOpc(text);
    for (const content of [whole.slice(0, 2000), whole.replace("/word/document.xml", "/word/other.xml")]) {
      await expect(attempt(zygote, await save(content, "doc"))).rejects.toEqual(failsWith("damaged"));
    }
  });
});

describe("a package with names in another spelling", () => {
  const whole = docx({ body: `${paragraph("Styled", "Heading1")}${picture("a.png")}`, media: { "a.png": drawing } });
  const inRelations = (before: string, after: string) =>
    repacked(whole, (parts) => ({
      ...parts,
      "word/_rels/document.xml.rels": Buffer.from(parts["word/_rels/document.xml.rels"]!)
        .toString()
        .replaceAll(before, after),
    }));

  test.each([
    ["backslashes", renamed(whole, (name) => name.replaceAll("/", "\\"))],
    ["backslashes in upper case", renamed(whole, (name) => name.replaceAll("/", "\\").toUpperCase())],
    ["content types in lower case", renamed(whole, (name) => name.toLowerCase())],
    [
      "a part in upper case",
      renamed(whole, (name) => name.replace("styles.xml", "STYLES.XML").replace("a.png", "A.PNG")),
    ],
    ["a folder in another case", renamed(whole, (name) => name.replace("_rels", "_Rels").replace("word", "Word"))],
    ["targets in another case", inRelations("styles.xml", "/WORD/Styles.XML")],
    ["targets with backslashes", inRelations('Target="a.png', 'Target="..\\word\\a.png')],
    ["a leading slash", renamed(whole, (name) => `/${name}`)],
    ["names that Windows forbids", renamed(whole, (name) => name.replace("word/settings", "word/set:tings?"))],
    [
      "relationships in UTF-16",
      repacked(
        renamed(whole, (name) => name.replace("styles", "Styles")),
        (parts) => ({
          ...parts,
          "word/_rels/document.xml.rels": Buffer.from(
            `\ufeff${Buffer.from(parts["word/_rels/document.xml.rels"]!).toString().replace("UTF-8", "UTF-16")}`,
            "utf16le",
          ),
        }),
      ),
    ],
    ["a twin by case", repacked(whole, (parts) => ({ ...parts, "WORD\\document.xml": "<twin/>" }))],
    ["a part outside", repacked(whole, (parts) => ({ ...parts, "../../evil.xml": "<evil/>" }))],
    ["a part outside with backslashes", repacked(whole, (parts) => ({ ...parts, "..\\..\\evil.xml": "<evil/>" }))],
  ])("%s: the document is complete", async (_, content) => {
    const { text, pictures, bytes } = await convert(zygote, await save(content, "docx"));
    expect({ text: text.trim(), pictures }).toEqual({ text: "Styled", pictures: ["41 x 29"] });
    // An outline shows that the styles were found: only its style makes the paragraph a heading.
    expect(bytes.toString("latin1")).toContain("/Outlines");
  });

  test("leaves nothing behind, and is refused if something is missing", async () => {
    const before = readdirSync(scratch.path);
    const without = (part: string) =>
      renamed(
        repacked(whole, ({ [part]: _, ...parts }) => parts),
        (name) => name.replaceAll("/", "\\"),
      );
    await expect(attempt(zygote, await save(without("word/document.xml"), "docx"))).rejects.toEqual(
      failsWith("damaged"),
    );
    expect(readdirSync(scratch.path)).toEqual(before);
    expect(readdirSync(documents).filter((name) => name.includes("evil"))).toEqual([]);
  });
});

describe("a document within a document", () => {
  const inner = docx({ body: paragraph("Inner text") });
  const archive = webArchive([
    page({ "Content-Type": "text/html; charset=utf-8" }, '<h1>Title</h1><p>Gr\u00f6\u00dfe</p><img src="cid:a">'),
    image({ "Content-ID": "<a>" }),
  ]);

  test("alone in it, as web pages become documents, is its text", async () => {
    const { text, pictures, pages } = await convert(
      zygote,
      await save(chunked(chunk("a.mht"), [["a.mht", archive]]), "docx"),
    );
    expect({ words: text.split(/\s+/).filter(Boolean), pictures, pages }).toEqual({
      words: ["Title", "Größe"],
      pictures: ["41 x 29"],
      pages: 1,
    });
  });

  test("of each format is in its place, also in a table and more than once", async () => {
    const body = [
      ...[paragraph("1"), chunk("a.htm"), chunk("b.rtf"), paragraph("2"), chunk("c.txt"), chunk("d.docx")],
      `<w:tbl><w:tr><w:tc>${chunk("a.htm")}<w:p/></w:tc></w:tr></w:tbl>`,
      `<w:altChunk r:id="e.xml"><w:altChunkPr><w:matchSrc/></w:altChunkPr></w:altChunk>${chunk("a.htm")}`,
    ];
    const content = chunked(body.join(""), [
      ["a.htm", Buffer.from("<html><body><p>H\xe9</p></body></html>", "latin1")],
      ["b.rtf", "{\\rtf1\\ansi R\\'e9}"],
      ["c.txt", "Té\nline"],
      ["d.docx", inner],
      ["e.xml", flatOpc(inner)],
    ]);
    const { text } = await convert(zygote, await save(content, "docx"));
    const expected = "1 Hé Ré 2 Té line Inner text Hé Inner text Hé";
    expect(text.split(/\s+/).filter(Boolean).join(" ")).toBe(expected);
  });

  test("that cannot be inserted is reported", async () => {
    const nested = chunked(chunk("x.htm"), [["x.htm", "<p>x"]]);
    const content = chunked(["a.pdf", "b.docx", "c.docx", "d.htm", "e.xml"].map(chunk).join(""), [
      ["a.pdf", "%PDF-1.4"],
      ["b.docx", inner.subarray(0, 500)],
      ["c.docx", nested],
      ["d.htm", "<p>Text"],
      ["e.xml", "<order><item>Pump</item></order>"],
    ]);
    const path = await save(content, "docx");
    const noticesOf = async (office: typeof zygote) => {
      await using pdf = await office.convertToPdf(path, { tagged: false, lossless: false });
      return pdf.notices.reduce((sum, { code, count }) => sum + (code === "chunks-left-out" ? count : 0), 0);
    };
    expect(await noticesOf(zygote)).toBe(4);
    // Plain soffice inserts no chunks. All five are reported, and the nested one.
    expect(await noticesOf(soffice)).toBe(6);
  });
});
