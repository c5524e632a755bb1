// Tests the kinds of parameters: the parsing of their texts, and their allowed values.
// Contract: docs/api.md#requests, #json-bodies
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type Kind, onlyWith, optional, parameter, schemaOf } from "../../../../src/document/contract/parameter.ts";
import { choice, wordFor } from "../../../../src/document/contract/parameters/choice.ts";
import { cmyk, rgb } from "../../../../src/document/contract/parameters/color.ts";
import { json } from "../../../../src/document/contract/parameters/json.ts";
import { length } from "../../../../src/document/contract/parameters/length.ts";
import { integer, number } from "../../../../src/document/contract/parameters/number.ts";
import { onOff, trueFalse } from "../../../../src/document/contract/parameters/on-off.ts";
import { listedPages, pages } from "../../../../src/document/contract/parameters/pages.ts";
import { list, password, text, words } from "../../../../src/document/contract/parameters/text.ts";

const NO_VALUE = "no value";

function readValue(kind: Kind<unknown>, given: string): unknown {
  try {
    const result = kind.value.safeParse(kind.read(given));
    return result.success ? result.data : NO_VALUE;
  } catch (error) {
    return (error as Error).message;
  }
}

const opacity = number({ min: 0, max: 1 });
const degrees = integer({ min: -360, max: 360 });
const queries = words(["title", "author", "pages"]);
const boxes = json(z.object({ boxes: z.array(z.string()).min(1) }));

test.each<[string, Kind<unknown>, string, unknown]>([
  ["word", choice(["low", "high"]), "high", "high"],
  ["other word", choice(["low", "high"]), "High", NO_VALUE],
  ["word for a value", wordFor({ "PDF/A-1b": 1 }, z.int()), "PDF/A-1b", 1],
  ["inherited word", wordFor({ a: 1 }, z.int()), "constructor", NO_VALUE],
  ["switch", onOff, "on", true],
  ["switch in another language", onOff, "true", NO_VALUE],
  ["boolean", trueFalse, "false", false],
  ["whole number", degrees, " -90 ", -90],
  ["whole number with a fraction", degrees, "1.5", NO_VALUE],
  ["whole number beyond the range", degrees, "361", NO_VALUE],
  ["sign where none may be", integer({ min: 0, max: 9 }), "-0", NO_VALUE],
  ["number", opacity, "0.25", 0.25],
  ["number without a leading zero", opacity, ".5", 0.5],
  ["number at the end of the range", opacity, "1", 1],
  ["number beyond the range", opacity, "1.01", NO_VALUE],
  ["number in another notation", opacity, "0x1", NO_VALUE],
  ["no number", opacity, "NaN", NO_VALUE],
  ["length", length, " 1in ", { points: 72, text: "1in" }],
  ["length without a unit", length, "1", NO_VALUE],
  ["color", rgb, "255, 128,0", [255, 128, 0]],
  ["color beyond the range", rgb, "256,0,0", NO_VALUE],
  ["color with a channel too many", rgb, "1,2,3,4", NO_VALUE],
  ["color in CMYK", cmyk, "0,100,100,0", [0, 100, 100, 0]],
  ["color in CMYK beyond the range", cmyk, "0,101,0,0", NO_VALUE],
  ["pages", pages, "last-1", { text: "last-1", items: [{ first: "last", last: 1 }] }],
  ["words for pages, alone", pages, "even", NO_VALUE],
  ["words for pages, in a list", listedPages, "even", { text: "even", items: ["even"] }],
  ["some words", queries, "title, pages", ["title", "pages"]],
  ["some words, one unknown", queries, "title,size", NO_VALUE],
  ["password", password({ min: 6, max: 128 }), "secret word", "secret word"],
  ["password that is too short", password({ min: 6, max: 128 }), "short", NO_VALUE],
  ["text", text({ max: 3 }), "abc", "abc"],
  ["text that is too long", text({ max: 3 }), "abcd", NO_VALUE],
  ["JSON", boxes, '\ufeff{"boxes": ["trim"]}', { boxes: ["trim"] }],
  ["JSON out of range", boxes, '{"boxes": []}', NO_VALUE],
  ["no JSON", boxes, "{boxes}", "not-json"],
  ["too much JSON", boxes, `{"boxes": ["${"x".repeat(2 ** 20)}"]}`, "too-long"],
])("%s: %o is read from %s", (_, kind, given, expected) => {
  expect(readValue(kind, given)).toEqual(expected);
});

test("a value is what its own schema accepts, after a way through JSON as well", () => {
  for (const [kind, given] of [
    [pages, "1-3"],
    [rgb, "1,2,3"],
    [length, "2mm"],
    [list(queries), "title"],
  ] as const) {
    const read = kind.item ? [kind.read(given)] : kind.read(given);
    expect(kind.value.safeParse(JSON.parse(JSON.stringify(read)))).toMatchObject({ success: true, data: read });
  }
});

describe("the schema of all parameters", () => {
  const schema = schemaOf({
    level: parameter("", choice(["low", "high", "top", "custom"])),
    profile: onlyWith("level", "custom", parameter("", json(z.object({ dpi: z.int() })))),
    pages: optional("", pages),
    turned: onlyWith("level", ["high", "top"], parameter("", onOff)),
  });

  test.each([
    [{ level: "low" }, true],
    [{ level: "custom", profile: { dpi: 1 } }, true],
    [{ level: "custom" }, false],
    [{ level: "top", turned: true }, true],
    [{ level: "high" }, false],
    [{ level: "custom", profile: { dpi: "1" } }, false],
    [{}, false],
    [{ level: "low", pages: undefined }, false],
    [{ level: "low", pages: { text: "1", items: [{ first: 1, last: 1 }] } }, true],
  ])("%o: %s", (params, expected) => {
    expect(schema.safeParse(params).success).toBe(expected);
  });
});

test("a password says that it is secret, also in a list", () => {
  expect([text({ max: 9 }).isSecret, password({ max: 9 }).isSecret, list(password({ max: 9 })).isSecret]).toEqual([
    undefined,
    true,
    true,
  ]);
});
