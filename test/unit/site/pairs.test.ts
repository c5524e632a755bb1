// Tests which pages the workbench shows side by side.
// Contract: docs/api.md#workbench
import { describe, expect, test } from "vitest";
import { pairAt, pairCount, sideOf } from "../../../site/workbench/model/pairs.ts";
import type { Output, Result, Values } from "../../../site/workbench/model/state.ts";
import { operationOf } from "./described-operations.ts";

const stored = (id: string, type: string, pages?: number): Output => ({
  ...{ id, isDeleted: false },
  info: { name: id, type, size: 1, ...(pages === undefined ? {} : { pages }) },
});
const pdf = (id: string, pages?: number) => stored(id, "application/pdf", pages);
const resultOf = (path: string, outputs: readonly Output[], input?: Output, values: Values = {}): Result => ({
  ...{ path, outputs, values, title: "in", converted: [], notices: [], fonts: [] },
  ...(input ? { input } : {}),
});
/** Returns the pages of each pair, such as `in 1 | out 2`. */
const pairsOf = (result: Result, count = pairCount(result) ?? 0) =>
  Array.from({ length: count }, (_, index) => {
    const { before, after } = pairAt(result, index, operationOf(result.path));
    return [before, after].map((side) => (side ? `${side.id} ${side.page}` : "")).join(" | ");
  });

describe("a side", () => {
  test("is a page of a PDF, or a picture that can run nothing", () => {
    expect(sideOf(pdf("a"), 7)).toEqual({ id: "a", type: "application/pdf", page: 7 });
    expect(sideOf(stored("a", "image/png"), 1)).toBeDefined();
    expect(sideOf(stored("a", "image/png"), 2)).toBeUndefined();
  });

  test.each(["image/svg+xml", "text/html; charset=utf-8", "application/zip", "image/tiff"])("is never %s", (type) => {
    expect(sideOf(stored("a", type), 1)).toBeUndefined();
  });

  test("is not a deleted file, nor one that nothing is known about", () => {
    expect(sideOf({ ...pdf("a"), isDeleted: true }, 1)).toBeUndefined();
    expect(sideOf({ id: "a", isDeleted: false }, 1)).toBeUndefined();
    expect(sideOf(undefined, 1)).toBeUndefined();
    const locked = pdf("a");
    expect(sideOf({ ...locked, info: { ...locked.info!, problem: "It needs a password." } }, 1)).toBeUndefined();
  });
});

describe("pairs", () => {
  test("of an operation that keeps pages have the same page", () => {
    expect(pairsOf(resultOf("/compressed-pdf", [pdf("out", 2)], pdf("in", 2)))).toEqual([
      "in 1 | out 1",
      "in 2 | out 2",
    ]);
  });

  test("of a merge have no page before", () => {
    expect(pairsOf(resultOf("/merged-pdf", [pdf("out", 2)]))).toEqual([" | out 1", " | out 2"]);
  });

  test("of pictures have the page that each one shows, in the order of the selection", () => {
    const outputs = [stored("x", "image/png"), stored("y", "image/png")];
    expect(pairsOf(resultOf("/png", outputs, pdf("in", 3)))).toEqual(["in 1 | x 1", "in 2 | y 1"]);
    expect(pairsOf(resultOf("/png", outputs, pdf("in", 3), { pages: "last-2" }))).toEqual(["in 3 | x 1", "in 2 | y 1"]);
    expect(pairsOf(resultOf("/png", outputs, pdf("in"), { pages: "last-2" }))).toEqual([" | x 1", " | y 1"]);
  });

  test("of pictures without a preview have the page alone", () => {
    expect(pairsOf(resultOf("/tif", [stored("x", "image/tiff")], pdf("in", 1)))).toEqual(["in 1 | "]);
  });

  test("of a split have the page with which each part begins", () => {
    const outputs = [pdf("x", 2), pdf("y", 1)];
    expect(pairsOf(resultOf("/split-pdf", outputs, pdf("in", 2)))).toEqual(["in 1 | x 1", "in 2 | y 1"]);
    const values = { "pages[]": ["2-3", "even"] };
    expect(pairsOf(resultOf("/split-pdf", outputs, pdf("in", 4), values))).toEqual(["in 2 | x 1", "in 2 | y 1"]);
    expect(pairsOf(resultOf("/split-pdf", [pdf("x", 2)], pdf("in", 2), { "pages[]": ["1-2"] }))).toEqual([
      "in 1 | x 1",
      "in 2 | x 2",
    ]);
  });

  test("are as many as the service counts", () => {
    expect(pairCount(resultOf("/pdf", [pdf("out")]))).toBeUndefined();
    expect(pairCount(resultOf("/zip", [stored("out", "application/zip")]))).toBe(1);
  });
});
