// Tests the lines of pretty-printed JSON and XML.
import { describe, expect, test } from "vitest";
import type { DataLine } from "../../../../src/document/texts/data-lines.ts";
import { jsonHierarchy, jsonSource, jsonTokens } from "../../../../src/document/texts/json-lines.ts";
import { xmlHierarchy, xmlSource } from "../../../../src/document/texts/xml-lines.ts";

const shown = (lines: Iterable<DataLine>) =>
  Array.from(lines, ({ depth, parts }) => `${"  ".repeat(depth)}${parts.map(([text]) => text).join("")}`.trimEnd());

describe("JSON", () => {
  const text = '{"a":[1,2.50,{"b":null,"e":{}}],"a":"x\\"y","n":12345678901234567890}';

  test("keeps numbers, strings and repeated members as they are", () => {
    expect(shown(jsonSource(jsonTokens(text)!))).toEqual([
      ...["{", '  "a": [', "    1,", "    2.50,", "    {", '      "b": null,', '      "e": {}', "    }", "  ],"],
      ...['  "a": "x\\"y",', '  "n": 12345678901234567890', "}"],
    ]);
  });

  test("is an outline without its punctuation", () => {
    expect(shown(jsonHierarchy(jsonTokens(text)!))).toEqual([
      ...["a:", "  1. 1", "  2. 2.50", "  3.", "    b: null", "    e: {}", 'a: x"y', "n: 12345678901234567890"],
    ]);
  });

  test("can have several values, as JSON Lines do", () => {
    expect(shown(jsonSource(jsonTokens('{"a":1}\n{"b":2}')!))).toEqual(["{", '  "a": 1', "}", "{", '  "b": 2', "}"]);
  });

  test.each(["", "{a:1}", "[1,]", "[1 2]", '{"a"}}', "[", "01", '{"a":1', "]"])("%j is none", (text) => {
    expect(jsonTokens(text)).toBeUndefined();
  });
});

describe("XML", () => {
  const text =
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>' +
    "<a x='1' y=\"&lt;\"><b>t &amp; &b;</b><c/><d><e>1</e> mixed</d></a>";

  test("has a line for each element, and expands no entity", () => {
    expect(shown(xmlSource(text))).toEqual([
      ...['<?xml version="1.0"?>', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'],
      ...[
        "<a x='1' y=\"&lt;\">",
        "  <b>t &amp; &b;</b>",
        "  <c/>",
        "  <d>",
        "    <e>1</e>",
        "    mixed",
        "  </d>",
        "</a>",
      ],
    ]);
  });

  test("is an outline without its marks", () => {
    expect(shown(xmlHierarchy(text))).toEqual([
      ...["a (x: 1, y: <):", "  b: t & &b;", "  c:", "  d:", "    e: 1", "    mixed"],
    ]);
  });

  test.each(["<a", "<a><b></c>", "</a></a></a>", "<![CDATA[", "<!--", "a < b", "<a x='"])("%j has lines", (damaged) => {
    expect(shown(xmlSource(damaged)).join("").replace(/\s/g, "")).toBe(damaged.replace(/\s/g, ""));
  });
});
