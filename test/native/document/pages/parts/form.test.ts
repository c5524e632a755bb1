// Merges the forms of several documents: fields, fonts, calculation order and signatures.
import { describe, expect, test } from "vitest";
import { PdfBuilder } from "../../../../fixtures/pdf-builder.ts";
import { type Json, merged, PdfJson, said } from "../../../../support/pdf-json.ts";
import { picturesOf, qpdfComplaints, textOf, uncompressed } from "../../../../support/pdf-readers.ts";

const WIDGET = "/Type/Annot/Subtype/Widget/F 4";

/** Adds a text field merged with its widget, and returns the reference. */
function text(builder: PdfBuilder, name: string, value: string, entries = "", box = "10 10 110 30"): string {
  const font = builder.add("<</Type/Font/Subtype/Type1/BaseFont/Courier>>");
  const look = builder.stream(
    `BT /C 12 Tf 2 5 Td (${value}) Tj ET`,
    `/Type/XObject/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<</C ${font}>>>>`,
  );
  return builder.add(`<<${WIDGET}/Rect[${box}]/FT/Tx/T(${name})/V(${value})/AP<</N ${look}>>${entries}>>`);
}

/**
 * Returns a form with a field on each of three pages, a field with widgets on pages 1 and 3, and radio buttons on pages
 * 2 and 3.
 */
function form(value: string, fontName = "Helvetica"): Uint8Array {
  const builder = new PdfBuilder();
  const [total, part] = [text(builder, "Total", `${value} total`), text(builder, "Part", `${value} part`)];
  const [both, left, right] = [builder.reserve(), builder.reserve(), builder.reserve()];
  const nested = builder.reserve();
  const inner = text(builder, "Inner", `${value} inner`, `/Parent ${nested}/DA(/Mine 9 Tf 0 g)`, "10 40 110 60");
  builder.set(nested, `<</T(Outer)/Kids[${inner}]>>`);
  builder.set(both, `<</FT/Tx/T(Both)/V(${value} both)/DA(0 g /Mine 0 Tf)/Kids[${left} ${right}]>>`);
  for (const widget of [left, right]) builder.set(widget, `<<${WIDGET}/Parent ${both}/Rect[10 70 110 90]>>`);
  const [radio, yes, no] = [builder.reserve(), builder.reserve(), builder.reserve()];
  const states = (name: string) => `/AP<</N<</${name} ${builder.stream("", "/Subtype/Form/BBox[0 0 9 9]")}>>>>`;
  builder.set(radio, `<</FT/Btn/Ff 49152/T(Choice)/V/Secret/Kids[${yes} ${no}]/Opt[(open text)(hidden text)]>>`);
  builder.set(yes, `<<${WIDGET}/Parent ${radio}/Rect[120 10 129 19]/AS/Off${states("Yes")}>>`);
  builder.set(no, `<<${WIDGET}/Parent ${radio}/Rect[120 10 129 19]/AS/Secret${states("Secret")}>>`);
  builder.page(`${value}1`, `/Annots[${total} ${left} ${inner}]`);
  builder.page(`${value}2`, `/Annots[${part} ${yes}]`);
  builder.page(`${value}3`, `/Annots[${right} ${no}]`);
  const font = builder.add(`<</Type/Font/Subtype/Type1/BaseFont/${fontName}>>`);
  builder.catalog =
    `/AcroForm<</Fields[${total} ${part} ${both} ${nested} ${radio}]/CO[${part} ${total}]` +
    `/DR<</Font<</Mine ${font}>>>>/DA(/Mine 12 Tf 0 g)/NeedAppearances true>>`;
  return builder.bytes();
}

const names = (document: PdfJson): string[] => document.fields.map(({ fullname }: Json) => fullname);

/** Checks that the kids and parents of all fields refer to each other. */
function expectConnected(document: PdfJson): void {
  const waiting: string[] = [...document.at(document.catalog, "AcroForm", "Fields")];
  const roots = new Set(waiting);
  for (let reference = waiting.pop(); reference !== undefined; reference = waiting.pop()) {
    const field = document.get(reference);
    if (roots.has(reference)) expect(field).not.toHaveProperty("/Parent");
    for (const kid of document.get(field["/Kids"]) ?? []) {
      expect(document.get(kid)["/Parent"]).toBe(reference);
      waiting.push(kid);
    }
  }
}

describe("forms", () => {
  test("fields of all inputs with their values, pages and order of calculation; equal names stay apart", async () => {
    const pdf = await merged(form("a"), form("b"));
    const document = new PdfJson(pdf);
    expectConnected(document);
    const own = ["Total", "Part", "Both", "Both", "Outer.Inner", "Choice", "Choice"];
    const renamed = ["Total_2", "Part_2", "Both_2", "Both_2", "Outer_2.Inner", "Choice_2", "Choice_2"];
    expect(names(document).toSorted()).toEqual([...own, ...renamed].toSorted());
    const values = document.fields.map(({ fullname, value, pageposfrom1 }: Json) => [fullname, value, pageposfrom1]);
    for (const expected of [
      ["Total", "u:a total", 1],
      ["Part_2", "u:b part", 5],
      ["Both", "u:a both", 1],
      ["Both_2", "u:b both", 6],
      ["Outer_2.Inner", "u:b inner", 4],
    ]) {
      expect(values).toContainEqual(expected);
    }
    const order = document.at(document.catalog, "AcroForm", "CO");
    expect(order.map((field: string) => document.get(field)["/T"])).toEqual([
      "u:Part",
      "u:Total",
      "u:Part_2",
      "u:Total_2",
    ]);
    expect(document.at(document.catalog, "AcroForm", "NeedAppearances")).toBe(true);
    expect(qpdfComplaints(pdf)).toBe("");
    expect(textOf(pdf)[3]).toContain("b total");
  });

  test("equal fonts are one; others of the same name are renamed, with the strings that name them", async () => {
    const same = new PdfJson(await merged(form("a"), form("b")));
    expect(Object.keys(same.at(same.catalog, "AcroForm", "DR", "Font"))).toEqual(["/Mine"]);
    const document = new PdfJson(await merged(form("a"), form("b", "Times-Roman")));
    const fonts = document.at(document.catalog, "AcroForm", "DR", "Font");
    expect(document.get(fonts["/Mine"])["/BaseFont"]).toBe("/Helvetica");
    expect(document.get(fonts["/Mine_2"])["/BaseFont"]).toBe("/Times-Roman");
    const strings = (name: string) =>
      document.dictionaries.filter((object) => object["/T"] === `u:${name}`).map((object) => object["/DA"]);
    expect(strings("Both")).toEqual(["u:0 g /Mine 0 Tf"]);
    expect(strings("Both_2")).toEqual(["u:0 g /Mine_2 0 Tf"]);
    // A field that used the default of its form keeps that default.
    expect(strings("Total_2")).toEqual(["u:/Mine_2 12 Tf 0 g"]);
    expect(document.at(document.catalog, "AcroForm", "DA")).toBe("u:/Mine 12 Tf 0 g");
  });

  test("of pages that were left out fields go with their values, and widgets of fields that stay", async () => {
    const pdf = await merged([form("a"), "1"]);
    const document = new PdfJson(pdf);
    expectConnected(document);
    expect(names(document).toSorted()).toEqual(["Both", "Outer.Inner", "Total"]);
    expect(document.at(document.catalog, "AcroForm", "CO")).toHaveLength(1);
    const content = uncompressed(pdf);
    for (const gone of ["Part", "a part", "Choice", "Secret", "hidden text"]) expect(content).not.toContain(gone);
    const buttons = uncompressed(await merged([form("a"), "2"]));
    for (const gone of ["Secret", "hidden text", "a total", "Inner"]) expect(buttons).not.toContain(gone);
    expect(buttons).toContain("open text");
    expect(new PdfJson(await merged([form("a"), "3"])).fields).toHaveLength(2);
  });

  test("a page that is taken again has widgets of the same fields", async () => {
    const pdf = await merged([form("a"), "1,2,1"]);
    const document = new PdfJson(pdf);
    expectConnected(document);
    expect(names(document).toSorted()).toEqual([
      "Both",
      "Both",
      "Choice",
      "Outer.Inner",
      "Outer.Inner",
      "Part",
      "Total",
      "Total",
    ]);
    const total = document
      .at(document.catalog, "AcroForm", "Fields")
      .map((field: string) => document.get(field))
      .find((field: Json) => field["/T"] === "u:Total");
    expect(total).toMatchObject({ "/FT": "/Tx", "/V": "u:a total" });
    const widgets = total["/Kids"].map((kid: string) => document.get(kid));
    expect(widgets.map((widget: Json) => document.pageNumber(widget["/P"]))).toEqual([1, 3]);
    for (const widget of widgets) {
      expect(widget).toHaveProperty("/AP");
      expect(widget).not.toHaveProperty("/T");
    }
    const pictures = picturesOf(pdf);
    expect(pictures[2]!.equals(pictures[0]!)).toBe(true);
    expect(qpdfComplaints(pdf)).toBe("");
  });

  test("fields that no page shows stay with the whole document only", async () => {
    const builder = new PdfBuilder();
    builder.page("1");
    builder.page("2");
    builder.catalog = `/AcroForm<</Fields[${builder.add("<</FT/Tx/T(Hidden)/V(hidden value)>>")}]>>`;
    const document = new PdfJson(await merged(builder.bytes()));
    expect(document.at(document.catalog, "AcroForm", "Fields", 0)).toMatchObject({ "/V": "u:hidden value" });
    expect(uncompressed(await merged([builder.bytes(), "1"]))).not.toContain("hidden value");
  });

  test("a signature goes with its field, its look stays; no permissions, no XFA", async () => {
    const builder = new PdfBuilder();
    const signature = builder.add(
      "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/ByteRange[0 1 2 3]/Contents<00ff>/Name(signer)>>",
    );
    const look = builder.stream("1 0 0 rg 0 0 99 19 re f", "/Subtype/Form/BBox[0 0 100 20]");
    const field = builder.add(
      `<<${WIDGET}/Rect[10 10 110 30]/FT/Sig/T(Signed)/V ${signature}/AP<</N ${look}>>/Lock<</Type/SigFieldLock/Action/Include/Fields[(Signed)]>>>>`,
    );
    builder.page("1", `/Annots[${field}]`);
    builder.catalog = `/AcroForm<</Fields[${field}]/SigFlags 3/XFA(xfa)>>/Perms<</DocMDP ${signature}>>/NeedsRendering true/DSS<</Certs[]>>`;
    const pdf = await merged(builder.bytes(), builder.bytes());
    const document = new PdfJson(pdf);
    expect(document.fields).toEqual([]);
    for (const page of [1, 2]) expect(document.annotations(page)).toMatchObject([{ "/Subtype": "/Stamp" }]);
    const content = uncompressed(pdf);
    for (const gone of ["/ByteRange", "signer", "/XFA", "/Perms", "/DSS", "/NeedsRendering"])
      expect(content).not.toContain(gone);
    expect(said(pdf, "pdfsig")).not.toMatch(/Signature is|Total document signed/);
    const [before] = picturesOf(builder.bytes());
    for (const after of picturesOf(pdf)) expect(after.equals(before!)).toBe(true);
  });

  test("a signature field that waits for a signature stays, and locks the fields that it names", async () => {
    const builder = new PdfBuilder();
    const lock = "/Lock<</Type/SigFieldLock/Action/Include/Fields[(Waiting)]>>";
    const field = builder.add(`<<${WIDGET}/Rect[10 10 110 30]/FT/Sig/T(Waiting)${lock}>>`);
    builder.page("1", `/Annots[${field}]`);
    builder.catalog = `/AcroForm<</Fields[${field}]/SigFlags 1>>`;
    const document = new PdfJson(await merged(builder.bytes(), builder.bytes()));
    expect(names(document)).toEqual(["Waiting", "Waiting_2"]);
    expect(document.at(document.catalog, "AcroForm")).toMatchObject({ "/SigFlags": 1 });
    expect(document.at(document.catalog, "AcroForm", "Fields", 1, "Lock", "Fields")).toEqual(["u:Waiting_2"]);
  });

  test("fields in chains of 50,000 levels, and in rings", async () => {
    const builder = new PdfBuilder();
    const first = builder.reserve();
    const number = Number.parseInt(first, 10);
    const count = 50_000;
    builder.set(first, `<</T(0)/Kids[${number + 1} 0 R]>>`);
    for (let index = 1; index < count; index++) {
      builder.add(`<</T(${index % 9})/Parent ${number + index - 1} 0 R/Kids[${number + index + 1} 0 R ${first}]>>`);
    }
    const widget = builder.add(`<<${WIDGET}/FT/Tx/T(x)/V(deep)/Rect[0 0 9 9]/Parent ${number + count - 1} 0 R>>`);
    builder.page("1", `/Annots[${widget}]`);
    builder.catalog = `/AcroForm<</Fields[${first}]>>`;
    expect(uncompressed(await merged(builder.bytes()))).toContain("(deep)");
  });
});
