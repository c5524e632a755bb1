// Contract: docs/api.md#flattened-forms-pdf
import { describe, expect, test } from "vitest";
import { flattenForms } from "../../../src/operations/flatten-forms.ts";
import { formPdf, HELVETICA } from "../../fixtures/form-pdfs.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { encrypted } from "../../fixtures/pdfs.ts";
import { signedPdf } from "../../fixtures/signed-pdfs.ts";
import { baked, expectSameLook, expectSameOrder } from "../../support/baked.ts";
import { corpusFile } from "../../support/corpus.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, outputsOf, reasonOf } from "../../support/operations.ts";
import { PdfJson } from "../../support/pdf-json.ts";
import { pageTexts, picturesOf, uncompressed } from "../../support/pdf-readers.ts";
import { formElement, taggedForm } from "../../support/tagged-form.ts";

const LOOK = "/Subtype/Form/BBox[0 0 100 20]";
const widget = (entries: string) => `/Rect[20 20 120 40]${entries}`;
const shown = async (pdf: Uint8Array) => pageTexts((await baked(flattenForms, pdf)).pdf)[0];
const isBlank = (pdf: Uint8Array) =>
  picturesOf(pdf)[0]!
    .subarray(20)
    .every((sample) => sample > 250);

/** Returns a form whose only field has this appearance. */
const formWith = (look: string, entries: string) =>
  formPdf([widget(`/FT/Tx/AP<</N $look>>${entries}`)], {
    objects: (builder) => ({ look: builder.stream(look, LOOK) }),
  });

describe("fields become content", () => {
  test("with their appearance", async () => {
    const before = signedPdf({});
    const { pdf, notices } = await baked(flattenForms, before);
    const json = new PdfJson(pdf);
    expect([json.catalog["/AcroForm"], json.annotations(1)]).toEqual([undefined, []]);
    expect(pageTexts(pdf)[0]).toContain("Signed by Ann");
    expect(pageTexts(pdf)[0]).toContain("kept");
    expect(notices).toEqual(["1 digital signature was removed"]);
  });

  test.each([
    ["a text field", widget("/FT/Tx/V(text of a field)"), "text of a field"],
    [
      "a field with a value above it",
      "/Rect[20 20 120 40]/FT/Ch/Ff 131072/V(b)/Opt[[(a)(First)][(b)(Second)]]",
      "Second",
    ],
    ["a list", "/Rect[20 20 120 80]/FT/Ch/V(two)/Opt[(one)(two)(three)]", "one\ntwo\nthree"],
    ["a push button", widget("/FT/Btn/Ff 65536/MK<</CA(Press)>>"), "Press"],
  ])("without an appearance: %s", async (_, field, text) => {
    expect(await shown(formPdf([field]))).toBe(text);
  });

  test.each([
    ["on", "/AS/Yes", false],
    ["off", "/AS/Off", true],
    ["without a state", "", true],
    ["with a state that has no appearance", "/AS/Maybe", true],
  ])("a check box %s", async (_, entries, expected) => {
    const pdf = formPdf([widget(`/FT/Btn/V/Yes/AP<</N<</Yes $on>>>>${entries}`)], {
      objects: (builder) => ({ on: builder.stream("0 0 100 20 re f", LOOK) }),
    });
    expect(isBlank((await baked(flattenForms, pdf)).pdf)).toBe(expected);
  });

  test.each([
    ["hidden", "/F 2", true],
    ["only printed", "/F 36", true],
    ["shown but not printed", "/F 0", false],
  ])("as on screen: %s", async (_, flags, expected) => {
    const builder = new PdfBuilder();
    const look = builder.stream("0 0 100 20 re f", LOOK);
    const field = builder.add(`<</Type/Annot/Subtype/Widget/FT/Tx/T(a)${widget(flags)}/AP<</N ${look}>>>>`);
    builder.catalog = `/AcroForm<</Fields[${field}]>>`;
    builder.page("%()", `/Annots[${field}]`);
    expect(isBlank((await baked(flattenForms, builder.bytes())).pdf)).toBe(expected);
  });

  test("a renewed appearance replaces an outdated one", async () => {
    const objects = (builder: PdfBuilder) => ({ look: builder.stream("0 0 100 20 re f", LOOK) });
    const field = widget("/FT/Tx/V(new)/AP<</N $look>>");
    expect(await shown(formPdf([field], { needAppearances: true, objects }))).toBe("new");
  });

  test.each([
    ["with a matrix", "/Matrix[0 1 -1 0 20 0]"],
    ["without the type of an XObject", ""],
  ])("an appearance %s looks as before", async (_, entries) => {
    const before = formPdf([widget("/FT/Tx/AP<</N $look>>")], {
      objects: (builder) => ({
        look: builder.stream("1 0 0 rg 0 0 50 10 re f", `${entries ? "/Subtype/Form" : ""}/BBox[0 0 100 20]${entries}`),
      }),
    });
    const { pdf } = await baked(flattenForms, before);
    expect(isBlank(pdf)).toBe(false);
    await expectSameLook(before, pdf);
  });

  test("on a page that leaves its graphics state changed", async () => {
    const builder = new PdfBuilder();
    const look = builder.stream("0 0 100 20 re f", LOOK);
    const field = builder.add(`<</Type/Annot/Subtype/Widget/FT/Tx/T(a)${widget("/F 4")}/AP<</N ${look}>>>>`);
    builder.catalog = `/AcroForm<</Fields[${field}]>>`;
    builder.page("q 9 0 0 9 99 99 cm 1 g %()", `/Annots[${field}]/Rotate 90`);
    const before = builder.bytes();
    await expectSameLook(before, (await baked(flattenForms, before)).pdf);
  });
});

describe("characters that the font of a field lacks", () => {
  const hebrew = "/V<FEFF05D005D1>";
  const lost = "1 form field has characters that no font contains";

  test("are reported if no font contains them", async () => {
    const { pdf, notices } = await baked(flattenForms, formPdf([widget(`/FT/Tx${hebrew}`)]));
    expect([pageTexts(pdf)[0], notices]).toEqual(["", [lost]]);
  });

  test("come from another font of the form", async () => {
    const other =
      "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[65/uni05D0/uni05D1]>>/FirstChar 65/LastChar 66/Widths[500 500]>>";
    const form = `/DA(/Helv 12 Tf 0 g)/DR<</Font<</Helv ${HELVETICA}/Other ${other}>>>>`;
    const { pdf, notices } = await baked(flattenForms, formPdf([widget(`/FT/Tx${hebrew}`)], { form }));
    expect(pageTexts(pdf)[0]).toContain("\u05d0\u05d1");
    expect(notices).toEqual([]);
  });

  test("stay in an appearance that would lack them", async () => {
    const objects = (builder: PdfBuilder) => ({ look: builder.stream("0 0 100 20 re f", LOOK) });
    const before = formPdf([widget(`/FT/Tx${hebrew}/AP<</N $look>>`)], { needAppearances: true, objects });
    const { pdf, notices } = await baked(flattenForms, before);
    expect([isBlank(pdf), notices]).toEqual([false, []]);
  });
});

describe("the rest of the document", () => {
  test("loses scripts and the actions of forms, but no other actions", async () => {
    const builder = new PdfBuilder();
    const script = (next = "") => `<</S/JavaScript/JS(SECRET)${next}>>`;
    const loop = builder.reserve();
    builder.set(loop, `<</S/ResetForm/Next[${loop} <</S/GoTo/D(SHOWN)>>]>>`);
    const links = [
      `/A<</S/SubmitForm/F(SECRET)/Next<</S/URI/URI(SHOWN)>>>>`,
      `/A<</S/URI/URI(SHOWN)/Next[${script()} <</S/Hide/T(SECRET)>>]>>`,
      `/A ${loop}/AA<</E ${script()}>>`,
    ].map((entries) => builder.add(`<</Type/Annot/Subtype/Link/Rect[0 0 9 9]${entries}>>`));
    const field = builder.add(`<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(x)${widget("")}/AA<</K ${script()}>>>>`);
    builder.catalog =
      `/AcroForm<</Fields[${field}]/DA(/Helv 9 Tf 0 g)>>/OpenAction ${script(`/Next<</S/GoTo/D(SHOWN)>>`)}` +
      `/AA<</WC ${script()}>>/Names<</JavaScript<</Names[(SECRET)${script()}]>>>>`;
    builder.page("%()", `/Annots[${field} ${links.join(" ")}]/AA<</O ${script()}>>`);
    const { pdf, notices } = await baked(flattenForms, builder.bytes());
    expect(notices.slice(0, 2)).toEqual(["JavaScript was removed", "3 actions were removed"]);
    const text = uncompressed(pdf);
    expect(text).not.toMatch(/SECRET|JavaScript|ResetForm|\/AA/);
    expect(text.match(/SHOWN/g)).toHaveLength(4);
  });

  test("other annotations stay", async () => {
    const builder = new PdfBuilder();
    const note = builder.add("<</Type/Annot/Subtype/Square/Rect[9 9 20 20]/C[1 0 0]>>");
    const field = builder.add(`<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(x)${widget("")}>>`);
    builder.catalog = `/AcroForm<</Fields[${field}]/DA(/Helv 9 Tf 0 g)/DR<</Font<</Helv ${HELVETICA}>>>>>>`;
    builder.page("%()", `/Annots[${note} ${field}]`);
    const json = new PdfJson((await baked(flattenForms, builder.bytes())).pdf);
    expect(json.annotations(1).map((annotation) => annotation["/Subtype"])).toEqual(["/Square"]);
  });

  test("annotations below a field stay below it", async () => {
    const builder = new PdfBuilder();
    const [field, square, popup] = [builder.reserve(), builder.reserve(), builder.reserve()];
    const [red, blue, white] = ["1 0 0 rg", "0 0 1 rg", "1 g"].map((color) =>
      builder.stream(`${color} 0 0 100 20 re f`, LOOK),
    );
    const add = (entries: string) => builder.add(`<</Type/Annot/F 4${entries}>>`);
    const below = add(`/Subtype/Stamp/Rect[15 15 90 90]/AP<</N ${blue}>>`);
    builder.set(square, `<</Type/Annot/Subtype/Square/F 4/Rect[10 10 130 50]/AP<</N ${white}>>/Popup ${popup}>>`);
    builder.set(popup, `<</Type/Annot/Subtype/Popup/Rect[10 10 130 50]/Parent ${square}>>`);
    builder.set(field, `<</Type/Annot/Subtype/Widget/F 4/FT/Tx/T(a)/Rect[20 20 120 40]/AP<</N ${red}>>>>`);
    const others = [
      "Link/Rect[10 10 130 50]/Border[0 0 0]",
      "Redact/Rect[10 10 130 50]",
      "Stamp/Rect[150 10 190 50]",
    ].map((entries) => add(`/Subtype/${entries}`));
    const above = add(`/Subtype/Stamp/Rect[60 15 130 30]/AP<</N ${blue}>>`);
    builder.catalog = `/AcroForm<</Fields[${field}]>>`;
    builder.page("%()", `/Annots[${others.join(" ")} ${below} ${square} ${popup} ${field} ${above}]`);
    const before = builder.bytes();
    const { pdf, notices } = await baked(flattenForms, before);
    expect(notices).toEqual(["annotations below form fields were drawn, too, on 1 page: 1"]);
    const types = new PdfJson(pdf).annotations(1).map((annotation) => annotation["/Subtype"]);
    expect(types).toEqual(["/Link", "/Redact", "/Stamp", "/Stamp"]);
    await expectSameOrder(before, pdf);
  });

  test("tags refer to the content of a former field", async () => {
    const { pdf } = await baked(flattenForms, taggedForm());
    expect(formElement(pdf)).toEqual({
      type: "/Form",
      page: 1,
      content: [0],
      parent: true,
      attributes: { "/O": "/PrintField", "/Role": "/tv", "/Desc": "u:Your name" },
    });
  });

  test("tags of hidden fields are removed", async () => {
    const { pdf } = await baked(flattenForms, taggedForm("/F 2"));
    expect(formElement(pdf)).toBeUndefined();
  });

  test("a layer still hides the content of its fields", async () => {
    const builder = new PdfBuilder();
    const layer = builder.add("<</Type/OCG/Name(Hidden)>>");
    const look = builder.stream("0 0 100 20 re f", LOOK);
    const field = builder.add(`<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/OC ${layer}${widget("")}/AP<</N ${look}>>>>`);
    builder.catalog = `/AcroForm<</Fields[${field}]>>/OCProperties<</OCGs[${layer}]/D<</OFF[${layer}]>>>>`;
    builder.page("%()", `/Annots[${field}]`);
    const { pdf } = await baked(flattenForms, builder.bytes());
    expect(isBlank(pdf)).toBe(true);
    expect(new PdfJson(pdf).catalog["/OCProperties"]).toBeDefined();
  });

  test("an owner password is removed, and a needed password is an error", async () => {
    const { notices } = await baked(flattenForms, encrypted(formWith("", ""), "", "owner"));
    expect(notices).toContain("protection by an owner password was removed");
    const pdf = encrypted(formWith("", ""), "secret", "owner");
    expect(await reasonOf(() => outputsOf(flattenForms, [pdf], {}))).toBe("password-protected");
  });
});

describe("XFA", () => {
  test("a static form is flattened like its AcroForm", async () => {
    const pdf = formPdf([widget("/FT/Tx/V(static)")], {
      form: `/XFA[(template) $xfa]/DA(/Helv 12 Tf 0 g)/DR<</Font<</Helv ${HELVETICA}>>>>`,
      objects: (builder) => ({ xfa: builder.stream("<template/>") }),
    });
    expect(await shown(pdf)).toBe("static");
  });

  test.each([
    ["that says so", "/NeedsRendering true"],
    ["without fields", ""],
  ])("a dynamic form %s is rejected", async (_, entries) => {
    const builder = new PdfBuilder();
    const xfa = builder.stream("<template/>");
    builder.catalog = `${entries}/AcroForm<</Fields[]/XFA ${xfa}>>`;
    builder.page("Please wait");
    expect(await reasonOf(() => outputsOf(flattenForms, [builder.bytes()], {}))).toBe("unsupported");
  });
});

test.for(["fancy_fields.pdf", "with_xfa_fields.pdf"])("%s looks as before", async (name, { skip }) => {
  const before = corpusFile(`pdf/${name}`);
  if (!before) return skip("the corpus is missing");
  await expectSameLook(before, (await baked(flattenForms, before)).pdf);
});

test.for(HOSTILE_PDFS)("$name has an answer", async ({ bytes }) => {
  const outcome = await reasonOf(async () => {
    for await (const output of flattenForms.run([inputOf(bytes())], {}, CONTEXT)) await bytesOf(output);
  });
  expect(["none", "too-large", "damaged", "too-complex", "too-much-content"]).toContain(outcome);
});
