// Compares the pixels of pages before and after, reads the places of words with poppler, and the tags with qpdf.
// Contract: docs/api.md#pdf-with-added-tables
import { describe, expect, test } from "vitest";
import { OutOfRange } from "../../../src/document/contract/failure.ts";
import { addTables } from "../../../src/operations/add-tables.ts";
import { AWKWARD_PAGES, pageWith } from "../../fixtures/awkward-pages.ts";
import { png } from "../../fixtures/pictures.ts";
import { drawn, expectChange } from "../../support/changed-pixels.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { reasonOf } from "../../support/operations.ts";
import { pageTexts, uncompressed } from "../../support/pdf-readers.ts";
import { rowsOf, tabled, type Word, wordsOf } from "../../support/tables.ts";

const NO_BORDER = Object.fromEntries(["top", "right", "bottom", "left"].map((side) => [side, { width: 0 }]));
const NO_PADDING = { top: 0, right: 0, bottom: 0, left: 0 };
const blank = pageWith("", "", "0 0 300 200");
/** A table of two columns, each 100 points wide. */
const two = (more: object = {}) => ({
  ...{ page: 1, x: 40, y: 180, width: 200, columns: [{ width: 100 }, { width: 100 }] },
  ...{ rows: rowsOf(["one", "two"]), ...more },
});
const wordIn = (words: readonly Word[], text: string): Word => words.find((word) => word.text === text)!;
const wordsFor = async (table: object) => wordsOf((await tabled(blank, table)).made);
/** Returns the color of a point of the first page, as poppler draws it. */
function colorAt(pdf: Uint8Array, x: number, y: number): number[] {
  const { width, height, samples } = drawn(pdf, 1).poppler;
  const at = 3 * (width * (height - 1 - Math.round(2 * y)) + Math.round(2 * x));
  return [...samples.subarray(at, at + 3)];
}

describe("positions are those of the page as it is shown", () => {
  const area = { min_height: 40, style: { background_color_rgb: "200,0,0", border: NO_BORDER } };
  const table = { page: 1, x: 30, y: 110, columns: [{ width: 100 }], rows: [{ cells: [area] }] };
  test.each(AWKWARD_PAGES)("%s", async (_, pdf) => {
    expectChange(pdf, (await tabled(pdf, table)).made, [30, 70, 130, 110]);
  });

  test("borders are centered on the edges of cells", async () => {
    const cell = { min_height: 40, style: { border: { top: { width: 4 }, left: { width: 2 } } } };
    const { made } = await tabled(blank, { ...table, rows: [{ cells: [cell] }] });
    expectChange(blank, made, [28, 69, 132, 112]);
  });

  test.each([
    ["left", 40, 1],
    ["center", 100, 1],
    ["right", 160, 1],
  ])("a table at the %s of the page, and at x", async (horizontal_align, left) => {
    const narrow = { page: 1, y: 180, columns: [{ width: 100 }], rows: rowsOf(["one"]) };
    const { x: _, ...aligned } = { ...narrow, x: 0, horizontal_align };
    const [word] = await wordsFor(aligned);
    expect(word!.left).toBeCloseTo({ left: 0, center: 100, right: 200 }[horizontal_align]! + 4, 0);
    const [at] = await wordsFor({ ...aligned, x: left + { left: 0, center: 50, right: 100 }[horizontal_align]! });
    expect(Math.abs(at!.left - left - 4)).toBeLessThan(0.5);
  });
});

describe("the text of a cell", () => {
  test.each([
    ["left", "top", { left: 50, top: 40 }],
    ["right", "bottom", { right: 230, bottom: 100 }],
    ["center", "middle", { left: 140, right: 140, top: 70, bottom: 70 }],
  ])("is at the %s and %s, inside of the padding", async (text_align, vertical_align, place) => {
    const style = { text_size: 20, text_align, vertical_align, padding: { top: 20, bottom: 20, left: 10, right: 10 } };
    const rows = [{ cells: [{ text: "word", style }], min_height: 100 }];
    const [word] = await wordsFor({ page: 1, x: 40, y: 180, columns: [{ width: 200 }], rows });
    const [across, down] = [(word!.left + word!.right) / 2, (word!.top + word!.bottom) / 2];
    const found = text_align === "center" ? { left: across, right: across, top: down, bottom: down } : word!;
    for (const [side, at] of Object.entries(place)) {
      expect(Math.abs(found[side as keyof typeof place] - at), side).toBeLessThan(0.5);
    }
  });

  test("breaks into lines, which make the row higher", async () => {
    const words = await wordsFor(two({ rows: rowsOf(["one two three four five six seven", "x"], ["below", "y"]) }));
    const [one, seven, below] = ["one", "seven", "below"].map((text) => wordIn(words, text)) as [Word, Word, Word];
    expect(seven.top).toBeGreaterThan(one.bottom - 1);
    expect(seven.right).toBeLessThanOrEqual(140 - 4);
    expect(below.top).toBeGreaterThan(seven.bottom + 4);
  });

  test.each([
    ["does not wrap with no_wrap", { text: "a long text that is wider than its column", no_wrap: "true" }, 160],
    ["is cut off at a fixed height", { text: "a long text that is wider than its column", fixed_height: 16 }, 163.75],
  ])("%s, and a notice reports it", async (_, cell, bottom) => {
    const { made, notices } = await tabled(blank, two({ rows: [{ cells: [cell, {}] }] }));
    expect(notices).toEqual([{ code: "cells-cut", count: 1 }]);
    expectChange(blank, made, [39.75, bottom, 240.25, 180.25]);
  });

  test("runs from right to left, and so do columns", async () => {
    const words = await wordsFor(two({ is_rtl: true, rows: rowsOf(["שלום", "abc"]) }));
    expect(words.map(({ right }) => Math.round(right)).sort((one, other) => one - other)).toEqual([136, 236]);
    expect(wordIn(words, "abc").right).toBeLessThan(140);
  });

  test("can have any script", async () => {
    const texts = ["Größe", "承認済み", "ไทย", "हिन्दी", "😀"];
    const { made } = await tabled(blank, { page: 1, x: 9, y: 180, rows: rowsOf(texts) });
    for (const text of texts) expect(pageTexts(made)[0]).toContain(text);
  });
});

describe("columns", () => {
  const edgesOf = async (table: object) => (await wordsFor(table)).map(({ left }) => Math.round(left - 4));
  const cells = rowsOf(["a", "b", "c"]);
  const at = { page: 1, x: 10, y: 180, rows: cells };

  test.each([
    ["fixed", { columns: [{ width: 50 }, { width: 60 }, { width: "70" }] }, [10, 60, 120]],
    [
      "relative",
      { width: 240, width_mode: "relative", columns: [{ width: 1 }, { width: 2 }, { width: 3 }] },
      [10, 50, 130],
    ],
    [
      "relative to the page",
      { width_percentage: 50, width_mode: "relative", columns: [{ width: 1 }, { width: 1 }, { width: 1 }] },
      [10, 60, 110],
    ],
    ["equal because of equal content", { width: 240, rows: rowsOf(["m", "m", "m"]) }, [10, 90, 170]],
    ["automatic beside fixed ones", { width: 240, columns: [{ width: 100 }, {}, { width: 100 }] }, [10, 110, 150]],
  ])("are %s", async (_, more, edges) => {
    expect(await edgesOf({ ...at, ...more })).toEqual(edges);
  });

  test("as wide as their content stay on one line, unless the page is too narrow", async () => {
    const words = await wordsFor({ page: 1, x: 10, y: 180, rows: rowsOf(["one two three", "x"], ["y", "four five"]) });
    expect(wordIn(words, "three").top).toBe(wordIn(words, "one").top);
    expect(wordIn(words, "four").left - wordIn(words, "three").right).toBeCloseTo(8, 0);
    const long = "word ".repeat(40);
    const wrapped = await wordsFor({ page: 1, x: 10, y: 180, rows: rowsOf(["incomprehensible", long]) });
    expect(wrapped.filter(({ text }) => text === "incomprehensible")).toHaveLength(1);
    expect(Math.max(...wrapped.map(({ right }) => right))).toBeLessThanOrEqual(297);
  });
});

describe("spans", () => {
  const spanning = two({
    rows: [
      { cells: [{ text: "tall", row_span: 2, style: { vertical_align: "middle" } }, { text: "one" }] },
      { cells: [{ text: "two" }] },
      { cells: [{ text: "wide", col_span: 2, style: { text_align: "center" } }] },
    ],
  });

  test("cover columns and rows", async () => {
    const words = await wordsFor(spanning);
    const [tall, one, row, wide] = ["tall", "one", "two", "wide"].map((text) => wordIn(words, text)) as [
      ...[Word, Word, Word, Word],
    ];
    expect(tall.top).toBeCloseTo((one.top + row.top) / 2, 0);
    expect((wide.left + wide.right) / 2).toBeCloseTo(140, 0);
    expect(row.left).toBe(one.left);
  });

  test("make their rows higher in equal parts", async () => {
    const rows = [
      { cells: [{ row_span: 2, min_height: 100 }, { text: "one" }] },
      { cells: [{ text: "two" }] },
      { cells: [{ text: "end", col_span: 2 }] },
    ];
    const words = await wordsFor(two({ rows }));
    const [one, row, end] = ["one", "two", "end"].map((text) => wordIn(words, text).top) as [number, number, number];
    expect(row - one).toBeCloseTo(50, 0);
    expect(end - one).toBeCloseTo(100, 0);
  });
});

describe("the look", () => {
  test("of a cell overrides that of its row, its column and its table, member by member", async () => {
    const table = two({
      style: { background_color_rgb: [255, 0, 0], padding: { left: 30 } },
      columns: [{ width: 100 }, { width: 100, style: { background_color_rgb: "0,255,0" } }],
      rows: [
        { cells: [{}, {}], min_height: 30 },
        { cells: [{}, { style: { background_color_cmyk: "0,0,0,0" } }], min_height: 30, style: { opacity: 0.5 } },
        { cells: [{ text: "x" }, {}], min_height: 30, style: { background_color_rgb: "0,0,255", padding: { top: 9 } } },
      ],
    });
    const { made } = await tabled(blank, table);
    const colors = [165, 135, 105].flatMap((y) => [colorAt(made, 100, y), colorAt(made, 200, y)]);
    expect(colors).toEqual([
      ...[
        [255, 0, 0],
        [0, 255, 0],
        [255, 127, 127],
        [255, 255, 255],
        [0, 0, 255],
        [0, 0, 255],
      ].map((color) => color.map((channel) => expect.closeTo(channel, -0.5))),
    ]);
    expect(wordsOf(made)[0]!.left).toBeCloseTo(70, 0);
  });

  test("of a border is that of the more specific style, and then of the wider border", async () => {
    const red = { width: 2, color_rgb: "255,0,0" };
    const blue = { width: 4, color_rgb: "0,0,255" };
    const rows = [
      { cells: [{ style: { border: { right: red } } }, {}], min_height: 40, style: { border: { left: blue } } },
      { cells: [{ style: { border: { right: red } } }, { style: { border: { left: blue } } }], min_height: 40 },
      { cells: [{}, { style: { border: { left: { width: 0 } } } }], min_height: 40 },
    ];
    const { made } = await tabled(blank, two({ rows }));
    expect([160, 120, 80].map((y) => colorAt(made, 140, y))).toEqual([
      [255, 0, 0],
      [0, 0, 255],
      [255, 255, 255],
    ]);
    expect(colorAt(made, 40, 160)).toEqual([0, 0, 255]);
  });

  test("in CMYK keeps its inks", async () => {
    const style = { text_color_cmyk: [100, 50, 0, 10], background_color_cmyk: "0,0,30,0" };
    const text = uncompressed((await tabled(blank, two({ style }))).made);
    expect(text).toContain("1 .5 0 .1 k");
    expect(text).toContain("0 0 .3 0 k");
  });
});

describe("an image", () => {
  const red = png(
    { width: 60, height: 30, channels: 3, values: Array.from({ length: 1800 }, () => [255, 0, 0]).flat() },
    { colorType: 2, bits: 8 },
  );
  const style = { border: NO_BORDER, padding: NO_PADDING };
  test.each([
    ["has its own size", {}, [40, 150, 100, 180]],
    ["keeps its proportions", { height: 15 }, [40, 165, 70, 180]],
    ["becomes smaller in a narrow cell", { width: 400 }, [40, 130, 140, 180]],
  ])("%s", async (_, size, box) => {
    const rows = [{ cells: [{ image: { image_index: 0, ...size } }, {}] }];
    expectChange(blank, (await tabled(blank, two({ rows, style }), { images: [red] })).made, box);
  });

  test("is in the document once", async () => {
    const cell = { image: { image_index: 0, height: 9 } };
    const rows = Array.from({ length: 5 }, () => ({ cells: [cell, cell] }));
    const text = uncompressed((await tabled(blank, two({ rows }), { images: [red] })).made);
    expect(text.match(/\/Subtype \/Image/g)).toHaveLength(1);
  });
});

test("tags describe sections, rows, cells, spans and scopes", async () => {
  const table = two({
    header_rows: [{ cells: [{ text: "Head", col_span: 2 }] }],
    rows: [
      {
        cells: [
          { text: "side", tag_structure_type: "TH", row_span: 2 },
          { text: "1", tag_actual_text: "one" },
        ],
      },
      { cells: [{}] },
    ],
    footer_rows: rowsOf(["Sum", "1"]),
  });
  const { made } = await tabled(blank, table, { tagEnabled: true, tagLanguage: "en-US" });
  const text = uncompressed(made);
  const types = [...text.matchAll(/\/S \/(T\w*)/g)].map(([, type]) => type);
  expect(types.sort().join(" ")).toBe("TBody TD TD TD TD TFoot TH TH THead TR TR TR TR Table");
  expect(text).toMatch(/\/ColSpan 2[\s\S]*\/Scope \/Column/);
  expect(text).toMatch(/\/RowSpan 2[\s\S]*\/Scope \/Row/);
  expect(text).toContain("/ActualText (one)");
  expect(text).toMatch(/\/TH <<\/MCID 0>> BDC/);
  expect(text.match(/\/Artifact BMC/g)!.length).toBeGreaterThan(0);
});

describe("what is impossible is refused before any output", () => {
  test.each<readonly [object, ...string[]]>([
    [two({ page: 2 }), "page", "2", "The document has 1 page."],
    [two({ y: 201 }), "y", "201", "The page is 200 points high."],
    [two({ x: 150 }), "width", "200", "The page is 300 points wide, and the table reaches beyond it."],
    [two({ width: 210 }), "width", "210", "The columns are 200 points wide."],
    [two({ rows: rowsOf(["one"]) }), "rows.0.cells", "1", "They fill 1 of 2 columns."],
    [two({ rows: rowsOf(["a", "b", "c"]) }), "rows.0.cells.2.col_span", "1", "The table has 2 columns."],
    [two({ rows: [{ cells: [{ col_span: 3 }] }] }), "rows.0.cells.0.col_span", "3", "The table has 2 columns."],
    [
      two({ rows: [{ cells: [{ row_span: 2 }, { row_span: 2 }] }] }),
      ...["rows.0.cells.0.row_span", "2", "The cell reaches beyond the last row of rows."],
    ],
    [
      two({ rows: [{ cells: [{}, { row_span: 2 }] }, { cells: [{ col_span: 2 }] }] }),
      ...["rows.1.cells.0.col_span", "2", "The cell overlaps a cell of a row above."],
    ],
    [
      two({ rows: [{ cells: [{}, { style: { font: "Nope" } }] }] }),
      ...["rows.0.cells.1.style.font", "Nope", "The requested font was not found."],
    ],
    [
      two({ rows: [{ cells: [{}, { image: { image_index: 0 } }] }] }),
      ...["rows.0.cells.1.image.image_index", "0", "There are 0 images, from 0."],
    ],
    [
      two({ rows: [{ cells: [{}, { tag_structure_type: "TD" }] }] }),
      ...["rows.0.cells.1.tag_structure_type", "TD", "It requires tag_enabled."],
    ],
    [
      two({ rows: rowsOf(["a".repeat(25_001), ""]) }),
      ...["rows.0", "25001", "Rows that are connected by cells have at most 25000 characters together."],
    ],
    [
      { page: 1, x: 0, y: 9, rows: [{ cells: [{ col_span: 201 }] }] },
      ...["columns", "201", "A table has at most 200 columns."],
    ],
  ])("%#", async (table, member, value, why) => {
    const error = await tabled(blank, [two(), table]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OutOfRange);
    expect(error).toMatchObject({ parameter: `tableObjects.1.${member}`, value, why });
  });

  test.each([
    ["no rows", { rows: [] }],
    ["no position", { x: undefined }],
    ["two widths", { width_percentage: 50 }],
    ["a percentage of a fixed width", { width: undefined, width_percentage: 50 }],
    ["two colors", { style: { text_color_rgb: "0,0,0", text_color_cmyk: "0,0,0,0" } }],
    ["text beside an image", { rows: [{ cells: [{ text: "a", image: {} }, {}] }] }],
    ["a fixed height below the minimum", { rows: [{ cells: [{ min_height: 5, fixed_height: 4 }, {}] }] }],
    ["a smaller final margin", { page_bottom_margin: 10, final_page_bottom_margin: 9 }],
  ])("%s", (_, more) => {
    const { kind } = addTables.parameters.tableObjects;
    expect(kind.value.safeParse([JSON.parse(JSON.stringify(two(more)))]).success).toBe(false);
  });
});

test.each(HOSTILE_PDFS.map(({ name, bytes }) => [name, bytes] as const))("%s", async (_, bytes) => {
  const reason = await reasonOf(async () => {
    const pdf = await bytes();
    return tabled(pdf, { page: 1, x: 0, y: 50, rows: rowsOf(["a"]) }).catch((error: unknown) => {
      if (!(error instanceof OutOfRange)) throw error;
    });
  });
  expect(["none", "damaged", "too-large", "too-complex", "unsupported"]).toContain(reason);
});
