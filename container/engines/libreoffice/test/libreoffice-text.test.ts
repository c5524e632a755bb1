// Tests the corrections of Word documents whose text LibreOffice sets differently from Word.
// cspell:ignore Malgun listlevel levelnfc levelfollow levelstartat leveltext levelnumbers fonttbl listtable listid
// cspell:ignore listoverridetable listoverride listoverridecount ilvl
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { docx } from "../../../../test/fixtures/office.ts";
import { convert, openOffices, save, zygote } from "../../../../test/support/libreoffice.ts";

openOffices();

/** Returns the words of a converted document with their boxes, in points from the upper edge of the page. */
async function wordsOf(content: Uint8Array | string, extension: string) {
  const { bytes } = await convert(zygote, await save(content, extension));
  const boxes = execFileSync("pdftotext", ["-bbox", await save(bytes, "pdf"), "-"], { encoding: "utf8" });
  return [...boxes.matchAll(/yMin="([\d.]+)" xMax="[\d.]+" yMax="([\d.]+)">(.*?)</g)].map(([, top, bottom, text]) => ({
    ...{ text, top: Number(top), bottom: Number(bottom) },
  }));
}

describe("Asian text", () => {
  const SIZE = 20;
  const line = (font: string, text: string, style = "") =>
    `<w:p><w:pPr>${style}</w:pPr><w:r><w:rPr><w:rFonts w:ascii="${font}" w:hAnsi="${font}" w:eastAsia="${font}"/><w:sz w:val="${2 * SIZE}"/></w:rPr><w:t>${text}</w:t></w:r></w:p>`;

  // In PDFs of Word, lines of Malgun Gothic (1.330 em by its "hhea") are 1.729 em apart, those of Microsoft YaHei 1.716.
  test.each([
    ["Malgun Gothic", "한글", 1.729],
    ["맑은 고딕", "한글", 1.729],
    ["Microsoft YaHei", "中文", 1.716],
  ])("in %s has the line height of Word", async (font, text, height) => {
    const [first, second] = await wordsOf(docx({ body: line(font, text).repeat(2) }), "docx");
    expect(second!.bottom - first!.bottom).toBeCloseTo(height * SIZE, 0);
  });

  test("makes no Latin line taller, and half of the added height is above the letters", async () => {
    const [first, second] = await wordsOf(docx({ body: line("Malgun Gothic", "Latin").repeat(2) }), "docx");
    expect(second!.bottom - first!.bottom).toBeCloseTo(1.33 * SIZE, 0);
    const [asian] = await wordsOf(docx({ body: line("Malgun Gothic", "한글") }), "docx");
    expect(asian!.bottom - first!.bottom).toBeCloseTo(0.2 * SIZE, 0);
  });

  test("is reported under the name of the font that the document names", async () => {
    const path = await save(docx({ body: line("Malgun Gothic", "한글") }), "docx");
    await using pdf = await zygote.convertToPdf(path, { tagged: false, lossless: false });
    expect(pdf.notices.flatMap(({ subjects }) => subjects ?? [])).toContainEqual({
      name: "Malgun Gothic",
      replacedBy: expect.stringMatching(/^FitMalgunGothicWord/),
    });
  });

  test("in Korean has no gap before and after Latin text, except in styles of the document", async () => {
    const [joined] = await wordsOf(docx({ body: line("Malgun Gothic", "2026년") }), "docx");
    expect(joined!.text).toBe("2026년");
    const styled = line("Malgun Gothic", "2026년", '<w:pStyle w:val="Heading1"/>');
    expect((await wordsOf(docx({ body: styled }), "docx")).map(({ text }) => text)).toEqual(["2026", "년"]);
  });
});

test.each([
  ["Symbol", 0xf0b7, "•"],
  ["Wingdings", 0xf0a7, "▪"],
])("the usual bullet of %s is text of the PDF", async (font, code, bullet) => {
  const level = `{\\listlevel\\levelnfc23\\levelfollow0\\levelstartat1{\\leveltext\\'01\\u${code - 0x10000} ?;}{\\levelnumbers;}\\f1\\fi-360\\li720}`;
  const rtf = `{\\rtf1\\ansi{\\fonttbl{\\f0 Calibri;}{\\f1\\fcharset2 ${font};}}{\\*\\listtable{\\list${level}\\listid1}}{\\*\\listoverridetable{\\listoverride\\listid1\\listoverridecount0\\ls1}}\\pard\\f0\\ls1\\ilvl0 Item\\par}`;
  expect((await wordsOf(rtf, "rtf")).map(({ text }) => text)).toEqual([bullet, "Item"]);
});

describe("the space below the last paragraph of a shape", () => {
  const ns = "http://schemas.openxmlformats.org/drawingml/2006";
  const word = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape";
  const shape = (anchor: string, below: number) =>
    `<w:p><w:r><w:drawing><wp:anchor xmlns:wp="${ns}/wordprocessingDrawing" distT="0" distB="0" distL="0" distR="0" simplePos="0" relativeHeight="0" behindDoc="0" locked="0" layoutInCell="1" allowOverlap="1"><wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="margin"><wp:posOffset>0</wp:posOffset></wp:positionH><wp:positionV relativeFrom="margin"><wp:posOffset>0</wp:posOffset></wp:positionV><wp:extent cx="1905000" cy="1905000"/><wp:wrapNone/><wp:docPr id="1" name="Shape"/><a:graphic xmlns:a="${ns}/main"><a:graphicData uri="${word}"><wps:wsp xmlns:wps="${word}"><wps:cNvSpPr/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1905000" cy="1905000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr><wps:txbx><w:txbxContent><w:p><w:pPr><w:spacing w:after="${20 * below}"/></w:pPr><w:r><w:t>Text</w:t></w:r></w:p></w:txbxContent></wps:txbx><wps:bodyPr anchor="${anchor}"/></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></w:r></w:p>`;
  const top = async (anchor: string, below: number) => {
    const [word] = await wordsOf(docx({ body: shape(anchor, below) }), "docx");
    return word!.top;
  };

  // In PDFs of Word, text in the middle of 60 shapes is higher by half of the space.
  test.each([
    ["at its upper edge", "t", 0],
    ["in its middle", "ctr", 10],
    ["at its lower edge", "b", 20],
  ])("counts as text %s", async (_, anchor, distance) => {
    expect((await top(anchor, 0)) - (await top(anchor, 20))).toBeCloseTo(distance, 0);
  });
});
