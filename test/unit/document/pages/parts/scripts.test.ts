// Tests the scripts of merged documents.
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import {
  globalsOf,
  helperScript,
  rewriteScript,
  type ScriptNames,
} from "../../../../../src/document/pages/parts/scripts/scripts.ts";

const NAMES: ScriptNames = {
  fields: new Map([
    ["Total", "Total_2"],
    ["Row", "Row_2"],
    ["Row1", "Row1_2"],
  ]),
  destinations: new Map([["end", "end-2"]]),
  globals: new Map([["sum", "sum_2"]]),
  helper: "mapped",
  foreign: undefined,
};
const rewritten = (script: string, more: Partial<ScriptNames> = {}) => rewriteScript(script, { ...NAMES, ...more });

describe("scripts", () => {
  test.each([
    ['getField("Total").value = 1;', 'getField("Total_2").value = 1;'],
    ["this.getField('Row.a').value", 'this.getField("Row_2.a").value'],
    ['getField("Totals") + getField("Other")', 'getField("Totals") + getField("Other")'],
    ['// getField("Total")\n"getField(\\"Total\\")"', '// getField("Total")\n"getField(\\"Total\\")"'],
    [
      'AFSimple_Calculate("SUM", new Array ("Total", "Row.b"));',
      'AFSimple_Calculate("SUM", new Array ("Total_2", "Row_2.b"));',
    ],
    ['AFSimple_Calculate("SUM", "Total, Row.b")', 'AFSimple_Calculate("SUM", "Total_2, Row_2.b")'],
    ['this.resetForm(["Total", "Other"])', 'this.resetForm(["Total_2", "Other"])'],
    [
      'submitForm({cURL: "http://e.org/Total", aFields: ["Total"]})',
      'submitForm({cURL: "http://e.org/Total", aFields: ["Total_2"]})',
    ],
    ['if (event.target.name == "Total") x()', 'if (event.target.name == "Total_2") x()'],
    ['if ("Total" === event.targetName) x()', 'if ("Total_2" === event.targetName) x()'],
    ['event.value == "Total"', 'event.value == "Total"'],
    [
      'switch (event.target.name) { case "Total": { x("Total"); break; } case "Other": case "Row.a": }',
      'switch (event.target.name) { case "Total_2": { x("Total"); break; } case "Other": case "Row_2.a": }',
    ],
    ['switch (event.value) { case "Total": }', 'switch (event.value) { case "Total": }'],
    ['this.gotoNamedDest("end"); gotoNamedDest("start")', 'this.gotoNamedDest("end-2"); gotoNamedDest("start")'],
    ['/getField("Total")/.test(x)', '/getField("Total")/.test(x)'],
    ['a / getField("Total").value / 2', 'a / getField("Total_2").value / 2'],
    ["sum(1); this.sum(2); other.sum(3); ({sum: sum})", "sum_2(1); this.sum_2(2); other.sum(3); ({sum: sum_2})"],
    ['getField("Tot\\u0061l")', 'getField("Total_2")'],
    ['addField("Total", "text", 0, [0, 0, 9, 9])', 'addField("Total_2", "text", 0, [0, 0, 9, 9])'],
    ['resetForm(["Row" + i])', 'resetForm(mapped(["Row" + i]))'],
    ["submitForm(address)", "submitForm(mapped(address,1))"],
    ["getField(", "getField("],
    ["'unfinished", "'unfinished"],
  ])("%s", (before, after) => {
    expect(rewritten(before)).toBe(after);
  });

  test("names that are computed go through the map when the script runs", () => {
    const asked: string[] = [];
    const getField = (name: string) => {
      asked.push(name);
      return { value: name };
    };
    const script =
      'for (var i = 0; i < 3; i++) getField("Row" + i); var n = "Total.x"; this.getField(n); getField(getField("Row").value)';
    const helper = helperScript(NAMES, ["Own"]);
    runInNewContext(helper + rewritten(script), { getField });
    expect(asked).toEqual(["Row0", "Row1_2", "Row2", "Total_2.x", "Row_2", "Row_2"]);
    const reset: unknown[] = [];
    runInNewContext(helper + rewritten("var list = ['Total', 'Other']; resetForm(list)"), {
      resetForm: (names: unknown[]) => reset.push(...names),
    });
    expect(reset).toEqual(["Total_2", "Other"]);
  });

  test("names of no field of its own are those of none, written out or computed", () => {
    const names = { ...NAMES, foreign: "other" };
    const script =
      'get("Alien"); get("Total"); get("Al" + "ien.x"); get("Tot" + "al.x"); get(get("Total").name); get(get("A" + 1).name);' +
      'calculate("SUM", ["Alien", "Row.b"]); calculate("SUM", "Ro" + "w, Alien")';
    const asked: unknown[] = [];
    runInNewContext(
      helperScript(names, []) +
        rewriteScript(script.replaceAll("get(", "getField(").replaceAll("calculate", "AFSimple_Calculate"), names),
      {
        getField: (name: string) => ({ name, at: asked.push(name) }),
        AFSimple_Calculate: (_: string, list: unknown) => asked.push(...[list].flat()),
      },
    );
    expect(asked).toEqual([
      ...["other.Alien", "Total_2", "other.Alien.x", "Total_2.x", "Total_2", "Total_2", "other.A1", "other.A1"],
      ...["other.Alien", "Row_2.b", "Row_2,other.Alien"],
    ]);
    // A URL, or a string that is compared with a name, is not necessarily a name. A script that reads all fields
    // expects that each of them exists.
    expect(rewriteScript('submitForm("http://e.org/", ["Total"])', names)).toBe(
      'submitForm("http://e.org/", ["Total_2"])',
    );
    expect(rewriteScript("getField(getNthFieldName(0))", names)).toBe("getField(mapped(getNthFieldName(0),1))");
  });

  test("resetForm() without names means the fields of its own input", () => {
    const names = { ...NAMES, foreign: "other" };
    expect(rewriteScript("this.resetForm()", names)).toBe("this.resetForm(mapped())");
    expect(runInNewContext(`${helperScript(names, ["Total_2", "\u00e4"])}; mapped()`)).toEqual(["Total_2", "\u00e4"]);
  });

  test("what a script defines for others", () => {
    expect(globalsOf("function a() { var x; function y() {} }\nvar b = 1; let c; if (1) { var d }")).toEqual([
      "a",
      "b",
      "c",
    ]);
  });

  test("a megabyte of brackets and quotes ends", () => {
    rewritten(`${"resetForm(".repeat(100_000)}${")".repeat(100_000)}`);
    for (const piece of ["(", "getField(", '"', "/", "`", "/*", "'\\"]) rewritten(piece.repeat(100_000));
  });
});
