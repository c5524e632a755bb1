// Tests the layout of columns of text and of slides, which LibreOffice lays out differently from Office.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { docx, paragraph, pptx } from "../../../../test/fixtures/office.ts";
import { convert, openOffices, save, zygote } from "../../../../test/support/libreoffice.ts";

openOffices();

interface Box {
  readonly left: number;
  readonly bottom: number;
}

const PAGE =
  '<w:pgSz w:w="12240" w:h="15840"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="720" w:footer="720" w:gutter="0"/>';
const MODE_15 =
  '<w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat>';

/** Returns the places of a document's words, in points. The words must differ. */
async function places(body: string, settings = MODE_15): Promise<(word: string) => Box> {
  return placesIn(await save(docx({ body, settings }), "docx"));
}

async function placesIn(document: string): Promise<(word: string) => Box> {
  const { bytes } = await convert(zygote, document);
  const boxes = execFileSync("pdftotext", ["-bbox", await save(bytes, "pdf"), "-"], { encoding: "utf8" });
  return (word) => {
    const found = boxes.match(new RegExp(`xMin="([\\d.]+)" yMin="[\\d.]+" xMax="[\\d.]+" yMax="([\\d.]+)">${word}<`));
    const [left, bottom] = (found ?? []).slice(1).map(Number);
    return { left: left!, bottom: bottom! };
  };
}

describe("columns of text", () => {
  const spaced = '<w:p><w:pPr><w:spacing w:before="480"/></w:pPr><w:r><w:t>First</w:t></w:r></w:p>';
  const next = '<w:p><w:r><w:br w:type="column"/></w:r></w:p>';
  const columns = '<w:cols w:num="2" w:space="720"/>';
  const section = (more: string) => `<w:sectPr>${PAGE}${more}</w:sectPr>`;
  const before = `<w:p><w:pPr>${section("")}</w:pPr><w:r><w:t>Before</w:t></w:r></w:p>`;

  test.each([
    ["at the start of a document", ""],
    ["in a section on a new page", before],
  ])("%s: only the first one begins below the space above its first paragraph", async (_, start) => {
    const body = (first: string) => `${start}${first}${next}${paragraph("Second")}${section(columns)}`;
    const at = await places(body(spaced));
    const plain = await places(body(paragraph("First")));
    expect(at("First").bottom).toBeCloseTo(plain("First").bottom + 24, 0);
    expect(at("Second").bottom).toBeCloseTo(plain("Second").bottom, 0);
  });

  test("a list item at their start keeps its number", async () => {
    // cspell:disable
    const level =
      "{\\listlevel\\levelnfc0\\levelstartat1\\levelfollow0{\\leveltext\\'05Item\\'00;}{\\levelnumbers\\'05;}}";
    const list = `{\\*\\listtable{\\list${level}\\listid1}}{\\*\\listoverridetable{\\listoverride\\listid1\\listoverridecount0\\ls1}}`;
    const rtf = `{\\rtf1\\ansi${list}\\sectd\\cols2\\pard\\sb480\\ls1\\ilvl0 First\\par\\pard\\column Second\\par}`;
    // cspell:enable
    const at = await placesIn(await save(rtf, "rtf"));
    expect(at("Item1").left).toBeGreaterThan(0);
    expect(at("Item2").left).toBeUndefined();
  });

  test("no line is inserted while changes are tracked", async () => {
    const body = `${spaced}${next}${paragraph("Second")}${section(columns)}`;
    const [tracked, plain] = [await places(body, `<w:trackRevisions/>${MODE_15}`), await places(body)];
    expect(tracked("Second").bottom).toBeGreaterThan(plain("Second").bottom);
  });
});

test("no gap stands between Hangul and digits on a slide", async () => {
  const frame = '<a:off x="900000" y="900000"/><a:ext cx="6000000" cy="900000"/>';
  const text = (content: string) =>
    `<a:bodyPr/><a:p><a:r><a:rPr lang="ko-KR" sz="2400"/><a:t>${content}</a:t></a:r></a:p>`;
  const box = `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Text"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm>${frame}</a:xfrm><a:prstGeom prst="rect"/></p:spPr><p:txBody>${text("2026년")}</p:txBody></p:sp>`;
  const table = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="Table"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm>${frame.replace('y="9', 'y="29')}</p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblPr/><a:tblGrid><a:gridCol w="6000000"/></a:tblGrid><a:tr h="900000"><a:tc><a:txBody>${text("10월")}</a:txBody><a:tcPr/></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
  const at = await placesIn(await save(pptx(box + table), "pptx"));
  // With a gap, pdftotext(1) reads two words.
  expect(at("2026년").left).toBeGreaterThan(0);
  expect(at("10월").left).toBeGreaterThan(0);
});
