// Exports and fills forms, and reads the values with qpdf, pikepdf, pypdf, poppler and MuPDF's viewer.
// Contract: docs/api.md#exported-form-data, #pdf-with-imported-form-data
import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { OutOfRange } from "../../../src/document/contract/failure.ts";
import { type DataFormat, FORMATS } from "../../../src/document/form-data/formats.ts";
import { exportFormData } from "../../../src/operations/export-form-data.ts";
import { type ImportFormDataParams, importFormData } from "../../../src/operations/import-form-data.ts";
import { HELVETICA } from "../../fixtures/form-pdfs.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { textPdf } from "../../fixtures/pdfs.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, outputsOf, reasonOf } from "../../support/operations.ts";
import { PdfJson } from "../../support/pdf-json.ts";
import { pageTexts, qpdfComplaints, withFile } from "../../support/pdf-readers.ts";
import { formValues } from "../../support/python-readers.ts";

/** A form with a field of each kind. `parent.child` is below a parent; `twice` has two widgets. */
function everyField(entries = ""): Uint8Array {
  const builder = new PdfBuilder();
  const widgets: string[] = [];
  const look = (mark: string) => builder.stream(mark, "/Type/XObject/Subtype/Form/BBox[0 0 10 10]");
  const states = (...names: string[]) =>
    `/AP<</N<<${names.map((name) => `/${name} ${look("0 0 10 10 re f")}`).join("")}/Off ${look("")}>>>>/AS/Off`;
  const widget = (name: string, more: string) => {
    const at = widgets.length;
    const [x, y] = [20 + 150 * (at % 2), 20 + 20 * Math.floor(at / 2)];
    const title = name === "" ? "" : `/T(${name})`;
    widgets.push(builder.add(`<</Type/Annot/Subtype/Widget/F 4/Rect[${x} ${y} ${x + 140} ${y + 16}]${title}${more}>>`));
    return widgets.at(-1)!;
  };
  const parent = builder.reserve();
  const child = widget("child", `/FT/Tx/Parent ${parent}`);
  builder.set(parent, `<</T(parent)/Kids[${child}]>>`);
  const twice = builder.reserve();
  builder.set(
    twice,
    `<</T(twice)/FT/Tx/Kids[${widget("", `/Parent ${twice}/V(stale)`)} ${widget("", `/Parent ${twice}`)}]>>`,
  );
  const radio = builder.reserve();
  const buttons = ["one", "two"].map((name) => widget("", `/Parent ${radio}${states(name)}`));
  builder.set(radio, `<</T(radio)/FT/Btn/Ff 49152/Kids[${buttons.join(" ")}]>>`);
  const fields = [
    ...[parent, twice, radio],
    widget("text", "/FT/Tx"),
    widget("comb", "/FT/Tx/Ff 16777216/MaxLen 8"),
    widget("rich", "/FT/Tx/Ff 33554432"),
    widget("check", `/FT/Btn${states("Yes")}`),
    widget("exported", `/FT/Btn${states("0")}/Opt[(agreed)]`),
    widget("combo", "/FT/Ch/Ff 131072/Opt[[(de)(Germany)][(fr)(France)]]"),
    widget("editable", "/FT/Ch/Ff 393216/Opt[(a)(b)]"),
    widget("list", "/FT/Ch/Ff 2097152/Opt[(red)(green)(blue)]"),
    widget("push", "/FT/Btn/Ff 65536/MK<</CA(Print)>>"),
  ];
  const resources = `/DA(/Helv 9 Tf 0 g)/DR<</Font<</Helv ${HELVETICA}>>>>`;
  builder.catalog = `/AcroForm<</Fields[${fields.join(" ")}]${resources}${entries}>>`;
  builder.page("%()", `/Annots[${widgets.join(" ")}]`);
  return builder.bytes();
}

const DATA = {
  ...{ "parent.child": "Größe & <Co>\rzwei", twice: "both", radio: "two", text: "日本 €", comb: "12345678" },
  ...{ check: "Yes", exported: "0", combo: "fr", editable: "other", list: ["red", "blue"] },
  rich: { value: "bold", rich_text: '<body xmlns="http://www.w3.org/1999/xhtml"><p><b>bold</b></p></body>' },
};

async function exported(pdf: Uint8Array, dataFormat: DataFormat): Promise<Uint8Array> {
  const [data] = await outputsOf(exportFormData, [pdf], { dataFormat });
  return data!;
}

async function filled(pdf: Uint8Array, data: ImportFormDataParams["data"] | Uint8Array, name = "data") {
  const file = data instanceof Uint8Array ? [inputOf(data, name)] : [];
  const params = data instanceof Uint8Array ? {} : { data };
  for await (const output of importFormData.run([inputOf(pdf), ...file], params as ImportFormDataParams, CONTEXT)) {
    const bytes = await bytesOf(output);
    expect(qpdfComplaints(bytes)).toBe("");
    return {
      pdf: bytes,
      notices: output.notices!().map(({ code, subjects = [] }) => [code, ...subjects.map(({ name }) => name)]),
    };
  }
  throw new Error("no output");
}

const json = async (pdf: Uint8Array) => JSON.parse(Buffer.from(await exported(pdf, "json")).toString());
const refused = (work: Promise<unknown>) =>
  work.then(
    () => "accepted",
    (error) => (error instanceof OutOfRange ? `${error.parameter}: ${error.why}` : String(error)),
  );

let form: Uint8Array;
beforeAll(async () => {
  form = (await filled(everyField(), DATA)).pdf;
});

describe("values", () => {
  test("other programs read what was set", async (context) => {
    const readers = await formValues(context);
    const [values] = withFile(form, (path) => readers([path]));
    const { rich, ...others } = DATA;
    const expected = { ...others, rich: rich.value, radio: "/two", check: "/Yes", exported: "/0" };
    for (const read of [values!.pikepdf, values!.pypdf])
      expect(read).toMatchObject({ ...expected, "parent.child": expect.stringMatching(/^Größe & <Co>[\r\n]zwei$/) });
    const fields = new PdfJson(form).json.acroform.fields as { fullname: string; value: unknown }[];
    expect(fields.find(({ fullname }) => fullname === "text")!.value).toBe("u:日本 €");
  });

  test("viewers show them without NeedAppearances", async () => {
    const { pdf } = await filled(everyField("/NeedAppearances true"), { ...DATA, text: "plain €" });
    expect(Buffer.from(pdf).toString("latin1")).not.toContain("NeedAppearances");
    const [text] = pageTexts(pdf);
    for (const shown of ["Co", "both", "plain €", "France", "other", "red", "bold"]) expect(text).toContain(shown);
    const drawn = withFile(pdf, (path) => execFileSync("mutool", ["draw", "-F", "txt", path], { encoding: "utf8" }));
    expect(drawn).toContain("plain €");
  });

  test.each([
    [{ check: true }, { check: "Yes" }],
    [{ check: "Off" }, { check: "Off" }],
    [{ exported: "agreed" }, { exported: "0" }],
    [{ combo: "Germany" }, { combo: "de" }],
    [{ list: "green" }, { list: "green" }],
    [
      { text: null, combo: null, check: null },
      { text: null, combo: null, check: "Off" },
    ],
    [{ text: 1.5 }, { text: "1.5" }],
    [{ comb: "123456789" }, { comb: "123456789" }],
  ])("%j becomes %j", async (data, expected) => {
    const { pdf, notices } = await filled(form, data);
    expect(await json(pdf)).toMatchObject(expected);
    expect(notices).toEqual([]);
  });

  test("widgets below nodes without a name show the value of their field", async () => {
    const builder = new PdfBuilder();
    const [field, node] = [builder.reserve(), builder.reserve()];
    const widget = builder.add(`<</Type/Annot/Subtype/Widget/F 4/Rect[20 20 160 36]/Parent ${node}>>`);
    builder.set(node, `<</Parent ${field}/Kids[${widget}]>>`);
    builder.set(field, `<</T(name)/FT/Tx/Kids[${node}]>>`);
    builder.catalog = `/AcroForm<</Fields[${field}]/DA(/Helv 9 Tf 0 g)>>`;
    builder.page("%()", `/Annots[${widget}]`);
    expect(pageTexts((await filled(builder.bytes(), { name: "nested" })).pdf)[0]).toContain("nested");
  });

  test("the widgets of a group of buttons show its state", async () => {
    const states = new PdfJson((await filled(form, { radio: "one" })).pdf).json.acroform.fields
      .filter(({ fullname }: { fullname: string }) => fullname === "radio")
      .map(({ annotation }: { annotation: { appearancestate: string } }) => annotation.appearancestate);
    expect(states).toEqual(["/one", "/Off"]);
  });

  test("a value that a field does not offer, and one without a field, are left out", async () => {
    const { pdf, notices } = await filled(form, {
      combo: "Spain",
      radio: "three",
      list: ["red", "pink"],
      nobody: "x",
      text: "t",
    });
    expect(await json(pdf)).toMatchObject({ combo: "fr", radio: "two", list: ["red", "blue"], text: "t" });
    expect(notices).toEqual([
      ["values-without-field", "nobody"],
      ["values-not-offered", "combo", "radio", "list"],
    ]);
  });

  test("calculations are not run, and a notice says so", async () => {
    const calculated = everyField("/CO[1 0 R]");
    expect((await filled(calculated, { text: "1" })).notices).toEqual([["calculations-not-run"]]);
  });
});

describe("files", () => {
  const own = FORMATS.filter((format) => !["xfd", "xdp"].includes(format));

  test.each(own)("importing an export changes no value: %s", async (format) => {
    const data = await exported(form, format);
    const before = await json(form);
    const other = (await filled(everyField(), data, `data.${format}`)).pdf;
    const { rich, ...values } = await json(other);
    expect(values).toEqual({ ...before, rich: undefined });
    // Plain XML has no rich text.
    expect(rich).toEqual(format === "xml" ? "bold" : before.rich);
  });

  test("rich text stays if a format without it has the same text", async () => {
    const { rich } = await json(form);
    expect((await json((await filled(form, await exported(form, "xml"))).pdf)).rich).toEqual(rich);
    expect((await json((await filled(form, { rich: "other" })).pdf)).rich).toBe("other");
  });

  test("the paragraphs of rich text are lines of the plain value", async () => {
    const body = '<body xmlns="http://www.w3.org/1999/xhtml"><p>one <b>bold</b></p><p>two</p></body>';
    const xfdf = `<xfdf><fields><field name="rich"><value-richtext>${body}</value-richtext></field></fields></xfdf>`;
    const expected = { value: "one bold\ntwo", rich_text: body };
    for (const data of [Buffer.from(xfdf), { rich: { rich_text: body } }])
      expect((await json((await filled(everyField(), data)).pdf)).rich).toEqual(expected);
  });

  const FDF = (body: string, more = "") =>
    Buffer.from(`%FDF-1.2\n1 0 obj<</FDF<</Fields[${body}]>>>>endobj\n${more}trailer<</Root 1 0 R>>`, "latin1");
  test.each([
    ["full names", FDF("<</T(parent.child)/V(x)>>"), { "parent.child": "x" }],
    ["levels", FDF("<</T(parent)/Kids[<</T(child)/V(x)>>]>>"), { "parent.child": "x" }],
    [
      "UTF-16 and names",
      FDF("<</T<feff00740065007800740020>/V(y)>><</T(text)/V<feff4e2d>>><</T(check)/V/Yes>>"),
      { text: "中", check: "Yes" },
    ],
    [
      "references and streams",
      FDF("2 0 R", "2 0 obj<</T(text)/V 3 0 R>>endobj 3 0 obj<</Length 4>>stream\nlong\nendstream endobj\n"),
      { text: "long" },
    ],
    ["texts for states", FDF("<</T(check)/V(Yes)>>"), { check: "Yes" }],
    [
      "XFDF with a prefix",
      Buffer.from(
        '<x:xfdf xmlns:x="http://ns.adobe.com/xfdf/"><x:fields><x:field name="list"><x:value>red</x:value><x:value>green</x:value></x:field></x:fields></x:xfdf>',
      ),
      { list: ["red", "green"] },
    ],
    [
      "XFDF in Latin-1",
      Buffer.from(
        '<?xml version="1.0" encoding="ISO-8859-1"?><xfdf><fields><field name="text"><value>\xe4&#13;&lt;</value></field></fields></xfdf>',
        "latin1",
      ),
      { text: "ä\r<" },
    ],
    [
      "XFDF in UTF-16",
      Buffer.from(
        '\ufeff<?xml version="1.0" encoding="UTF-16"?><xfdf><fields><field name="text"><value>ж</value></field></fields></xfdf>',
        "utf16le",
      ),
      { text: "ж" },
    ],
    [
      "XML",
      Buffer.from(
        '<fields xmlns:xfdf="http://ns.adobe.com/xfdf-transition/"><parent><kid xfdf:original="child">x</kid></parent></fields>',
      ),
      { "parent.child": "x" },
    ],
    ["JSON with a byte order mark", Buffer.from('\ufeff{"text":"x"}'), { text: "x" }],
  ])("%s", async (_, data, expected) => {
    expect(await json((await filled(everyField(), new Uint8Array(data))).pdf)).toMatchObject(expected);
  });

  test("names that are no names of XML, and values with markup, come back", async () => {
    const builder = new PdfBuilder();
    const field = builder.add("<</Type/Annot/Subtype/Widget/FT/Tx/Rect[0 0 9 9]/T(2 a<b & c)/V(<v>\\r)>>");
    builder.catalog = `/AcroForm<</Fields[${field}]>>`;
    builder.page("%()", `/Annots[${field}]`);
    const pdf = builder.bytes();
    for (const format of own) {
      const { pdf: again } = await filled(pdf, await exported(pdf, format));
      expect([format, await json(again)]).toEqual([format, { "2 a<b & c": "<v>\r" }]);
    }
  });

  test.each([
    ["nothing", ""],
    ["a text", "text=x"],
    ["wrong JSON", '{"text":{"a":1}}'],
    ["a list", '["text"]'],
    ["FDF without fields", "%FDF-1.2\ntrailer<</Root 1 0 R>>"],
    ["XML that is cut off", "<xfdf><fields>"],
    [
      "an entity",
      '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><xfdf><fields><field name="text"><value>&e;</value></field></fields></xfdf>',
    ],
    ["many levels", "<a>".repeat(100_000)],
    [
      "a loop",
      "%FDF-1.2\n1 0 obj<</FDF<</Fields[2 0 R]>>>>endobj 2 0 obj<</T(q)/Kids[2 0 R]>>endobj trailer<</Root 1 0 R>>",
    ],
  ])("rejects %s", async (_, text) => {
    const why = /^data_file: (It is no form data that can be read\.|The form of the document is no XFA form\.)$/;
    const answer = await refused(filled(form, new Uint8Array(Buffer.from(text))));
    if (text.includes("Kids[2 0 R]")) expect(answer).toBe("accepted");
    else expect(answer).toMatch(why);
  });

  test("names the valid formats", async () => {
    expect(await refused(exported(form, "xdp"))).toBe(
      "dataFormat: Valid for the form of the document: fdf, xfdf, xml, json.",
    );
    expect(await refused(exported(await textPdf(1), "fdf"))).toBe("dataFormat: The document has no form with values.");
    expect(await refused(filled(await textPdf(1), { a: "b" }))).toBe("data: The document has no form.");
    expect(await refused(filled(form, { a: "b" }))).toBe("data: The form has no field with one of its names.");
  });
});

describe("XFA", () => {
  const DATASETS =
    '<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form1><Name>old</Name><Check>0</Check></form1></xfa:data></xfa:datasets>';
  const NEW = DATASETS.replace("old", "new &#13;&amp;").replace(">0<", ">Yes<");

  function xfaPdf(
    fields: "with fields" | "dynamic",
    packets: "packets" | "one stream" = "packets",
    datasets = DATASETS,
  ): Uint8Array {
    const builder = new PdfBuilder();
    const text = (content: string) => builder.stream(content);
    const xfa =
      packets === "packets"
        ? `[(preamble) ${text("<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'>")} (datasets) ${text(datasets)} (postamble) ${text("</xdp:xdp>")}]`
        : text(`<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template/>${datasets}</xdp:xdp>`);
    const state = builder.stream("", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]");
    const parent = builder.reserve();
    const widget = (more: string) =>
      builder.add(`<</Type/Annot/Subtype/Widget/F 4/Rect[0 0 99 20]/Parent ${parent}${more}>>`);
    const kids = [
      widget("/T(Name[0])/FT/Tx/V(old)"),
      widget(`/T(Check[0])/FT/Btn/AP<</N<</Yes ${state}/Off ${state}>>>>`),
      widget(`/T(Option[0])/FT/Btn/Ff 49152/Opt[(b)]/AP<</N<</0 ${state}/Off ${state}>>>>`),
    ];
    builder.set(parent, `<</T(form1[0].#subform[0])/Kids[${kids.join(" ")}]>>`);
    const some = fields === "with fields";
    builder.catalog = `/AcroForm<</Fields[${some ? parent : ""}]/XFA ${xfa}/DA(/Helv 9 Tf 0 g)>>`;
    builder.page("%()", some ? `/Annots[${kids.join(" ")}]` : "");
    return builder.bytes();
  }

  test.each([
    ["xdp", `<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">${NEW}</xdp:xdp>`],
    ["xfd", NEW],
    ["xml", "<form1><Name>new &#13;&amp;</Name><Check>Yes</Check></form1>"],
  ] as const)("%s fills the data and the fields beside them", async (format, data) => {
    for (const packets of ["packets", "one stream"] as const) {
      const { pdf, notices } = await filled(xfaPdf("with fields", packets), new Uint8Array(Buffer.from(data)));
      expect(notices).toEqual([]);
      expect(await json(pdf)).toEqual({
        "form1[0].#subform[0].Name[0]": "new \r&",
        "form1[0].#subform[0].Check[0]": "Yes",
        "form1[0].#subform[0].Option[0]": "Off",
      });
      const again = await exported(pdf, format);
      expect(Buffer.from(again).toString()).toContain("<Name>new &#13;&amp;</Name><Check>Yes</Check>");
      expect((await filled(pdf, again)).notices).toEqual([]);
    }
  });

  test("a button takes an export value", async () => {
    const data = "<form1><Option>b</Option></form1>";
    const { pdf } = await filled(xfaPdf("with fields"), new Uint8Array(Buffer.from(data)));
    expect((await json(pdf))["form1[0].#subform[0].Option[0]"]).toBe("0");
  });

  test("data with bare ampersands are read", async () => {
    const pdf = xfaPdf("with fields", "packets", DATASETS.replace("old", "a & b &amp; c&#33;"));
    expect(Buffer.from(await exported(pdf, "xml")).toString()).toContain("<Name>a &amp; b &amp; c!</Name>");
    expect(await json(pdf)).toMatchObject({ "form1[0].#subform[0].Name[0]": "old" });
  });

  test("a dynamic form gets its data, and a notice", async () => {
    const { pdf, notices } = await filled(xfaPdf("dynamic"), new Uint8Array(Buffer.from(NEW)));
    expect(notices).toEqual([["xfa-not-drawn"]]);
    expect(Buffer.from(await exported(pdf, "xml")).toString()).toContain("new");
    expect(await refused(exported(pdf, "fdf"))).toBe("dataFormat: Valid for the form of the document: xfd, xdp, xml.");
  });

  test("data of fields removes the XFA form", async () => {
    const { pdf, notices } = await filled(xfaPdf("with fields"), { "form1[0].#subform[0].Name[0]": "n" });
    expect(notices).toEqual([["xfa-removed"]]);
    expect(await refused(exported(pdf, "xfd"))).toContain("fdf, xfdf, xml, json.");
  });
});

test.each(HOSTILE_PDFS.map((one) => [one.name, one] as const))("hostile: %s", async (_, { bytes }) => {
  const reasonFor = (work: Promise<unknown>) =>
    reasonOf(() => work).catch((error) => (error instanceof OutOfRange ? "out of range" : Promise.reject(error)));
  const pdf = await bytes();
  for (const work of [exported(pdf, "json"), filled(pdf, { a: "b" })]) {
    expect(["none", "damaged", "too-large", "too-complex", "out of range"]).toContain(await reasonFor(work));
  }
});
