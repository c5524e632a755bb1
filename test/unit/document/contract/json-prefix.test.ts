// Tests the recognition of JSON by its first bytes.
import { describe, expect, test } from "vitest";
import { isJsonPrefix } from "../../../../src/document/contract/parameters/json-prefix.ts";

const DOCUMENT = JSON.stringify({
  text: 'a "quoted" \\ word\n\u0001 ä ☃ 😀',
  numbers: [0, -1, 1.5, 1e21, -2.5e-7],
  words: [true, false, null],
  empty: [{}, [], ""],
  nested: { list: [[1], { a: [2] }] },
});

describe("the beginning of JSON", () => {
  test.each([
    ["without blanks", DOCUMENT],
    ["with blanks", JSON.stringify(JSON.parse(DOCUMENT), undefined, "\t")],
    ["with escapes", String.raw`{"\u00e4\n\/": "\ud83d\ude00"}`],
  ])("wherever it is cut: %s", (_, text) => {
    for (let length = 0; length <= text.length; length++) expect(isJsonPrefix(text.slice(0, length))).toBe(true);
  });

  test("of a mebibyte", () => {
    expect(isJsonPrefix(`{"a": "${String.raw`\n`.repeat(2 ** 19)}`)).toBe(true);
    expect(isJsonPrefix(`[${"[1, 2], ".repeat(2 ** 17)}`)).toBe(true);
    expect(isJsonPrefix("[".repeat(2 ** 20))).toBe(true);
  });

  test.each([
    "%PDF-1.7",
    "<xml/>",
    "{'a': 1}",
    "{a: 1}",
    '{"a" 1}',
    '{"a": 1,}',
    '{"a": }',
    "{1: 2}",
    "[1 2]",
    "[1,]",
    "[,",
    "[1}",
    "{]",
    "{} {}",
    "1, 2",
    '{"a": 01}',
    '{"a": "\n"}',
    String.raw`{"a": "\x41"}`,
    "{\\rtf1",
    "nothing",
    "[InternetShortcut]",
    "---\nyaml: 1",
  ])("%j is none", (text) => expect(isJsonPrefix(text)).toBe(false));
});
