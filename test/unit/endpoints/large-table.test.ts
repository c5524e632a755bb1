// Tests which CSV files are converted as sheets, because they have too many cells for one table.

import { expect, test } from "vitest";
import { memoryInput } from "../../../src/document/contract/operation.ts";
import { isLargeTable } from "../../../src/endpoints/pdf/large-table.ts";

const large = (text: string, name = "a.csv") => isLargeTable(memoryInput(Buffer.from(text), name));

test.each([
  ["few cells", "a,b\n".repeat(20_000), "a.csv", false],
  ["many cells", "a,b\n".repeat(30_000), "a.csv", true],
  ["many cells between semicolons", "1,5;2,5;3,5\n".repeat(20_000), "a.CSV", true],
  ["few cells of much text", `${"word ".repeat(100)},b\n`.repeat(1000), "a.csv", false],
  ["a huge file", "a\n".repeat(2 ** 20 + 1), "a.csv", true],
  ["many cells of another type", "a\tb\n".repeat(30_000), "a.tsv", false],
])("%s", async (_, text, name, expected) => expect(await large(text, name)).toBe(expected));
