// Tests the reading of comma-separated values: quotes, delimiters, limits.
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../../../src/document/contract/limits.ts";
import { readSeparatedValues } from "../../../../../src/document/formats/csv/read.ts";

const rowsOf = (text: string, delimiter?: string) => readSeparatedValues(text, delimiter).rows;

describe("fields", () => {
  test.each<[string, string, readonly (readonly string[])[]]>([
    [
      "plain",
      "a,b\n1,2\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "quoted",
      '"a,b","c ""d"""\r\n1,2',
      [
        ["a,b", 'c "d"'],
        ["1", "2"],
      ],
    ],
    ["with line ends", '"a\nb",c', [["a\nb", "c"]]],
    [
      "empty",
      "a,,\n,b,",
      [
        ["a", "", ""],
        ["", "b", ""],
      ],
    ],
    ["with a quotation mark inside", 'a"b,c', [['a"b', "c"]]],
    ["with text behind the quotation mark", '"a"b,c', [["ab", "c"]]],
    ["without an end", '"a,b\nc', [["a,b\nc"]]],
    ["of different rows", "a,b\nc\nd,e,f", [["a", "b"], ["c"], ["d", "e", "f"]]],
    ["with empty rows at the end", "a,b\n\n\n", [["a", "b"]]],
  ])("%s", (_, text, expected) => expect(rowsOf(text)).toEqual(expected));
});

describe("the delimiter", () => {
  test.each([
    ["comma", "a,b\n1,2\n", ","],
    ["semicolon, with decimal commas", "a;b\n1,5;2,5\n2,5;3,5", ";"],
    ["tab", "a\tb, c\n1\t2", "\t"],
    ["bar", "a|b|c\n1|2|3", "|"],
    ["the one that the file names", "sep=|\na|b,c", "|"],
    ["none", "a\nb", ","],
  ])("is %s", (_, text, expected) => expect(readSeparatedValues(text).delimiter).toBe(expected));

  test("can be chosen", () => expect(rowsOf("a b,c", " ")).toEqual([["a", "b,c"]]));
});

test("rejects a table with too many cells, also one whose rows have different lengths", () => {
  const long = "1,1,1,1,1,1,1,1,1,1\n".repeat(LIMITS.csvCells / 10 + 1);
  expect(() => readSeparatedValues(long)).toThrow("too-complex");
  const ragged = `${",".repeat(1000)}\n${"1\n".repeat(1000)}`;
  expect(() => readSeparatedValues(ragged)).toThrow("too-complex");
});
