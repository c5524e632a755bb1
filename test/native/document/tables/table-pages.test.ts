// Tests on which pages rows are, which new pages are made, and what else of the document changes.
// Contract: docs/api.md#pdf-with-added-tables
import { describe, expect, test } from "vitest";
import { OutOfRange } from "../../../../src/document/contract/failure.ts";
import { pageWith } from "../../../fixtures/awkward-pages.ts";
import { labeledPdf } from "../../../fixtures/pdfs.ts";
import { drawn, expectChange } from "../../../support/changed-pixels.ts";
import { onePage, pdfOf } from "../../../support/hostile-pdfs.ts";
import { uncompressed } from "../../../support/pdf-readers.ts";
import { pagesOfWords, rowsOf, tabled, wordsOf } from "../../../support/tables.ts";

const blank = pageWith("", "", "0 0 300 200");
/** Rows of 30 points. */
const numbered = (count: number) =>
  rowsOf(...Array.from({ length: count }, (_, index) => [`r${index + 1}`])).map((row) => ({ ...row, min_height: 30 }));
/** A table on a page on which 4 rows fit, below which 5 rows fit on each page. */
const long = (count: number, more: object = {}) => ({
  ...{ page: 1, x: 40, y: 150, columns: [{ width: 100 }], rows: numbered(count) },
  ...{ page_bottom_margin: 30, continuation_page_top_margin: 20, ...more },
});
const pagesFor = async (table: unknown, pdf = blank) => pagesOfWords((await tabled(pdf, table)).made);
const header_rows = [{ cells: [{ text: "H" }], min_height: 30 }];
const footer_rows = [{ cells: [{ text: "F" }], min_height: 30 }];

describe("rows that do not fit", () => {
  test.each([
    ["are on further pages", long(10), ["r1 r2 r3 r4", "r5 r6 r7 r8 r9", "r10"]],
    ["follow a header once", long(5, { header_rows }), ["H r1 r2 r3", "r4 r5"]],
    [
      "follow repeated headers",
      long(9, { header_rows, repeat_header_on_overflow: true }),
      ["H r1 r2 r3", "H r4 r5 r6 r7", "H r8 r9"],
    ],
    [
      "follow headers on all pages but the first",
      long(7, { header_rows, repeat_header_on_overflow: true, show_header_on_first_page: false }),
      ["r1 r2 r3 r4", "H r5 r6 r7"],
    ],
    ["precede a footer at the end", long(5, { footer_rows }), ["r1 r2 r3 r4", "r5 F"]],
    [
      "precede repeated footers",
      long(8, { footer_rows, repeat_footer_on_overflow: true }),
      ["r1 r2 r3 F", "r4 r5 r6 r7 F", "r8 F"],
    ],
    [
      "precede footers on all pages but the last",
      long(5, { footer_rows, repeat_footer_on_overflow: true, show_footer_on_last_page: false }),
      ["r1 r2 r3 F", "r4 r5"],
    ],
    ["take the last row with them, so that a footer is not alone", long(4, { footer_rows }), ["r1 r2 r3", "r4 F"]],
    ["leave the final margin free", long(4, { final_page_bottom_margin: 60 }), ["r1 r2 r3", "r4"]],
  ])("%s", async (_, table, pages) => {
    expect(await pagesFor(table)).toEqual(pages);
  });

  test("begin below the margin, and above the other one", async () => {
    const words = wordsOf((await tabled(blank, long(10))).made);
    expect(words.find(({ text }) => text === "r5")!.top - words[0]!.top).toBeCloseTo(20 - 50, 0);
    expect(Math.max(...words.map(({ top }) => top))).toBeLessThanOrEqual(200 - 30 - 30 + 8);
  });

  test("move together if a cell connects them", async () => {
    const rows = [
      ...numbered(3).map(({ cells }) => ({ cells: [...cells, {}], min_height: 30 })),
      { cells: [{ text: "a", row_span: 2 }, { text: "b" }], min_height: 30 },
      { cells: [{ text: "c" }], min_height: 30 },
    ];
    expect(await pagesFor(long(0, { rows, columns: [{ width: 50 }, { width: 50 }] }))).toEqual(["r1 r2 r3", "a b c"]);
  });

  test("start on the next page if the whole table fits there, but not here", async () => {
    const together = { keep_table_block_together: true };
    expect(await pagesFor([long(5, together)])).toEqual(["", "r1 r2 r3 r4 r5"]);
    expect(await pagesFor([long(6, together)])).toEqual(["r1 r2 r3 r4", "r5 r6"]);
  });

  test("are refused with fail", async () => {
    expect(await pagesFor(long(4, { overflow_behavior: "fail" }))).toEqual(["r1 r2 r3 r4"]);
    const error = await tabled(blank, long(5, { overflow_behavior: "fail" })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      ...{ parameter: "tableObjects.0.overflow_behavior", value: "fail", why: "The table does not fit on its page." },
    });
  });
});

describe("a row that is split", () => {
  /** Lines of 11.5 points: 9 on the first page, and 12 on each further page. */
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `w${index + 1}`).join("\n");
  const split = (text: string, more: object = {}) =>
    long(0, { rows: rowsOf([text]), overflow_behavior: "split-row", ...more });

  test("continues on the next page, with all lines once and in order", async () => {
    const pages = await pagesFor(split(lines(25)));
    expect(pages.map((page) => page.split(" ").length)).toEqual([9, 12, 4]);
    expect(pages.join(" ")).toBe(lines(25).replaceAll("\n", " "));
  });

  test("leaves no cell without a line, and moves if one would be", async () => {
    const rows = [
      ...rowsOf([lines(8), "x"]),
      { cells: [{ text: lines(3) }, { text: "tall", style: { text_size: 40 } }] },
    ];
    const pages = await pagesFor(split("", { rows, columns: [{ width: 50 }, { width: 150 }], page_bottom_margin: 5 }));
    expect(pages).toEqual([`${lines(8).replaceAll("\n", " ")} x`, `${lines(3).replaceAll("\n", " ")} tall`]);
  });

  test("moves if it fits on the next page and should", async () => {
    const rows = rowsOf(["first"], [lines(10)]);
    const splits = (row_split_behavior: string) => pagesFor(split("", { rows, row_split_behavior }));
    expect((await splits("split-when-needed"))[0]).toBe("first w1 w2 w3 w4 w5 w6 w7 w8");
    expect((await splits("prefer-next-page"))[0]).toBe("first");
  });

  test("can be in the middle of a cell across rows", async () => {
    const rows = [
      { cells: [{ text: lines(20), row_span: 6 }, { text: "a" }] },
      ...["b", "c", "d", "e", "f"].map((text) => ({ cells: [{ text }], min_height: 40 })),
    ];
    const { made } = await tabled(blank, split("", { rows, columns: [{ width: 60 }, { width: 60 }] }));
    const words = wordsOf(made);
    const left = words.filter(({ text }) => text.startsWith("w")).map(({ text }) => text);
    expect(left.join("\n")).toBe(lines(20));
    expect(
      words
        .filter(({ text }) => !text.startsWith("w"))
        .map(({ text }) => text)
        .join(""),
    ).toBe("abcdef");
  });

  test("is complete if only a cell across rows goes on", async () => {
    const rows = [
      { cells: [{ text: lines(30), row_span: 2 }, { text: "a" }] },
      { cells: [{ text: "b", style: { background_color_rgb: "255,0,0" } }] },
    ];
    const { made } = await tabled(blank, split("", { rows, columns: [{ width: 60 }, { width: 60 }] }));
    const found = wordsOf(made).filter(({ text }) => text === "b" || text === "w10");
    expect(found.map(({ page }) => page)).toEqual([2, 2]);
    expect(found[1]!.top).toBeCloseTo(found[0]!.top, 0);
  });

  test.each([
    ["with move-row", { rows: rowsOf([lines(30)]), overflow_behavior: "move-row" }],
    ["because of a fixed height", { rows: [{ cells: [{ fixed_height: 500 }] }] }],
  ])("is refused if it is taller than a page %s", async (_, more) => {
    const error = await tabled(blank, split("", more)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OutOfRange);
    expect(error).toMatchObject({ parameter: "tableObjects.0.rows.0" });
  });

  test("is one row of the tags, with the content of both pages, below a header that is there once", async () => {
    const table = split(lines(15), { header_rows, repeat_header_on_overflow: true });
    const text = uncompressed((await tabled(blank, table, { tagEnabled: true })).made);
    expect(text.match(/\/S \/TR\b/g)).toHaveLength(2);
    expect(text.match(/\/TH <<\/MCID/g)).toHaveLength(1);
    expect(text.match(/\/TD <<\/MCID/g)!.length).toBeGreaterThan(1);
    expect(text.match(/\/Type \/MCR/g)!.length).toBeGreaterThan(0);
  });
});

describe("several tables", () => {
  const at = (x: number, y: number, text: string, more: object = {}) => ({
    ...{
      page: 1,
      x,
      y,
      columns: [{ width: 100 }],
      rows: rowsOf([text]).map((row) => ({ ...row, min_height: 30 })),
      ...more,
    },
  });
  const tops = async (...tables: readonly object[]) => {
    const words = wordsOf((await tabled(blank, tables)).made);
    return Object.fromEntries(words.map(({ text, top, page }) => [text, [page, Math.round(top - words[0]!.top)]]));
  };

  test("follow one another where they would overlap, with their spacing", async () => {
    const below = at(40, 170, "b", { spacing_before: 10 });
    expect(await tops(at(40, 190, "a", { spacing_after: 5 }), below)).toEqual({ a: [1, 0], b: [1, 45] });
    expect(await tops(at(40, 190, "a"), at(150, 190, "b"))).toEqual({ a: [1, 0], b: [1, 0] });
    expect(await tops(at(40, 190, "a"), at(40, 100, "b"))).toEqual({ a: [1, 0], b: [1, 90] });
  });

  test("share new pages", async () => {
    const [left, right] = [long(6), long(6, { x: 160, header_rows })];
    const { made } = await tabled(blank, [left, { ...at(40, 60, "after"), page_bottom_margin: 30 }, right]);
    const pages = pagesOfWords(made);
    expect(pages).toHaveLength(2);
    expect(pages[1]!.split(" ").sort()).toEqual(["after", "r4", "r5", "r5", "r6", "r6"]);
  });
});

describe("new pages", () => {
  test("follow the page of the table, and leave other pages as they are", async () => {
    const pdf = await labeledPdf("P", 3);
    const { made } = await tabled(pdf, { ...long(10), page: 2, x: 5, y: 70, page_bottom_margin: 5 });
    const pages = pagesOfWords(made);
    expect(pages.filter((page) => page.includes("P")).map((page) => page.split(" ")[0])).toHaveLength(3);
    expectChange(pdf, made, undefined, 1);
    const last = { ours: drawn(made, pages.length), theirs: drawn(pdf, 3) };
    expect(Buffer.compare(last.ours.poppler.samples, last.theirs.poppler.samples)).toBe(0);
  });

  test.each([
    ["/Rotate 90", "0 0 200 300"],
    ["/CropBox[50 50 350 250]", "0 0 400 300"],
    ["/UserUnit 2", "0 0 150 100"],
  ])("have the size of their page: %s", async (entries, box) => {
    const { made } = await tabled(pageWith(entries, "", box), long(6));
    const [first, second] = [drawn(made, 1).mupdf, drawn(made, 2).mupdf];
    expect([second.width, second.height]).toEqual([first.width, first.height]);
    expect(pagesOfWords(made)[1]).toBe("r5 r6");
  });

  test("keep the labels of later pages", async () => {
    const pdf = pdfOf([
      "<</Type/Catalog/Pages 2 0 R/PageLabels<</Nums[0<</S/r>>1<</S/D/St 7>>]>>>>",
      "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 300 200]>>",
      "<</Type/Page/Parent 2 0 R>>",
      "<</Type/Page/Parent 2 0 R>>",
    ]);
    expect(uncompressed((await tabled(pdf, long(6))).made)).toMatch(/\/Nums \[\s*0\s[\s\S]*\s2\s/);
  });

  test("are limited", async () => {
    const narrow = onePage("", "", [], "", "0 0 100 40");
    const table = {
      page: 1,
      x: 0,
      y: 20,
      columns: [{ width: 90 }],
      rows: rowsOf(...Array.from({ length: 2100 }, () => ["x"])),
    };
    const error = await tabled(narrow, { ...table, continuation_page_top_margin: 20, style: { text_size: 9 } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ parameter: "tableObjects", value: "2001" });
  });
});
