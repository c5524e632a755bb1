// Tests the state that the workbench restores after a reload, and the links to results.
// Contract: docs/api.md#workbench
import { expect, test } from "vitest";
import { keptText, readKept } from "../../../site/workbench/model/keeping.ts";
import { fragmentOf, idsIn } from "../../../site/workbench/model/links.ts";
import { FIRST_STATE, type Input, type Outcome, type Stored } from "../../../site/workbench/model/state.ts";
import { describedService } from "./described-operations.ts";

const NOW = Date.parse("2026-11-25T12:00:00Z");
const stored = (id: string, expires?: string): Stored => ({
  id,
  info: { name: id, type: "application/pdf", size: 1, ...(expires === undefined ? {} : { expires }) },
});
const over = (id: string) => stored(id, "2026-11-25T11:59:59Z");
const lasting = (id: string) => stored(id, "2026-11-25T12:00:01Z");
const inputOf = (more: Partial<Input>): Input => ({ key: 1, name: "a.pdf", isResult: false, pages: "all", ...more });
const outcomeOf = (key: number, outputs: readonly Stored[], isDeleted = false): Outcome => ({
  ...{ key, path: "/png", archives: [] },
  results: [
    {
      ...{ path: "/png", title: "a.pdf", values: {}, converted: [], notices: [], fonts: [] },
      outputs: outputs.map((output) => ({ ...output, isDeleted })),
    },
  ],
});
const afterReload = (state: Partial<typeof FIRST_STATE>) => readKept(keptText({ ...FIRST_STATE, ...state }), NOW)!;

test("stored files and addresses come back, and files that were not stored do not", () => {
  const file = new File(["x"], "b.pdf");
  const inputs = [
    inputOf({ ...lasting("1a"), file, sent: 1, pages: "2-3" }),
    inputOf({ file }),
    inputOf({ url: "https://example.com/" }),
  ];
  const kept = afterReload({ inputs, path: "/merged-pdf", values: { "/png": { resolution: "72" } } });
  expect(kept.inputs).toEqual([inputOf({ ...lasting("1a"), pages: "2-3" }), inputOf({ url: "https://example.com/" })]);
  expect(kept).toMatchObject({ path: "/merged-pdf", values: { "/png": { resolution: "72" } } });
});

test("what has ended drops out, with an outcome of which nothing is left", () => {
  const inputs = [
    inputOf(over("1a")),
    inputOf({ ...lasting("1b"), pdf: { ...over("2b"), notices: [], fonts: [] } }),
    inputOf({ ...over("1c"), url: "https://example.com/" }),
  ];
  const outcomes = [outcomeOf(2, [over("2x"), lasting("2y"), stored("2z")]), outcomeOf(1, [over("2w")])];
  const kept = afterReload({ inputs, outcomes });
  expect(kept.inputs.map(({ id, pdf }) => [id, pdf])).toEqual([
    ["1b", undefined],
    [undefined, undefined],
  ]);
  expect(kept.outcomes.map(({ results }) => results[0]!.outputs.map(({ id }) => id))).toEqual([["2y", "2z"]]);
});

test("passwords are never kept, other values are", () => {
  const values = { new_open_password: "secret", output: "a" };
  const kept = afterReload({
    service: describedService("private"),
    values: { "/encrypted-pdf": values, "/png": { current_open_password: "secret" } },
  });
  expect(kept.values).toEqual({ "/encrypted-pdf": { output: "a" }, "/png": {} });
});

test("the key is never kept, nor what was deleted, nor anything of an empty page", () => {
  const text = keptText({ ...FIRST_STATE, apiKey: "secret", outcomes: [outcomeOf(1, [lasting("2a")])] });
  expect(text).not.toContain("secret");
  expect(keptText({ ...FIRST_STATE, apiKey: "secret", outcomes: [outcomeOf(1, [lasting("2a")], true)] })).toBe("");
});

test.each([null, "", "{", "null", "[]", '{"version":0,"inputs":[],"outcomes":[]}', '{"version":1}'])(
  "%s keeps nothing",
  (text) => expect(readKept(text, NOW)).toBeUndefined(),
);

test("a link has the ids in its fragment, and others are not read", () => {
  const ids = ["2d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c55", "1d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c55"];
  expect(fragmentOf(ids)).toBe(`#result=${ids.join(",")}`);
  expect(idsIn(fragmentOf([...ids, ids[0]!]))).toEqual(ids);
  for (const other of ["", "#files", `#other=${ids[0]}`, "#result=", "#result=../upload,3d0c1f2a5", `#${ids[0]}`]) {
    expect(idsIn(other)).toEqual([]);
  }
});
