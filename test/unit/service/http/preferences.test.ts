// Tests the preferences of a client (RFC 7240).
// Contract: docs/api.md#asynchronous-jobs
import { describe, expect, test } from "vitest";
import { parseAsyncMode, parsePreferences, parseWaitMs } from "../../../../src/service/http/responses/preferences.ts";

const read = (text: string) =>
  [...parsePreferences(new Headers({ Prefer: text }))].map(([name, { value, parameters }]) => [
    name,
    value,
    Object.fromEntries(parameters),
  ]);

test.each([
  ["", []],
  [" , ,;", []],
  ["respond-async", [["respond-async", "", {}]]],
  [
    "Wait = 10 , respond-async",
    [
      ["wait", "10", {}],
      ["respond-async", "", {}],
    ],
  ],
  ['return="representation"; Store; a="b;,c"; a=d', [["return", "representation", { store: "", a: "b;,c" }]]],
  ["return=minimal, return=representation; store", [["return", "minimal", {}]]],
  ['foo="a\\"b"', [["foo", 'a"b', {}]]],
  ['foo="a, respond-async, b"', [["foo", "a, respond-async, b", {}]]],
  ['foo="a, respond-async', [["foo", "a, respond-async", {}]]],
  ['foo="a\\', [["foo", "a\\", {}]]],
])("%o", (text, expected) => {
  expect(read(text)).toEqual(expected);
});

test("a text of quotes and backslashes is read in a time that grows with its length", () => {
  for (const part of ['"', "\\", '"\\', ";=", " ", '=" ']) {
    for (const end of ["", "x"]) expect(read(`a${part.repeat(50_000)}${end}`).length).toBe(1);
  }
});

describe("an answer later", () => {
  test.each([
    ["respond-async", "respond-async"],
    ["wait=5, Respond-Async;x=1", "respond-async"],
    ['respond-async=""', "respond-async"],
    ["respond-async=no", undefined],
    ['foo="a, respond-async, b"', undefined],
    ["respond-asynchronously", undefined],
  ])("Prefer: %s", (text, manner) => {
    expect(parseAsyncMode(new Headers({ Prefer: text }))).toBe(manner);
  });

  test.each([
    ["wait=20", 20_000],
    ['wait="20", wait=3', 20_000],
    [`wait=${"9".repeat(400)}`, Infinity],
    ["wait=-1", 0],
    ["wait=1.5", 0],
    ["wait", 0],
  ])("Prefer: %s waits for %s ms", (text, ms) => {
    expect(parseWaitMs(new Headers({ Prefer: text }))).toBe(ms);
  });
});
