// Tests which sheets the tables of pages become.
import { expect, test } from "vitest";
import { DocumentLayout } from "../../../../src/document/layout/document-layout.ts";
import { NumberMarks } from "../../../../src/document/sheets/number-marks.ts";
import { Workbook } from "../../../../src/document/sheets/workbook.ts";
import { pageOf } from "../../../support/page-texts.ts";

type Table = readonly (readonly string[])[];

const textsOf = (table: Table, top: number) =>
  table.flatMap((row, y) =>
    row.map((text, x) => ({ text, x: 50 + x * 120, y: top + y * 20, isBold: row[0] === "Name" })),
  );

async function sheetsOf(...pages: readonly ReturnType<typeof pageOf>[]) {
  const [layout, marks] = [new DocumentLayout(), new NumberMarks()];
  const each = async function* () {
    for (const page of pages) {
      marks.add(page);
      yield page;
    }
  };
  const workbook = new Workbook(layout.read(each()), { hyphens: layout.hyphens, marks });
  const sheets: Record<string, (readonly (readonly [string | number, string?])[])[]> = {};
  for await (const { rows, name } of workbook.sheets()) {
    const written = [];
    for await (const row of rows) {
      written.push(
        row.map(({ value, format }) => (format === undefined ? ([value] as const) : ([value, format] as const))),
      );
    }
    sheets[name()] = written;
  }
  return sheets;
}

const HEAD = ["Name", "Amount", "Code"];

test("a column with zeros at the start has numbers of things; a note beside a number is left out", async () => {
  const page = pageOf([
    ...textsOf([HEAD, ["Anna", "1,234.50", "01234"], ["Bruno", "(12)", "90210"], ["Clara", "7.25", "=1+1"]], 100),
    { text: "9", x: 190, y: 157, size: 6 },
  ]);
  expect(await sheetsOf(page)).toEqual({
    "Table 1 (page 1)": [
      [["Name"], ["Amount"], ["Code"]],
      [["Anna"], [1234.5, "#,##0.00"], ["01234", "@"]],
      [["Bruno"], [-12, "0_);(0)"], ["90210", "@"]],
      [["Clara"], [7.25, "0.00"], ["=1+1", "@"]],
    ],
  });
});

test("a table that goes on is one sheet, and its repeated headers are left out", async () => {
  const rows = (names: string): Table => [...names].map((name) => [`item-${name}`, "1", "2"]);
  const long = pageOf(textsOf([HEAD, ...rows("ABCD")], 600), [], 1);
  const next = pageOf(textsOf([HEAD, ...rows("EFG")], 60), [], 2);
  const apart = pageOf(
    [{ text: "Another table follows", x: 50, y: 60 }, ...textsOf([HEAD, ...rows("HIJ")], 150)],
    [],
    3,
  );
  const sheets = await sheetsOf(long, next, apart);
  const names = Object.entries(sheets).map(([name, written]) => [name, written.map(([first]) => first![0]).join(" ")]);
  expect(names).toEqual([
    ["Table 1 (pages 1-2)", "Name item-A item-B item-C item-D item-E item-F item-G"],
    ["Table 2 (page 3)", "Name item-H item-I item-J"],
  ]);
});

test("without tables, a sheet has the lines of text", async () => {
  const page = pageOf([{ text: "Only text", x: 40, y: 100 }]);
  expect(await sheetsOf(page)).toEqual({ Text: [[["Only text"]]] });
  expect(await sheetsOf(pageOf([]))).toEqual({ Text: [] });
});
