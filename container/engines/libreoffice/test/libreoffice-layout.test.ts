// Tests the layout of tables, columns of text, shapes and slides, which LibreOffice lays out differently from Office.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { docx, paragraph, pptx } from "../../../../test/fixtures/office.ts";
import { convert, openOffices, save, zygote } from "../../../../test/support/libreoffice.ts";

openOffices();

interface Box {
  readonly left: number;
  readonly right: number;
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
    const found = boxes.match(new RegExp(`xMin="([\\d.]+)" yMin="[\\d.]+" xMax="([\\d.]+)" yMax="([\\d.]+)">${word}<`));
    const [left, right, bottom] = (found ?? []).slice(1).map(Number);
    return { left: left!, right: right!, bottom: bottom! };
  };
}

describe("the columns of a table", () => {
  /** Left and right margins of a cell together, by default. */
  const margins = 10.8;
  interface Shape {
    readonly width?: string;
    readonly cells?: readonly (string | undefined)[];
    readonly more?: string;
    readonly row?: string;
  }
  const table = (
    texts: readonly string[],
    { width = 'w:w="0" w:type="auto"', cells = [], more = "", row = "" }: Shape,
  ) =>
    `<w:tbl><w:tblPr><w:tblW ${width}/>${more}</w:tblPr><w:tblGrid>${'<w:gridCol w:w="1000"/>'.repeat(texts.length)}</w:tblGrid><w:tr${row}>${texts
      .map((text, at) => `<w:tc><w:tcPr>${cells[at] ? `<w:tcW ${cells[at]}/>` : ""}</w:tcPr>${paragraph(text)}</w:tc>`)
      .join("")}</w:tr></w:tbl>${paragraph("End")}<w:sectPr>${PAGE}</w:sectPr>`;
  const twips = (value: number) => `w:w="${value}" w:type="dxa"`;
  const share = (percent: number) => `w:w="${percent * 50}" w:type="pct"`;

  test("grow to their widest words", async () => {
    const at = await places(table(["Incomprehensibilities", "Second"], { cells: [twips(1000), twips(1000)] }));
    const first = at("Incomprehensibilities");
    expect(at("Second").left).toBeCloseTo(first.right + margins, 0);
  });

  test("yield in proportion to their excess over their widest words", async () => {
    const cells = [twips(2000), twips(4000)];
    const at = await places(table(["Incomprehensibilities", "Second"], { width: twips(4000), cells }));
    const [first, second] = [at("Incomprehensibilities"), at("Second")];
    const least = [first, second].map(({ left, right }) => right - left + margins);
    const width = 100 - ((100 - least[0]!) * 100) / (300 - least[0]! - least[1]!);
    expect(second.left - first.left).toBeCloseTo(width, 0);
  });

  test("without stated widths fit their widest lines", async () => {
    const at = await places(table(["Two words", "Second"], {}));
    expect(at("Second").left).toBeCloseTo(at("words").right + margins, 0);
  });

  test("without stated widths share the room beyond their widest words", async () => {
    const long = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
    const at = await places(table([long, "Second", "Last"], {}));
    expect(at("Second").left).toBeCloseTo(
      540 - (at("Last").right - at("Last").left) - 2 * margins + margins / 2 - (at("Second").right - at("Second").left),
      0,
    );
  });

  test("have the stated shares of a table", async () => {
    const at = await places(table(["First", "Second"], { width: share(50), cells: [share(20), share(80)] }));
    expect(at("Second").left - at("First").left).toBeCloseTo(468 * 0.5 * 0.2, 0);
  });

  test.each<[string, Shape]>([
    ["a fixed layout", { more: '<w:tblLayout w:type="fixed"/>' }],
    ["a layout that Word saved", { row: ' w:rsidR="00FC693F"' }], // cspell:ignore rsid
  ])("keep their widths in %s", async (_, shape) => {
    const cells = [twips(1000), twips(1000)];
    const at = await places(table(["Incomprehensibilities", "Second"], { cells, ...shape }));
    expect(at("Second").left).toBeCloseTo(72 + 50 + margins / 2, 0);
  });
});

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
});

describe("the space below the last paragraph of a shape", () => {
  const word = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape";
  const text = (below: number) =>
    `<w:p><w:pPr><w:spacing w:after="${below}"/></w:pPr><w:r><w:t>Inside</w:t></w:r></w:p>`;
  const shape = (below: number, anchor: string, height: number) => `<w:p><w:r><w:drawing>
    <wp:anchor xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" distT="0" distB="0" distL="0" distR="0" simplePos="0" relativeHeight="1" behindDoc="0" locked="0" layoutInCell="1" allowOverlap="1">
    <wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="margin"><wp:posOffset>0</wp:posOffset></wp:positionH>
    <wp:positionV relativeFrom="margin"><wp:posOffset>0</wp:posOffset></wp:positionV>
    <wp:extent cx="1270000" cy="${height * 12700}"/><wp:wrapNone/><wp:docPr id="1" name="Shape"/>
    <a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="${word}">
    <wps:wsp xmlns:wps="${word}"><wps:cNvSpPr/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1270000" cy="${height * 12700}"/></a:xfrm><a:prstGeom prst="rect"/></wps:spPr>
    <wps:txbx><w:txbxContent>${text(below)}</w:txbxContent></wps:txbx>
    <wps:bodyPr anchor="${anchor}" lIns="0" tIns="0" rIns="0" bIns="0"/></wps:wsp></a:graphicData></a:graphic>
    </wp:anchor></w:drawing></w:r></w:p>`;
  const rise = async (anchor: string, height: number) => {
    const [plain, spaced] = [await places(shape(0, anchor, height)), await places(shape(200, anchor, height))];
    return plain("Inside").bottom - spaced("Inside").bottom;
  };

  test.each([
    ["at the top of a shape", "t", 100, 0],
    ["in the middle of a shape", "ctr", 100, 5],
    ["at the bottom of a shape", "b", 100, 10],
  ])("counts %s", async (_, anchor, height, points) => {
    expect(await rise(anchor, height)).toBeCloseTo(points, 0);
  });

  test("does not push a text out of a low shape", async () => {
    expect(await rise("ctr", 16)).toBeLessThan(3);
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
