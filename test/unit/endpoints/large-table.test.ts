// Tests which CSV files are converted as sheets, because they have too many cells for one table.

import { expect, test } from "vitest";
import { memoryInput } from "../../../src/document/contract/operation.ts";
import { isLargeTable } from "../../../src/endpoints/pdf/large-table.ts";

const large = (text: string, name = "a.csv") => isLargeTable(memoryInput(Buffer.from(text), name));

test.each([
  ["few cells", "a,b\n".repeat(120_000), "a.csv", false],
  ["many cells", "a,b\n".repeat(130_000), "a.csv", true],
  ["many cells between semicolons", "1,5;2,5;3,5\n".repeat(90_000), "a.CSV", true],
  ["delimiters within quotation marks", '"a, b, c ""d, e""",f\n'.repeat(100_000), "a.csv", false],
  ["a quotation mark within a field", '5" pipe,b\n'.repeat(130_000), "a.csv", true],
  ["few long cells", `a,${"long ".repeat(700_000)}\n`, "a.csv", false],
  ["few cells of much text", `${"word ".repeat(100)},b\n`.repeat(1000), "a.csv", false],
  ["a huge file", `a,${"long ".repeat(2_500_000)}\n`, "a.csv", true],
  ["many cells of another type", "a\tb\n".repeat(130_000), "a.tsv", false],
])("%s", async (_, text, name, expected) => expect(await large(text, name)).toBe(expected));
