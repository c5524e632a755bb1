// Tests page selections.
// Contract: docs/api.md#page-selections
import { describe, expect, test } from "vitest";
import { MAX_SELECTED_PAGES, parsePages, resolvePages, selectPages } from "../../../../src/document/contract/pages.ts";

const select = (expression: string, pageCount: number, words = false) => {
  const selection = parsePages(expression, words);
  return selection && resolvePages(selection, pageCount);
};

describe("page selection expression", () => {
  test.each([
    ["1", [1]],
    ["1,2,5", [1, 2, 5]],
    ["1-last", [1, 2, 3, 4, 5, 6]],
    ["4,6-3", [4, 6, 5, 4, 3]],
    ["last", [6]],
    ["2-last", [2, 3, 4, 5, 6]],
    ["last-2", [6, 5, 4, 3, 2]],
    ["last-last", [6]],
    ["1,1", [1, 1]],
    [" 1 - 2 ,  LAST ", [1, 2, 6]],
    ["01", [1]],
  ])("spec: %o", (expression, expected) => {
    expect(select(expression, 6)).toEqual(expected);
  });

  test("spec: even and odd, where they are allowed", () => {
    expect(select("even", 6, true)).toEqual([2, 4, 6]);
    expect(select("odd,1", 5, true)).toEqual([1, 3, 5, 1]);
    expect(parsePages("even")).toBeUndefined();
  });

  test.each([
    "",
    ",",
    "1,",
    "a",
    "-1",
    "1-",
    "1--2",
    "1.5",
    "1 2",
    "1-2-3",
    "last-",
    "1;2",
    "９",
    "1e3",
    "0x1",
    "1234567890",
  ])("%o is no expression", (expression) => {
    expect(parsePages(expression, true)).toBeUndefined();
  });

  test.each(["0", "7", "1-7", "0-3", "last-0"])("spec: %o is out of range in a document of 6 pages", (expression) => {
    expect(() => select(expression, 6)).toThrow(expect.objectContaining({ name: "OutOfRange", value: expression }));
  });

  test("even selects nothing in a document of one page: out of range", () => {
    expect(() => select("even", 1, true)).toThrow(expect.objectContaining({ name: "OutOfRange" }));
  });

  test("of one document among others it may select nothing, but no page that is not there", () => {
    expect(selectPages(parsePages("even", true)!, 1)).toEqual([]);
    expect(() => selectPages(parsePages("even,2", true)!, 1)).toThrow(expect.objectContaining({ name: "OutOfRange" }));
  });

  test.each([
    ["1-500", 100, "The document has 100 pages."],
    ["0", 1, "The document has 1 page."],
    ["even", 1, "The document has 1 page."],
  ])("the refusal of %s tells how many pages there are", (expression, count, why) => {
    expect(() => select(expression, count, true)).toThrow(expect.objectContaining({ why }));
  });

  test("a short text cannot ask for pages without end", () => {
    const greedy = Array.from({ length: 100 }, () => "1-last").join(",");
    expect(select(greedy, MAX_SELECTED_PAGES / 100)).toHaveLength(MAX_SELECTED_PAGES);
    expect(() => select(greedy, MAX_SELECTED_PAGES / 100 + 1)).toThrow(expect.objectContaining({ name: "OutOfRange" }));
  });
});
