// Tests the layout of tables and columns of text, which LibreOffice lays out differently from Word.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { docx, paragraph } from "../../../../test/fixtures/office.ts";
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
  const { bytes } = await convert(zygote, await save(docx({ body, settings }), "docx"));
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
    ["a layout that Word saved", { row: ' w:rsidR="00FC693F"' }],
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
