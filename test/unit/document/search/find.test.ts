// Tests folding, terms and matches of a search.
// Contract: docs/api.md#search
// cspell:ignore Straße strasse lete
import { describe, expect, test } from "vitest";
import { boxesOf, matchesOn, snippetOf } from "../../../../src/document/search/find.ts";
import { foldWord, termsOf } from "../../../../src/document/search/fold-word.ts";
import { foldPage, type PageRecord, type RecordedWord } from "../../../../src/document/search/page-record.ts";

/** Returns a page of lines; each word is 10 points wide. */
function pageOf(...lines: string[]): PageRecord {
  const words = lines.flatMap((line, row) =>
    line.split(" ").map((word, at): RecordedWord => [word, 10 * at, -10 * row, 10 * at + 9, 9 - 10 * row, row]),
  );
  return { page: 1, width: 100, height: 100, blocks: [], words, markdown: "" };
}
const found = (page: PageRecord, query: string) =>
  matchesOn(foldPage(page), termsOf(query)).map((match) => snippetOf(page, match).match);

test.each([
  ["Résumé", "resume"],
  ["ﬁle", "file"],
  ["Straße", "strasse"],
  ["co-operate", "cooperate"],
  ["«l’été»,", "lete"],
  ["３．１４", "3.14"],
  ["—", ""],
])("%s is folded to %s", (word, folded) => {
  expect(foldWord(word)).toBe(folded);
});

describe("matches", () => {
  const page = pageOf("The quick brown fox, and the", "co-", "operative foxes — “quickly”!");

  test.each([
    ["fox", ["fox,"]],
    ["FOX*", ["fox,", "foxes"]],
    ["ox", []],
    ["the", ["The", "the"]],
    ["quick fox", ["quick", "fox,"]],
    ['"brown fox and"', ["brown fox, and"]],
    ['"fox brown"', []],
    ["fox zebra", []],
    ["cooperative", ["co- operative"]],
    ["co-operative", ["co- operative"]],
    ['"cooperative foxes quickly"', ["co- operative foxes — “quickly”!"]],
    ["—", []],
  ])("%s", (query, matches) => {
    expect(found(page, query)).toEqual(matches);
  });

  test("words of scripts without spaces are found within others", () => {
    expect(found(pageOf("全文検索の機能"), "検索")).toEqual(["全文検索の機能"]);
  });

  test("each line of a match has a box", () => {
    const [match] = matchesOn(foldPage(page), termsOf("cooperative"));
    expect(boxesOf(page, match!)).toEqual([
      [0, -10, 9, -1],
      [0, -20, 9, -11],
    ]);
  });

  test("snippets have ten words on both sides", () => {
    const long = pageOf(Array.from({ length: 50 }, (_, at) => `w${at}`).join(" "));
    const [match] = matchesOn(foldPage(long), termsOf("w25"));
    expect(snippetOf(long, match!)).toEqual({
      before: "w15 w16 w17 w18 w19 w20 w21 w22 w23 w24",
      match: "w25",
      after: "w26 w27 w28 w29 w30 w31 w32 w33 w34 w35",
    });
  });
});
