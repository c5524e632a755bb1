// Tests that JSON with too many levels or parts is detected before it is parsed.
// Contract: docs/api.md#json-bodies, #limits
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { json } from "../../../../src/document/contract/parameters/json.ts";
import { isModestJson } from "../../../../src/document/contract/parameters/json-shape.ts";

const nested = (depth: number, open = "[", close = "]") => open.repeat(depth) + close.repeat(depth);

describe("modest JSON", () => {
  test.each([
    ["what clients send", JSON.stringify({ id: ["a", "b"], pages: ["1-3", null], output: "a" })],
    ["the deepest nesting", nested(LIMITS.jsonDepth)],
    ["brackets in a text", JSON.stringify({ content: nested(100_000) })],
    ["brackets behind quotation marks in a text", JSON.stringify({ content: `"\\"${nested(1000)}\\\\"` })],
    ["many values in one list", `[${"1,".repeat(200_000)}1]`],
    ["colons in texts", JSON.stringify({ content: ":".repeat(200_000), [":".repeat(200_000)]: "" })],
    ["a text that does not end", '{"a": "[[['],
  ])("%s", (_, text) => {
    expect(isModestJson(text)).toBe(true);
  });
});

describe("JSON that would take long", () => {
  test.each([
    ["nested lists", nested(2_000_000)],
    ["nested objects", nested(LIMITS.jsonDepth + 1, '{"a":', "}")],
    ["lists that never end", "[".repeat(4_000_000)],
    ["nesting behind a text", `{"a": "\\\\", "b": ${nested(100)}}`],
    ["many lists", `[${"[],".repeat(1_000_000)}[]]`],
    ["many members", `{${Array.from({ length: 200_000 }, (_, index) => `"a${index}":1`).join()}}`],
    ["many members of several objects", `[${`{${'"a":1,'.repeat(999)}"b":2},`.repeat(101)}1]`],
    ["members behind blanks", `{${'"a" \n : "",'.repeat(100_001)}"b": 2}`],
  ])("%s", (_, text) => {
    expect(isModestJson(text)).toBe(false);
  });

  test("is too long for a parameter", () => {
    expect(() => json(z.json()).read(`{"a": ${nested(400_000)}}`)).toThrow("too-long");
    expect(() => json(z.json()).read(`[${"{},".repeat(100_001)}{}}`)).toThrow("not-json");
  });
});
