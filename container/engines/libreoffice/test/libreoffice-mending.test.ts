// Tests the corrections of imported documents that LibreOffice shows differently from Office.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import {
  docx,
  excel2,
  type MoreOfWorkbook,
  pageBreak,
  paragraph,
  type Text,
  xlsx,
} from "../../../../test/fixtures/office.ts";
import { distances } from "../../../../test/support/flattened.ts";
import { convert, openOffices, save, soffice, zygote } from "../../../../test/support/libreoffice.ts";
import type { LibreOffice } from "../libreoffice.ts";

openOffices();

const converted = async (content: Uint8Array | string, extension: string) =>
  convert(zygote, await save(content, extension));
const pdftotext = (path: string, option: string) =>
  execFileSync("pdftotext", [option, path, "-"], { encoding: "utf8" });
const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);

describe("formulas", () => {
  const lines = (cells: readonly string[]) => cells.map((cell, at) => `<row r="${at + 1}">${cell}</row>`).join("");
  const saved = (formula: string, value: string, type = "n") => `<c t="${type}"><f>${formula}</f><v>${value}</v></c>`;
  const array = (formula: string, reference: string, value: string, type = "n") =>
    `<c r="${reference.split(":")[0]}" t="${type}" cm="1"><f t="array" ref="${reference}">${formula}</f><v>${value}</v></c>`;
  const totals = [
    "<c><v>1000</v></c>",
    "<c><v>450</v></c>",
    saved("SUM(A1:A2)", "7"),
    saved('"EUR "&amp;A3', "EUR 7", "str"),
  ];
  const shown = async (cells: readonly string[], workbook: string, more: MoreOfWorkbook = {}) =>
    wordsOf((await converted(xlsx(lines(cells), 1, { ...more, workbook }), "xlsx")).text);

  test.each([
    ["fullCalcOnLoad", '<calcPr calcId="124519" fullCalcOnLoad="1"/>', ["1450", "EUR", "1450"]],
    ["fullCalcOnLoad in words", '<calcPr fullCalcOnLoad="true" calcMode="manual"/>', ["1450", "EUR", "1450"]],
    ["forceFullCalc", "<calcPr forceFullCalc='1'/>", ["1450", "EUR", "1450"]],
    ["neither", '<calcPr calcId="191029"/>', ["7", "EUR", "7"]],
    ["fullCalcOnLoad off", '<calcPr fullCalcOnLoad="0"/>', ["7", "EUR", "7"]],
  ])("with %s are calculated if the workbook asks for it", async (_, calcPr, values) => {
    expect(await shown(totals, calcPr)).toEqual(["1000", "450", ...values]);
  });

  test("are calculated if an unknown program saved nothing but zeros", async () => {
    const zeros = [...totals.slice(0, 2), saved("SUM(A1:A2)", "0"), saved("A3*2", "0")];
    expect(await shown(zeros, "")).toEqual(["1000", "450", "1450", "2900"]);
  });

  test("with functions of Excel 365 are calculated", async () => {
    const cells = [
      "<c><v>5</v></c>",
      "<c><v>3</v></c>",
      saved("_xlfn.XLOOKUP(3,A1:A2,A1:A2)+1", "0"),
      saved("_xlfn.LET(_xlpm.x,A1,_xlpm.x*2)", "0"),
      array("_xlfn._xlws.SORT(A1:A2)", "A5:A6", "0"),
      "<c><v>0</v></c>",
      saved("SUM(_xlfn._xlws.FILTER(A1:A2,A1:A2&gt;4))", "0"),
    ];
    expect(await shown(cells, '<calcPr fullCalcOnLoad="1"/>')).toEqual(["5", "3", "4", "10", "3", "5", "5"]);
  });

  test("a sheet under a password is calculated, too", async () => {
    const more = { after: '<sheetProtection password="CC1A" sheet="1"/>' };
    expect(await shown(totals, '<calcPr fullCalcOnLoad="1"/>', more)).toContain("1450");
  });

  const names =
    '<definedNames><definedName name="TWICE">_xlfn.LAMBDA(_xlpm.x,2*_xlpm.x)</definedName><definedName name="FOUND">_xlfn.TAKE(Sheet1!$A$1,1)</definedName></definedNames>';
  const unknown = [
    "<c><v>5</v></c>",
    saved("_xlfn.TAKE(A1:A1,1)", "101"),
    saved("A2+1", "102"),
    array("_xlfn.TAKE(A1,1)", "A4", "103"),
    array("_xlfn.VSTACK(A1,A2)", "A5:A6", "first", "str"),
    '<c r="A6" t="str"><v>second</v></c>',
    saved("IFERROR(_xlfn.TAKE(A1:A1,1),&quot;none&quot;)", "104"),
    saved("_xlfn.TAKE(A1:A1,9)", "#N/A", "e"),
    saved("_xlfn.LAMBDA(_xlpm.x,_xlpm.x=5)(A1)", "1", "b"),
    saved("OWNFUNCTION(A1)", "R&amp;D", "str"),
    saved("TWICE(A1)", "105"),
    saved("FOUND+1", "106"),
    '<c t="n"><f t="shared" ref="A13:A14" si="0">OWNFUNCTION(B13)</f><v>107</v></c>',
    '<c t="n"><f t="shared" si="0"/><v>108</v></c>',
    saved("MISSPELT(A1)", "#NAME?", "e"),
    saved("_xlfn.DROP(A1:A2,2)", "#CALC!", "e"),
    saved("LEN(INFO(&quot;directory&quot;))", "109"),
    saved("SUM(A1,A2,A4)", "209"),
    saved("'[absent.xlsx]S'!A1", "110"),
    saved("A19+1", "111"),
  ];
  test.each(["", '<calcPr fullCalcOnLoad="1"/>'])("that are not known keep their saved values (%s)", async (calcPr) => {
    const texts = "5 101 102 103 first second 104 #N/A TRUE R&D 105 106 107 108 #NAME? #CALC! 109 209 110 111".split(
      " ",
    );
    expect(await shown(unknown, names + calcPr)).toEqual(texts);
  });
});

describe("rows", () => {
  const formats =
    '<xf><alignment wrapText="1"/></xf><xf fontId="1" applyFont="1"/><xf><alignment textRotation="90"/></xf>';
  const cols = '<cols><col min="1" max="1" width="8" customWidth="1"/></cols>';
  const text = (style: number, content: string) => `<c s="${style}" t="inlineStr"><is><t>${content}</t></is></c>`;
  const long = "These words are wrapped over several lines of a cell";

  /**
   * Returns the height of the first row: the distance between the texts above and below it, less the height of one row.
   */
  async function heightOf(row: string, before = '<sheetFormatPr defaultRowHeight="15"/>'): Promise<number> {
    const rows = `<row>${text(0, "Above")}</row>${row}<row>${text(0, "Below")}</row>`;
    const { bytes } = await converted(xlsx(rows, 9, { formats, before: before + cols }), "xlsx");
    const path = await save(bytes, "pdf");
    const boxes = pdftotext(path, "-bbox");
    const bottomOf = (word: string) => Number(new RegExp(`yMax="([\\d.]+)">${word}<`).exec(boxes)?.[1]);
    return bottomOf("Below") - bottomOf("Above") - 15;
  }

  test.each([
    ["wrapped text", `<row>${text(1, long)}</row>`, 80, 140],
    ["a large font", `<row>${text(2, "Large")}</row>`, 26, 36],
    ["turned text", `<row>${text(3, "Turned text")}</row>`, 40, 80],
    ["one line of wrapped text", `<row>${text(1, "One")}</row>`, 14, 16],
    ["a saved height", `<row ht="20">${text(1, long)}</row>`, 19, 21],
    ["a height of its own", `<row ht="20" customHeight="1">${text(1, long)}</row>`, 19, 21],
  ])("with %s have the height that Excel gives them", async (_, row, least, most) => {
    const height = await heightOf(row);
    expect(height).toBeGreaterThan(least);
    expect(height).toBeLessThan(most);
  });

  test("keep the sheet's height if that is fixed, and stay hidden", async () => {
    const fixed = '<sheetFormatPr defaultRowHeight="15" customHeight="1"/>';
    expect(await heightOf(`<row>${text(1, long)}</row>`, fixed)).toBeCloseTo(15, 0);
    const hidden = `<row hidden="1">${text(1, long)}</row><row>${text(0, "Shown")}</row>`;
    expect((await converted(xlsx(hidden, 9, { formats, before: cols }), "xlsx")).text.trim()).toBe("Shown");
  });
});

describe("links without a character style", () => {
  const linksOf = (bytes: Buffer) =>
    [...bytes.toString("latin1").matchAll(/\/URI\s*\(([^)]*)\)/g)].map(([, target]) => target).sort();
  const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
  const link = `<w:hyperlink r:id="link">${run("linked")}</w:hyperlink>`;
  const links: Text["links"] = [["link", "hyperlink", "https://example.com/part"]];

  test.each([
    ["a paragraph", `<w:p>${link}</w:p>`],
    [
      "a table",
      `<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/></w:tblPr><w:tr><w:tc><w:p>${link}</w:p></w:tc></w:tr></w:tbl><w:p/>`,
    ],
    [
      "a text box",
      `<w:p><w:r><w:pict><v:rect xmlns:v="urn:schemas-microsoft-com:vml" style="position:absolute;width:120pt;height:40pt"><v:textbox><w:txbxContent><w:p>${link}</w:p></w:txbxContent></v:textbox></v:rect></w:pict></w:r></w:p>`,
    ],
    [
      "a simple field",
      `<w:p><w:fldSimple w:instr=" HYPERLINK &quot;https://example.com/part&quot; ">${run("linked")}</w:fldSimple></w:p>`,
    ],
  ])("are links in %s, and look as before", async (_, body) => {
    const { bytes, text } = await converted(docx({ body, links }), "docx");
    expect(text.trim()).toBe("linked");
    expect(linksOf(bytes)).toEqual(["https://example.com/part"]);
    const plain = await converted(docx({ body: body.replaceAll(/<\/?w:(hyperlink|fldSimple)[^>]*>/g, "") }), "docx");
    expect((await distances(plain.bytes, bytes, 1, 50)).poppler).toBe(0);
  });

  test("are links in a header, a footnote and a footer", async () => {
    const field = (place: string) =>
      `{\\field{\\*\\fldinst HYPERLINK "https://example.com/${place}"}{\\fldrslt ${place}}}`;
    const rtf = `{\\rtf1\\ansi{\\header ${field("header")}\\par}{\\footer ${field("footer")}\\par}Text{\\footnote ${field("note")}}\\par}`;
    const { bytes } = await converted(rtf, "rtf");
    expect(linksOf(bytes)).toEqual(["footer", "header", "note"].map((place) => `https://example.com/${place}`));
  });

  test("lead to a bookmark of the document", async () => {
    const body = `<w:p><w:hyperlink w:anchor="there">${run("Go")}</w:hyperlink></w:p><w:p><w:bookmarkStart w:id="1" w:name="there"/>${run("There")}<w:bookmarkEnd w:id="1"/></w:p>`;
    const { bytes } = await converted(docx({ body }), "docx");
    expect(bytes.toString("latin1")).toMatch(/\/Subtype\s*\/Link[\s\S]*?\/Dest/);
  });
});

describe("headers and footers of sheets", () => {
  const spreadsheetXml = (name: string, options = "") =>
    `<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="${name}"><Table><Row><Cell><Data ss:Type="String">Cell</Data></Cell></Row></Table>${options}</Worksheet></Workbook>`;
  const margins = `<WorksheetOptions xmlns="urn:schemas-microsoft-com:office:excel"><PageSetup><Header x:Margin="0.3" xmlns:x="urn:schemas-microsoft-com:office:excel"/></PageSetup></WorksheetOptions>`;
  test.each([
    ["Spreadsheet XML", "xls", spreadsheetXml("A sheet")],
    ["Spreadsheet XML with a margin", "xml", spreadsheetXml("Page", margins)],
    ["SYLK", "slk", 'ID;PWXL;N;E\r\nC;Y1;X1;K"Cell"\r\nE\r\n'],
    ["HTML", "xls", "<table><tr><td>Cell</td></tr></table>"],
    ["Excel 2", "xls", excel2("Cell")],
  ])("are not made up for %s", async (_, extension, content) => {
    expect(wordsOf((await converted(content, extension)).text)).toEqual(["Cell"]);
  });

  test("of Excel 2 stay", async () => {
    const header = Buffer.from("\u0014\0\u0006\0\u0005&CTop", "latin1");
    const sheet = excel2("Cell");
    const { text } = await converted(Buffer.concat([sheet.subarray(0, 8), header, sheet.subarray(8)]), "xls");
    expect(wordsOf(text)).toEqual(["Top", "Cell"]);
  });
});

test.each([
  ["a percentage of zero", '<w:tblW w:w="0" w:type="pct"/>', "<w:tblGrid/>"],
  ["zero and a decimal point", '<w:tblW w:type="pct" w:w="0.0"/>', "<w:tblGrid/>"],
  ["a percentage of zero, without a grid", '<w:tblW w:w="0%" w:type="pct"/>', ""],
])("a table with a width of %s shows all columns", async (_, width, grid) => {
  const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
  const row = `<w:tr>${["One", "Two", "Three"].map(cell).join("")}</w:tr>`;
  const body = `<w:tbl><w:tblPr>${width}</w:tblPr>${grid}${row}</w:tbl><w:p/>`;
  const { text, bytes } = await converted(docx({ body }), "docx");
  expect(wordsOf(text)).toEqual(["One", "Two", "Three"]);
  const path = await save(bytes, "pdf");
  const boxes = pdftotext(path, "-bbox");
  expect(Number(/xMax="([\d.]+)" yMax="[\d.]+">Three</.exec(boxes)?.[1])).toBeLessThan(612);
});

describe("a section", () => {
  const section = (type: string, more = "") => `<w:sectPr><w:type w:val="${type}"/>${more}</w:sectPr>`;
  const first = `${paragraph("One")}<w:p><w:pPr>${section("nextPage")}</w:pPr></w:p>`;
  const again = '<w:pgNumType w:start="1"/>';
  test.each([
    ["on an odd page, behind one page", `${first}${paragraph("Two")}${section("oddPage")}`, 3],
    ["on an even page, behind one page", `${first}${paragraph("Two")}${section("evenPage")}`, 2],
    ["on an odd page, numbered from 1", `${first}${paragraph("Two")}${section("oddPage", again)}`, 3],
    ["on the next page", `${first}${paragraph("Two")}${section("nextPage")}`, 2],
    ["on the next page, numbered from 1", `${first}${paragraph("Two")}${section("nextPage", again)}`, 2],
  ])("%s: the pages are as in Word", async (_, body, pages) => {
    expect((await converted(docx({ body }), "docx")).pages).toBe(pages);
  });
});

describe("the space above a paragraph at the top of a page", () => {
  const spaced = (run: string, above: number, below = 0) =>
    `<w:p><w:pPr><w:spacing w:before="${above}" w:after="${below}"/></w:pPr><w:r>${run}</w:r></w:p>`;
  const run = (text: string) => `<w:t>${text}</w:t>`;
  const breaking = '<w:br w:type="page"/>';
  const section =
    '<w:p><w:pPr><w:spacing w:before="0" w:after="200"/><w:sectPr/></w:pPr><w:r><w:t>End</w:t></w:r></w:p>';
  const mode = (version: number) =>
    `<w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="${version}"/></w:compat>`;
  const chapter = (above: number) =>
    `${spaced(run("One"), 0, 200)}${spaced(run("Top"), above).replace("<w:pPr>", '<w:pPr><w:pStyle w:val="Chapter"/>')}`;
  const table =
    '<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="2000"/></w:tblGrid><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>';
  /** Returns the distance in points between the first lines of a document with spaces and one without. */
  const distance = async (body: (above: number) => string, settings?: string) => {
    const [adjacent, separated] = await Promise.all(
      [0, 480].map(async (above) => {
        const document = docx({ body: body(above), ...(settings ? { settings } : {}) });
        const { bytes, pages } = await converted(document, "docx");
        const words = pdftotext(await save(bytes, "pdf"), "-bbox");
        return { pages, y: Number(/yMin="([\d.]+)" xMax="[\d.]+" yMax="[\d.]+">Top</.exec(words)?.[1]) };
      }),
    );
    expect(separated!.pages).toBe(adjacent!.pages);
    return Math.round(separated!.y - adjacent!.y);
  };

  test.each<[string, (above: number) => string, number, string?]>([
    ["stays on the first page", (above) => spaced(run("Top"), above), 24],
    ["stays below a paragraph", (above) => `${spaced(run("One"), 0)}${spaced(run("Top"), above)}`, 24],
    ["goes after a page break in the paragraph before", (above) => `${pageBreak}${spaced(run("Top"), above)}`, 0],
    [
      "goes after a page break in the paragraph",
      (above) => `${paragraph("One")}${spaced(breaking + run("Top"), above)}`,
      0,
    ],
    ["goes after a page break after a table", (above) => `${table}${spaced(breaking + run("Top"), above)}`, 0],
    ["goes after the page break of a style in Word 2013", chapter, 0, mode(15)],
    ["shrinks after the page break of a style in Word 2010", chapter, 14, mode(14)],
    ["shrinks by the space below the section before", (above) => `${section}${spaced(run("Top"), above)}`, 14],
    ["goes after a page break in Word 2010", (above) => `${pageBreak}${spaced(run("Top"), above)}`, 0, mode(14)],
  ])("%s", async (_, body, points, settings) => {
    expect(await distance(body, settings)).toBe(points);
  });
});

test.each([
  ["000000", "FFFFFF"],
  ["303030", "FFFFFF"],
  ["808080", "000000"],
  ["ED7D31", "000000"],
])("text of the automatic color on %s has the color %s, as in Word", async (background, color) => {
  const shading = `<w:shd w:val="clear" w:color="auto" w:fill="${background}"/>`;
  const [automatic, declared] = await Promise.all(
    ["", `<w:color w:val="${color}"/>`].map(async (own) => {
      const run = (properties: string) => `<w:r><w:rPr>${properties}${own}</w:rPr><w:t>Shaded</w:t></w:r>`;
      const cell = `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="3000"/></w:tblGrid><w:tr><w:tc><w:tcPr>${shading}</w:tcPr><w:p>${run("")}</w:p></w:tc></w:tr></w:tbl>`;
      const body = `<w:p>${run(shading)}</w:p><w:p><w:pPr>${shading}</w:pPr>${run("")}</w:p>${cell}`;
      return (await converted(docx({ body }), "docx")).bytes;
    }),
  );
  expect((await distances(declared!, automatic!, 1, 50)).poppler).toBe(0);
});

test("every paragraph of a text with endnotes is drawn", async () => {
  const note = "{\\footnote\\ftnalt Note}"; // cspell:ignore ftnalt Deltai
  const paragraphs = ["Alpha", "Beta", "Gamma", `Delta${note}`, "Epsilon"].join("\\par ");
  const { bytes } = await converted(`{\\rtf1\\ansi ${paragraphs}\\par}`, "rtf");
  const words = wordsOf(pdftotext(await save(bytes, "pdf"), "-layout"));
  expect(words.slice(0, 5)).toEqual(["Alpha", "Beta", "Gamma", "Deltai", "Epsilon"]);
});

test.each([
  ["en-US", "internationalization characterization incomprehensibilities misunderstanding"],
  ["fr-FR", "anticonstitutionnellement internationalisation constitutionnelle extraordinairement"],
  ["ru-RU", "достопримечательность предпринимательство человеконенавистничество"],
])("words of %s are broken where the document asks for it", async (language, words) => {
  const narrow =
    '<w:sectPr><w:pgSz w:w="4200" w:h="8000"/><w:pgMar w:top="700" w:right="700" w:bottom="700" w:left="700" w:header="0" w:footer="0" w:gutter="0"/></w:sectPr>';
  const hyphens = async (office: LibreOffice, settings?: string) => {
    const document = docx({ body: paragraph(words) + narrow, language, ...(settings ? { settings } : {}) });
    const { bytes } = await convert(office, await save(document, "docx"));
    // Without `-layout`, pdftotext(1) joins the parts of hyphenated words.
    const lines = pdftotext(await save(bytes, "pdf"), "-layout");
    return lines.match(/\p{L}[-\u00ad\u2010]\n/gu)?.length ?? 0;
  };
  // Plain soffice takes seconds, so it is tested with one language. The dictionaries of all languages are in the same
  // folder.
  for (const office of language === "en-US" ? [zygote, soffice] : [zygote]) {
    expect(await hyphens(office, "<w:autoHyphenation/>")).toBeGreaterThan(0);
  }
  expect(await hyphens(zygote)).toBe(0);
});
