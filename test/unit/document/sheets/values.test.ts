// Tests which texts of cells are numbers and dates, and with which formats.
import { describe, expect, test } from "vitest";
import { NumberMarks } from "../../../../src/document/sheets/number-marks.ts";
import { typedValue } from "../../../../src/document/sheets/values.ts";
import { pageOf } from "../../../support/page-texts.ts";

const POINT = { decimal: ".", isDayFirst: undefined } as const;
const COMMA = { decimal: ",", isDayFirst: true } as const;

describe("numbers", () => {
  test.each([
    ["42", 42, undefined],
    ["-42", -42, undefined],
    ["−42", -42, undefined],
    ["0.50", 0.5, "0.00"],
    [".5", 0.5, "0.0"],
    ["1,234", 1234, "#,##0"],
    ["1,234,567.89", 1_234_567.89, "#,##0.00"],
    ["12,34,567.5", 1_234_567.5, "#,##0.0"],
    ["1'234.50", 1234.5, "#,##0.00"],
    ["(1,234)", -1234, "#,##0_);(#,##0)"],
    ["1,234-", -1234, "#,##0;#,##0-"],
    ["+1.5", 1.5, "+0.0;-0.0"],
    ["12.5%", 0.125, "0.0%"],
    ["33.3 %", 0.333, "0.0\\ %"],
    ["$1,234.50", 1234.5, "[$$]#,##0.00"],
    ["-$5", -5, "[$$]0"],
    ["$(5.00)", -5, "[$$]0.00_);([$$]0.00)"],
    ["1,234.50 €", 1234.5, "#,##0.00\\ [$€]"],
    ["CHF 20", 20, "[$CHF]\\ 0"],
  ])("%s with decimal points", (text, value, format) => {
    expect(typedValue(text, POINT)).toMatchObject(format === undefined ? { value } : { value, format });
  });

  test.each([
    ["1.234,50 €", 1234.5, "#,##0.00\\ [$€]"],
    ["1 234,5", 1234.5, "#,##0.0"],
    ["1.234", 1234, "#,##0"],
    ["2,125", 2.125, "0.000"],
  ])("%s with decimal commas", (text, value, format) => {
    expect(typedValue(text, COMMA)).toEqual({ value, format });
  });

  test.each(["007", "0123 456", "1234567890", "DE89 3704 0044 0532 0130 00", "+49301234567", "1.2.3", "12:30", "3-4"])(
    "%s is text",
    (text) => expect(typedValue(text, POINT)).toBeUndefined(),
  );

  test.each(["=1+1", "@SUM(A1)", "-", "(", "$", "%", "1,23", "1,2345", "12.5.", "1e5", "0x10", "½", ""])(
    "%s is text, too",
    (text) => expect(typedValue(text, POINT)).toBeUndefined(),
  );

  test("whole numbers in parentheses or with spaces are numbers only beside others", () => {
    for (const text of ["(12)", "123 456"]) expect(typedValue(text, POINT)?.isUnsure, text).toBe(true);
    for (const text of ["(12.00)", "123 456.7", "$(12)"]) {
      expect(typedValue(text, POINT)?.isUnsure ?? false, text).toBe(false);
    }
  });
});

describe("dates", () => {
  const DAY = 45_352;
  test.each([
    ["2024-03-01", "yyyy-mm-dd"],
    ["01.03.2024", "dd.mm.yyyy"],
    ["1.3.24", "d.m.yy"],
    ["1 March 2024", "[$-409]d\\ mmmm\\ yyyy"],
    ["Mar 1, 2024", "[$-409]mmm\\ d,\\ yyyy"],
    ["1. März 2024", "[$-407]d.\\ mmmm\\ yyyy"],
    ["1 mars 2024", "[$-40C]d\\ mmmm\\ yyyy"],
  ])("%s", (text, format) => expect(typedValue(text, POINT)).toEqual({ value: DAY, format }));

  test("a date that could be two is text, unless the document tells", () => {
    expect(typedValue("3/4/2024", POINT)).toBeUndefined();
    expect(typedValue("3/4/2024", { ...POINT, isDayFirst: true })).toEqual({ value: 45_385, format: "d\\/m\\/yyyy" });
    expect(typedValue("3/4/2024", { ...POINT, isDayFirst: false })).toEqual({ value: 45_355, format: "m\\/d\\/yyyy" });
    expect(typedValue("13/4/2024", POINT)?.format).toBe("d\\/m\\/yyyy");
  });

  test.each(["30.02.2024", "2024-13-01", "1 Foo 2024", "01.01.1800", "10-12-24"])("%s is no date", (text) =>
    expect(typedValue(text, POINT)).toBeUndefined(),
  );
});

describe("how a document writes numbers", () => {
  const marksOf = (...texts: readonly string[]) => {
    const marks = new NumberMarks();
    marks.add(pageOf(texts.map((text, at) => ({ text, x: 40, y: 40 + at * 12 }))));
    return [marks.decimal, marks.isDayFirst];
  };

  test.each([
    [["1.234,50"], ",", true],
    [["1,234.50", "1.234"], ".", undefined],
    [["0,125"], ",", true],
    [["12.345", "67.890", "45.678", "23.456"], ",", true],
    [["1.234", "2.345", "3.456", "4.567"], ".", undefined],
    [["der Preis und die Ware nicht und das"], ",", true],
    [["Los Angeles"], ".", undefined],
    [["3/14/2024"], ".", false],
    [["14/3/2024"], ".", true],
  ])("%j", (texts, decimal, isDayFirst) => expect(marksOf(...texts)).toEqual([decimal, isDayFirst]));
});
