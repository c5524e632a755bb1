// Tests the reader of content streams.
import { describe, expect, test } from "vitest";
import { type ContentOperation, readOperations } from "../../../../src/document/content/content.ts";
import { Dictionary, Name, PdfString, type Value } from "../../../../src/document/objects/values.ts";

const bytesOf = (source: string) => new Uint8Array(Buffer.from(source, "latin1"));
const operations = (source: string): ContentOperation[] => [...readOperations(bytesOf(source))];

function plain(value: Value): unknown {
  if (value instanceof Name) return `/${value.text}`;
  if (value instanceof PdfString) return value.latin1;
  if (value instanceof Dictionary) return Object.fromEntries([...value].map(([key, entry]) => [key, plain(entry)]));
  return Array.isArray(value) ? value.map(plain) : value;
}

describe("operations", () => {
  test("operators with their operands", () => {
    const source = "q 1 0 0 1 72.5 -8 cm%a comment\n/F1 12 Tf[(a)-20<62>]TJ/P<</MCID 3>>BDC true null n Q";
    expect(operations(source).map(({ operator, operands }) => [operator, ...operands.map(plain)])).toEqual([
      ["q"],
      ["cm", 1, 0, 0, 1, 72.5, -8],
      ["Tf", "/F1", 12],
      ["TJ", ["a", -20, "b"]],
      ["BDC", "/P", { MCID: 3 }],
      ["n", true, null],
      ["Q"],
    ]);
  });

  test("stand where they say, so that what is between can be kept byte for byte", () => {
    const source = "  q % keep me\n 1 0 0 rg\t/F Do BI /W 1/H 1/BPC 8/CS/G ID x EI Q 5 5";
    const spans = operations(source).map(({ start, end }) => source.slice(start, end));
    expect(spans).toEqual(["q", "1 0 0 rg", "/F Do", "BI /W 1/H 1/BPC 8/CS/G ID x EI", "Q"]);
  });

  test("operands without an operator are no operation", () => {
    expect(operations("1 2 3 (a) [4")).toEqual([]);
    expect(operations("n (").map(({ operator }) => operator)).toEqual(["n"]);
  });

  test("a million operands do not pile up", () => {
    expect(operations(`${"0 ".repeat(1_000_000)}n`)[0]!.operands.length).toBeLessThan(2000);
  });
});

describe("inline images", () => {
  const image = (data: string, entries = "/W 2/H 2/BPC 8/CS/G") => `q BI${entries} ID ${data} EI Q /After Do`;
  const dataOf = (source: string) => {
    const found = operations(source);
    const { data } = found.find(({ operator }) => operator === "BI")!;
    expect(found.at(-1)!.operator).toBe("Do");
    return source.slice(data!.start, data!.end);
  };

  test.each([
    ["plain", "abcd"],
    ["that contains EI", "a EI\xff\xfe b"],
    ["that contains EI and something like operators", "x EI foo bar y"],
    ["that contains EI between white space and zeros", "\0 EI \0\x01"],
    ["with parentheses and delimiters", "(((<<[["],
  ])("data %s", (_, data) => {
    expect(dataOf(image(data))).toBe(data);
  });

  test("a length that is given counts (ISO 32000-2)", () => {
    const data = "a EI Q q EI Q";
    expect(dataOf(image(data, `/W 13/H 1/BPC 8/CS/G/L ${data.length}`))).toBe(data);
  });

  test("one that does not end takes the rest", () => {
    const source = "q BI/W 1 ID abc";
    expect(operations(source).map(({ operator, end }) => [operator, end])).toEqual([
      ["q", 1],
      ["BI", source.length],
    ]);
  });

  test("EI a hundred thousand times is read in one go", () => {
    expect(operations(`BI/W 1 ID ${" EI \xff".repeat(100_000)} EI Q`).at(-1)!.operator).toBe("Q");
  });
});
