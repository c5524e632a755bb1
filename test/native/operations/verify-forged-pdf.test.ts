// Tests that changes after a signature which disguise themselves are found: by objects with two roles, by copies of the
// signature, and by later signatures.
// Contract: docs/api.md#verified-pdf
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyPdf } from "../../../src/operations/verify-pdf.ts";
import { Authority } from "../../fixtures/credentials.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { outputsOf } from "../../support/operations.ts";
import { INVISIBLE, pfx, place, signed } from "../../support/signing.ts";

const authority = new Authority();
afterAll(() => authority[Symbol.dispose]());

/** Numbers of the objects of the document. */
const at = { catalog: 1, pages: 2, font: 3, content: 0, page: 0, layers: 0, form: 0, name: 0, amount: 0, fieldFont: 0 };
const own: Record<string, string> = {};
let pdf: Uint8Array;

/** Returns a document with a layer and two fields with the same font. */
function unsigned(): Uint8Array {
  const builder = new PdfBuilder();
  const numberOf = (reference: string) => Number.parseInt(reference, 10);
  const [name, amount, layers] = [builder.reserve(), builder.reserve(), builder.reserve()];
  const form = builder.reserve();
  const layer = builder.add("<</Type/OCG/Name(Layer)>>");
  const font = builder.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
  const look = builder.stream(
    "BT /F 9 Tf (7) Tj ET",
    `/Type/XObject/Subtype/Form/BBox[0 0 50 20]/Resources<</Font<</F ${font}>>>>`,
  );
  for (const [reference, title] of [
    [name, "Name"],
    [amount, "Amount"],
  ] as const) {
    builder.set(
      reference,
      `<</Type/Annot/Subtype/Widget/FT/Tx/T(${title})/V(7)/Rect[9 9 59 29]/F 4/DA(/F 9 Tf)/AP<</N ${look}>>>>`,
    );
  }
  builder.set(layers, `<</OCGs[${layer}]/D<</OFF[]>>>>`);
  builder.set(form, `<</Fields[${name} ${amount}]/DR<</Font<</F ${font}>>>>>>`);
  const page = builder.page("Pay 100", `/Annots[${name} ${amount}]`);
  builder.catalog = `/AcroForm ${form}/OCProperties ${layers}`;
  Object.assign(at, {
    ...{ layers: numberOf(layers), form: numberOf(form), name: numberOf(name), amount: numberOf(amount) },
    ...{ fieldFont: numberOf(font), page: numberOf(page), content: numberOf(page) + 1 },
  });
  const bytes = builder.bytes();
  at.content = Number(/\/Contents (\d+) 0 R/.exec(Buffer.from(bytes).toString("latin1"))![1]);
  return bytes;
}

/** Returns the latest text of an object. */
const textIn = (file: Uint8Array, number: number): string =>
  Buffer.from(file).toString("latin1").split(`\n${number} 0 obj`).at(-1)!.split("endobj")[0]!.trim();

/** Appends objects, by number. */
function appended(file: Uint8Array, objects: Readonly<Record<number, string>>): Uint8Array {
  const before = Buffer.from(file).toString("latin1");
  const previous = [...before.matchAll(/startxref\s+(\d+)/g)].at(-1)![1];
  let text = "\n";
  let table = "xref\n";
  for (const [number, object] of Object.entries(objects)) {
    table += `${number} 1\n${String(file.length + text.length).padStart(10, "0")} 00000 n \n`;
    text += `${number} 0 obj\n${object}\nendobj\n`;
  }
  const trailer = `trailer\n<</Size 200/Root 1 0 R/Prev ${previous}>>\nstartxref\n${file.length + text.length}\n%%EOF\n`;
  return Buffer.from(before + text + table + trailer, "latin1");
}

async function verified(file: Uint8Array) {
  const [answer] = await outputsOf(verifyPdf, [file, authority.certificate], {});
  return JSON.parse(new TextDecoder().decode(answer)).signatures as Record<string, unknown>[];
}

const streamOf = (data: string, entries = "") => `<</Length ${data.length}${entries}>>\nstream\n${data}\nendstream`;
const PAY_MORE = streamOf("BT /F 24 Tf 30 150 Td (Pay 999) Tj ET");
const edit = (number: number, from: string | RegExp, to: string) => {
  const text = textIn(pdf, number);
  expect(text).toMatch(from);
  return { [number]: text.replace(from, to) };
};
const hidden = () => edit(at.layers, /OFF\[\]/, `OFF[${at.layers + 2} 0 R]`);
const annotated = (more: string) => edit(at.page, "/Annots[", `/Annots[${more} `);
const OVERLAY = "/AP<</N 150 0 R>>";
const overlay = { 150: streamOf("0 0 300 200 re f", "/Type/XObject/Subtype/Form/BBox[0 0 300 200]") };
const widget = (entries: string) => `<</Type/Annot/Subtype/Widget/F 4/Rect[0 0 300 200]${OVERLAY}${entries}>>`;

const FORGERIES: Readonly<Record<string, () => Readonly<Record<number, string>>>> = {
  "content that is also an annotation": () => ({ ...annotated(`${at.content} 0 R`), [at.content]: PAY_MORE }),
  "a font that is also a field": () => ({
    ...edit(at.form, "/Fields[", `/Fields[${at.font} 0 R `),
    ...edit(at.font, "Helvetica", "Symbol"),
  }),
  "layers that are also an annotation": () => ({ ...annotated(`${at.layers} 0 R`), ...hidden() }),
  "layers to which an annotation refers": () => ({
    ...{ ...annotated("150 0 R"), ...hidden() },
    150: `<</Type/Annot/Subtype/Square/Rect[0 0 9 9]/X ${at.layers} 0 R>>`,
  }),
  "layers that are also a node of the page tree": () => ({
    ...edit(at.pages, "/Kids[", `/Kids[${at.layers} 0 R `),
    [at.layers]: hidden()[at.layers]!.replace("<<", "<</Type/Pages/Kids[]/Count 0"),
  }),
  "layers that are also the form": () => ({
    ...edit(at.catalog, /AcroForm \d+/, `AcroForm ${at.layers}`),
    [at.layers]: hidden()[at.layers]!.replace("<<", textIn(pdf, at.form).slice(0, -2)),
  }),
  "the signature's text to which an annotation refers": () => ({
    ...annotated("150 0 R"),
    150: `<</Type/Annot/Subtype/Square/Rect[0 0 9 9]/X ${own.value} 0 R>>`,
    ...edit(Number(own.value), "(Approved)", "(Rejected)"),
  }),
  "the signature's appearance to which an annotation refers": () => ({
    ...annotated("150 0 R"),
    150: `<</Type/Annot/Subtype/Square/Rect[0 0 9 9]/X ${own.look} 0 R>>`,
    [own.look!]: overlay[150],
  }),
  "a new field that covers the page": () => ({
    ...{ ...annotated("151 0 R"), ...edit(at.form, "/Fields[", "/Fields[151 0 R ") },
    ...{ ...overlay, 151: widget("/FT/Tx/T(New)") },
  }),
  "a signature field that covers the page": () => ({
    ...{ ...annotated("151 0 R"), ...edit(at.form, "/Fields[", "/Fields[151 0 R ") },
    ...{ ...overlay, 151: widget("/FT/Sig/T(New)") },
  }),
  "a moved field": () => edit(at.name, "Rect[9 9 59 29]", "Rect[0 0 300 200]"),
  "an action of a field": () => edit(at.name, "<<", "<</AA<</K<</S/JavaScript/JS(1)>>>>"),
  "a form in XML": () => ({ ...edit(at.form, "<<", "<</XFA 150 0 R"), 150: streamOf("<xdp/>") }),
  "a font of a locked field": () => edit(at.fieldFont, "Helvetica", "Symbol"),
};

beforeAll(async () => {
  const lock = { action: "include", fields: ["Amount"] };
  const configuration = { type: "new", ...place(60, 60, 200, 100), display: { reason: "Approved" }, lock };
  ({ made: pdf } = await signed(unsigned(), pfx(authority.pkcs12("p256")), configuration));
  const text = Buffer.from(pdf).toString("latin1");
  own.value = /\/V (\d+) 0 R/.exec(text)![1]!;
  own.look = /\/AP ?<<\/N (\d+)/.exec(text.slice(text.indexOf("%%EOF")))![1]!;
});

test("the document is valid, and stays so when a field is filled in", async () => {
  expect(await verified(pdf)).toMatchObject([{ valid: true, covers_file: true }]);
  const filled = appended(pdf, edit(at.name, "/V(7)", "/V(8)"));
  expect(await verified(filled)).toMatchObject([{ valid: true, changes: [{ kind: "field", name: "Name" }] }]);
});

test.for(Object.keys(FORGERIES))("%s", async (name) => {
  const [first] = await verified(appended(pdf, FORGERIES[name]!()));
  expect(first).toMatchObject({ intact: true, valid: false, changes_permitted: false });
});

test("objects that no table lists", async () => {
  const listed = Buffer.from(appended(pdf, { [at.content]: PAY_MORE })).toString("latin1");
  const before = Buffer.from(pdf).toString("latin1");
  const unlisted = listed.slice(0, listed.lastIndexOf("xref\n", listed.lastIndexOf("startxref") - 1));
  const forged = Buffer.from(unlisted + before.slice(before.lastIndexOf("startxref")), "latin1");
  expect(await verified(forged)).toMatchObject([{ intact: true, valid: false, changes: [{ kind: "other" }] }]);
  expect(await verified(Buffer.concat([pdf, Buffer.from("\r\n\0")]))).toMatchObject([{ valid: true, changes: [] }]);
});

test("a copy of a signature with another text", async () => {
  const copy = textIn(pdf, Number(own.value)).replace("(Approved)", "(I owe a million)");
  const forged = appended(pdf, {
    ...edit(at.form, "/Fields[", "/Fields[151 0 R "),
    ...{ 150: copy, 151: "<</FT/Sig/T(Other)/V 150 0 R>>" },
  });
  expect((await verified(forged)).map(({ field, valid }) => [field, valid])).toContainEqual(["Other", false]);
});

test("a later certification that permits more", async () => {
  const { made } = await signed(unsigned(), pfx(authority.pkcs12("p256")), { ...INVISIBLE, certification_level: 1 });
  pdf = made;
  const parameters = "<</TransformMethod/DocMDP/TransformParams<</P 3>>>>";
  const forged = appended(pdf, {
    ...edit(at.form, "/Fields[", "/Fields[151 0 R "),
    151: `<</FT/Sig/T(Other)/V<</Type/Sig/ByteRange[0 1 2 3]/Contents<00>/Reference[${parameters}]>>>>`,
  });
  const answers = await verified(forged);
  expect(answers.find(({ field }) => field === "Signature1")).toMatchObject({ intact: true, valid: false });
});
