import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import {
  globalsOf,
  helperScript,
  rewriteScript,
  type ScriptNames,
} from "../../../../../src/pdf/pages/parts/scripts.ts";
import { PdfBuilder } from "../../../../fixtures/pdf-builder.ts";
import { type Json, merged, PdfJson } from "../../../../support/pdf-json.ts";
import { qpdfComplaints, uncompressed } from "../../../../support/pdf-readers.ts";

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
    // An address, or what is compared with a name, need not be a name; who asks for all fields wants each of them to be there.
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

/** A total that is calculated from two rows by functions of the document. */
function calculated(value: string): Uint8Array {
  const builder = new PdfBuilder();
  const widget = (name: string, entries: string) =>
    builder.add(`<</Type/Annot/Subtype/Widget/Rect[0 0 50 9]/FT/Tx/T(${name})/V(${value})${entries}>>`);
  const script = builder.stream('event.value = sum("Row", 2); // shared');
  const fields = [
    widget("Row1", ""),
    widget("Row2", ""),
    widget("Total", `/AA<</C<</S/JavaScript/JS ${script}>>/F<</S/JavaScript/JS ${script}>>>>`),
    widget(
      "Buttons",
      "/A<</S/ResetForm/Next[<</S/SubmitForm/F(http://example.org/)/Fields[(Total)]>><</S/Hide/T(Row1)>>]>>",
    ),
    widget("Except", "/A<</S/ResetForm/Fields[(Total)]/Flags 1>>"),
  ];
  builder.page("1", `/Annots[${fields.join(" ")}]`);
  builder.page("2");
  const shared = builder.add(
    "<</S/JavaScript/JS(function sum\\(n, c\\) { var s = 0; for \\(var i = 1; i <= c; i++\\) s += +this.getField\\(n + i\\).value; return s; })>>",
  );
  builder.catalog = `/AcroForm<</Fields[${fields.join(" ")}]>>/Names<</JavaScript<</Names[(init)${shared}]>>>>`;
  return builder.bytes();
}

/** What a calculation gives, carried out by Node with the scripts of the document. */
function calculate(pdf: Uint8Array, field: string, values: Record<string, number>): unknown {
  const document = new PdfJson(pdf);
  const text = (value: Json): string => String(document.get(value)).slice(2);
  const event = { value: undefined as unknown };
  const context: Json = { event, getField: (name: string) => ({ value: values[name] }) };
  const shared = [...document.tree(document.at(document.catalog, "Names", "JavaScript")).values()];
  const script = document.dictionaries.find((object) => object["/T"] === `u:${field}`)["/AA"]["/C"]["/JS"];
  runInNewContext([...shared.map((action) => text(document.get(action)["/JS"])), text(script)].join("\n"), context);
  return event.value;
}

describe("scripts of two inputs", () => {
  test("do not reach into the other", async () => {
    const pdf = await merged([calculated("a"), "1"], calculated("b"));
    const document = new PdfJson(pdf);
    const names = [...document.tree(document.at(document.catalog, "Names", "JavaScript")).keys()];
    expect(names).toEqual(["u:!joinedFieldNames", "u:!joinedFieldNames_2", "u:init", "u:init_2"]);
    const values = { Row1: 1, Row2: 2, Row1_2: 10, Row2_2: 20 };
    expect(calculate(pdf, "Total_2", values)).toBe(30);
    const action = (name: string) =>
      document.get(document.dictionaries.find((object) => object["/T"] === `u:${name}`)["/A"]);
    const roots = (suffix: string) =>
      ["Row1", "Row2", "Total", "Buttons", "Except"].map((name) => `u:${name}${suffix}`);
    expect(document.get(action("Buttons")["/Fields"])).toEqual(roots(""));
    expect(document.get(action("Buttons_2")["/Fields"])).toEqual(roots("_2"));
    const [submit, hide] = action("Buttons_2")["/Next"].map((next: Json) => document.get(next));
    expect(submit["/Fields"]).toEqual(["u:Total_2"]);
    expect(hide["/T"]).toBe("u:Row1_2");
    expect(action("Except_2")).toMatchObject({
      "/Fields": roots("_2").filter((name) => name !== "u:Total_2"),
      "/Flags": 0,
    });
    expect(qpdfComplaints(pdf)).toBe("");
  });

  test("nor where the field that they name was left out, or never was there", async () => {
    const button = (action: string) => {
      const builder = new PdfBuilder();
      builder.page("1", `/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<<${action}>>>>]`);
      return builder.bytes();
    };
    const script = "/S/JavaScript/JS(getField\\('Total'\\).value = 1)";
    const actions = [script, "/S/Hide/T(Total)", "/S/ResetForm", "/S/ResetForm/Fields[(Total)]"];
    const document = new PdfJson(await merged(...actions.map(button), calculated("a")));
    const [runs, hides, ...resets] = actions.map((_, index) =>
      document.get(document.get(document.annotations(index + 1)[0]["/A"])),
    );
    expect(runs["/JS"]).toBe('u:getField("otherDocument.Total").value = 1');
    expect(hides["/T"]).toBe("u:otherDocument_2.Total");
    expect(resets.map((action) => document.get(action["/Fields"]))).toEqual([
      ["u:otherDocument_3"],
      ["u:otherDocument_4.Total"],
    ]);
    expect(document.fields.map(({ fullname }) => fullname)).toContain("Total");
  });

  test("nor where a name has a dot in it and is of one level in one input, of two in the other", async () => {
    const withField = (field: (builder: PdfBuilder, widget: string) => string) => {
      const builder = new PdfBuilder();
      const widget = builder.reserve();
      builder.page("1", `/Annots[${widget}]`);
      builder.catalog = `/AcroForm<</Fields[${field(builder, widget)}]>>`;
      return builder.bytes();
    };
    const entries = "/Type/Annot/Subtype/Widget/Rect[0 0 9 9]/FT/Tx";
    const one = withField((builder, widget) => {
      builder.set(widget, `<<${entries}/T(a.b)>>`);
      return widget;
    });
    const two = withField((builder, widget) => {
      const root = builder.add(`<</T(a)/Kids[${widget}]>>`);
      builder.set(widget, `<<${entries}/T(b)/Parent ${root}>>`);
      return root;
    });
    const { fields } = new PdfJson(await merged(one, two, one));
    expect(fields.map(({ fullname }) => fullname)).toEqual(["a.b", "a_2.b", "a_3.b"]);
  });

  test("of the document stay with the whole, or where a script stays", async () => {
    const whole = new PdfJson(await merged(calculated("a")));
    expect(whole.at(whole.catalog, "Names", "JavaScript")).toBeTruthy();
    expect(uncompressed(await merged([calculated("a"), "1"]))).toContain("function sum");
    expect(uncompressed(await merged([calculated("a"), "2"]))).not.toContain("function sum");
  });
});
