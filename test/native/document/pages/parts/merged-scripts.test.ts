// Tests the scripts of merged documents by running them in Node.
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { PdfBuilder } from "../../../../fixtures/pdf-builder.ts";
import { type Json, merged, PdfJson } from "../../../../support/pdf-json.ts";
import { qpdfComplaints, uncompressed } from "../../../../support/pdf-readers.ts";

/** Returns a form whose total is calculated from two rows by functions of the document. */
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
    "<</S/JavaScript/JS(function sum\\(n, c\\) { var s = 0; for \\(var i = 1; i <= c; i++\\) s += " +
      "+this.getField\\(n + i\\).value; return s; })>>",
  );
  builder.catalog = `/AcroForm<</Fields[${fields.join(" ")}]>>/Names<</JavaScript<</Names[(init)${shared}]>>>>`;
  return builder.bytes();
}

/** Runs the scripts of the document in Node, and returns the result of a calculation. */
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
