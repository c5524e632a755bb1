// Contract: docs/api.md#flattened-annotations-pdf
import { describe, expect, test } from "vitest";
import { flattenAnnotations } from "../../../src/operations/flatten-annotations.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { signedPdf } from "../../fixtures/signed-pdfs.ts";
import { baked, expectSameLook, expectSameOrder } from "../../support/baked.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, reasonOf } from "../../support/operations.ts";
import { attachedTo, PdfJson } from "../../support/pdf-json.ts";
import { pageTexts, picturesOf, uncompressed } from "../../support/pdf-readers.ts";

const LOOK = "/Subtype/Form/BBox[0 0 100 40]";

/** Returns a page with annotations. @param entries of the page */
function annotated(annotations: (builder: PdfBuilder) => readonly string[], entries = ""): Uint8Array {
  const builder = new PdfBuilder();
  const all = annotations(builder).map((annotation) => builder.add(`<</Type/Annot${annotation}>>`));
  builder.page("%()", `/Annots[${all.join(" ")}]${entries}`);
  return builder.bytes();
}
const one = (annotation: string, entries = "") => annotated(() => [annotation], entries);
const isBlank = (pdf: Uint8Array) =>
  picturesOf(pdf)[0]!
    .subarray(20)
    .every((sample) => sample > 250);
const flat = async (pdf: Uint8Array) => (await baked(flattenAnnotations, pdf)).pdf;

describe("annotations become content", () => {
  test("with their appearance, in their order", async () => {
    const before = annotated((builder) => {
      const [red, blue] = ["1 0 0 rg", "0 0 1 rg"].map((color) => builder.stream(`${color} 0 0 100 40 re f`, LOOK));
      return [
        `/Subtype/Stamp/Rect[20 20 120 60]/AP<</N ${red}>>`,
        `/Subtype/Stamp/Rect[60 30 260 90]/AP<</N ${blue}>>`,
      ];
    });
    const pdf = await flat(before);
    expect(new PdfJson(pdf).annotations(1)).toEqual([]);
    await expectSameLook(before, pdf);
  });

  test.each([
    ["Square", "/Rect[20 20 90 60]/C[1 0 0]/BS<</W 3>>"],
    ["Circle", "/Rect[20 20 90 60]/IC[0 1 0]"],
    ["Line", "/Rect[20 20 90 60]/L[25 25 80 55]/C[0 0 1]"],
    ["Ink", "/Rect[20 20 90 60]/InkList[[25 25 50 50 80 25]]/C[0 0 1]"],
    ["Polygon", "/Rect[20 20 90 60]/Vertices[25 25 80 25 50 50]/C[0 0 1]"],
    ["Highlight", "/Rect[20 20 90 60]/QuadPoints[20 60 90 60 20 20 90 20]/C[1 1 0]"],
    ["FreeText", "/Rect[20 20 90 60]/Contents(free)/DA(/Helv 9 Tf 0 g)"],
    ["Text", "/Rect[20 20 40 40]/Contents(note)"],
    ["FileAttachment", "/Rect[20 20 40 40]/FS(x.txt)"],
    ["Stamp", "/Rect[20 20 120 60]/Name/Draft"],
  ])("a %s without an appearance gets one", async (type, entries) => {
    expect(isBlank(await flat(one(`/Subtype/${type}${entries}`)))).toBe(false);
  });

  test("appearances are made on each page of a long document", async () => {
    const pages = 250;
    const builder = new PdfBuilder();
    for (let page = 0; page < pages; page++) {
      builder.page("%()", `/Annots[${builder.add("<</Type/Annot/Subtype/Square/Rect[20 20 90 60]/C[1 0 0]>>")}]`);
    }
    expect(uncompressed(await flat(builder.bytes())).match(/ Do Q/g)).toHaveLength(pages);
  });

  test("a dash array without a dashed border has no effect", async () => {
    const ink = (dashes: string) =>
      one(`/Subtype/Ink/Rect[20 20 90 60]/InkList[[25 25 80 25]]/C[0 0 1]/BS<</W 2${dashes}>>`);
    const [solid] = picturesOf(await flat(ink("")));
    expect(picturesOf(await flat(ink("/D[3]")))[0]).toEqual(solid);
    expect(picturesOf(await flat(ink("/S/D/D[3]")))[0]).not.toEqual(solid);
  });

  test.each([
    ["in a group", "/M gs ", "/Resources<</ExtGState<</M<</BM/Multiply>>>>>>/Group<</S/Transparency>>"],
    ["without a graphics state", "", ""],
  ])("a highlight %s does not cover its text", async (_, set, entries) => {
    const before = annotated((builder) => {
      const look = builder.stream(`${set}1 1 0 rg 0 0 100 40 re f`, `${LOOK}${entries}`);
      return [
        "/Subtype/FreeText/Rect[20 20 90 60]/Contents(below)/DA(/Helv 20 Tf 0 g)",
        `/Subtype/Highlight/Rect[20 20 120 60]/QuadPoints[20 60 120 60 20 20 120 20]/AP<</N ${look}>>`,
      ];
    });
    const after = picturesOf(await flat(before))[0]!.subarray(20);
    expect(after.some((sample) => sample < 50)).toBe(true);
  });

  test("text stays text", async () => {
    expect(pageTexts(await flat(one("/Subtype/FreeText/Rect[20 20 90 60]/Contents(free)/DA(/Helv 9 Tf 0 g)")))).toEqual(
      ["free"],
    );
  });

  test.each([
    ["a border", "/Border[0 0 2]/C[1 0 0]", false],
    ["a style", "/BS<</W 2/S/D>>", false],
    ["no border", "/Border[0 0 0]", true],
    ["neither", "", true],
  ])("a link with %s", async (_, entries, expected) => {
    const pdf = await flat(one(`/Subtype/Link/Rect[20 20 90 60]/A<</S/URI/URI(http://a.b)>>${entries}`));
    expect(isBlank(pdf)).toBe(expected);
    expect(uncompressed(pdf)).not.toContain("a.b");
  });

  test.each([
    ["hidden", "/F 2"],
    ["only printed", "/F 36"],
    ["a popup", "/Subtype/Popup"],
  ])("nothing of what screens do not show: %s", async (_, entries) => {
    const pdf = annotated((builder) => [
      `/Subtype/Square/Rect[20 20 90 60]/AP<</N ${builder.stream("0 0 100 40 re f", LOOK)}>>${entries}`.replace(
        /\/Subtype\/Square(.*\/Subtype)/,
        "$1",
      ),
    ]);
    const made = await flat(pdf);
    expect([isBlank(made), new PdfJson(made).annotations(1)]).toEqual([true, []]);
  });

  test("a note stays upright on a rotated page", async () => {
    const look = (builder: PdfBuilder) => builder.stream("1 0 0 rg 0 0 10 40 re f 0 0 1 rg 10 0 90 10 re f", LOOK);
    const before = annotated(
      (builder) => [`/Subtype/Text/Rect[100 100 150 120]/F 28/AP<</N ${look(builder)}>>`],
      "/Rotate 90",
    );
    await expectSameLook(before, await flat(before));
  });
});

test("form fields stay", async () => {
  const { pdf, notices } = await baked(flattenAnnotations, signedPdf({}));
  expect(new PdfJson(pdf).annotations(1).map((annotation) => annotation["/Subtype"])).toEqual(["/Widget"]);
  expect(pageTexts(pdf)[0]).toContain("Signed by Ann");
  expect(notices).toEqual(["1 digital signature was removed"]);
});

describe("a field below an annotation", () => {
  const covered = (look: string, entries = "", rectangle = "20 20 120 40", type = "Square") => {
    const builder = new PdfBuilder();
    const [white, own] = ["1 g 0 0 100 40 re f", look].map((content) => builder.stream(content, LOOK));
    const [field, other] = [rectangle, "150 60 190 80"].map((box) =>
      builder.add(`<</Type/Annot/Subtype/Widget/FT/Tx/T(${box})/F 4/Rect[${box}]/AP<</N ${own}>>${entries}>>`),
    );
    const cover = builder.add(`<</Type/Annot/Subtype/${type}/Rect[10 10 130 50]/F 4/AP<</N ${white}>>>>`);
    builder.catalog = `/AcroForm<</Fields[${field} ${other}]>>`;
    builder.page("%()", `/Annots[${field} ${cover} ${other}]`);
    return builder.bytes();
  };
  const fieldsOf = (pdf: Uint8Array) => {
    const json = new PdfJson(pdf);
    return [json.annotations(1).length, json.at(json.catalog, "AcroForm", "Fields").length];
  };

  test.each(["1 0 0 rg 0 0 100 40 re f", "9 w 0 0 m 100 40 l S"])("stays below: %s", async (look) => {
    const before = covered(look);
    const { pdf, notices } = await baked(flattenAnnotations, before);
    expect(fieldsOf(pdf)).toEqual([1, 1]);
    expect(notices).toEqual(["form fields below annotations were drawn, too, on 1 page: 1"]);
    await expectSameOrder(before, pdf);
  });

  test.each([
    ["it shows nothing", covered("/Tx BMC BT 0 g () Tj ET EMC")],
    ["it is hidden", covered("1 0 0 rg 0 0 100 40 re f", "/F 2")],
    ["it lies beside the annotation", covered("1 0 0 rg 0 0 100 40 re f", "", "130 20 190 40")],
    ["it has only text below a highlight", covered("BT /F 9 Tf (text) Tj ET", "", "20 20 120 40", "Highlight")],
  ])("stays a field if %s", async (_, before) => {
    const { pdf, notices } = await baked(flattenAnnotations, before);
    expect([fieldsOf(pdf), notices]).toEqual([[2, 2], []]);
  });
});

test("attached files and media are reported", async () => {
  const pdf = annotated((builder) => {
    const data = builder.stream("data", "/Type/EmbeddedFile");
    return [
      `/Subtype/FileAttachment/Rect[20 20 40 40]/FS<</Type/Filespec/F(x.txt)/UF(x.txt)/EF<</F ${data}>>>>`,
      "/Subtype/RichMedia/Rect[20 20 40 40]",
    ];
  });
  expect((await baked(flattenAnnotations, pdf)).notices).toEqual([
    "1 attachment was removed: x.txt",
    "1 multimedia annotation was removed",
  ]);
});

test("a file that the document lists stays attached", async () => {
  const builder = new PdfBuilder();
  const data = builder.stream("data", "/Type/EmbeddedFile");
  const file = builder.add(`<</Type/Filespec/F(x.txt)/UF(x.txt)/EF<</F ${data}>>>>`);
  const note = builder.add(`<</Type/Annot/Subtype/FileAttachment/Rect[20 20 40 40]/FS ${file}/AF[${file}]>>`);
  builder.catalog = `/Names<</EmbeddedFiles<</Names[(x) ${file}]>>>>`;
  builder.page("%()", `/Annots[${note}]`);
  const { pdf, notices } = await baked(flattenAnnotations, builder.bytes());
  expect(notices).toEqual([]);
  expect([...attachedTo(pdf).values()]).toEqual(["data"]);
  const json = new PdfJson(pdf);
  expect(json.at(json.catalog, "AF", 0, "UF")).toBe("u:x.txt");
});

test("a tagged link becomes a span of its text", async () => {
  const builder = new PdfBuilder();
  const [root, part, link, page] = [builder.reserve(), builder.reserve(), builder.reserve(), builder.reserve()];
  const annotation = builder.add("<</Type/Annot/Subtype/Link/Rect[20 20 90 60]/Border[0 0 0]/StructParent 1>>");
  builder.set(root, `<</Type/StructTreeRoot/K ${part}/ParentTree<</Nums[0[${link}]1 ${link}]>>/ParentTreeNextKey 2>>`);
  builder.set(part, `<</Type/StructElem/S/P/P ${root}/K[${link}]>>`);
  builder.set(link, `<</Type/StructElem/S/Link/P ${part}/Pg ${page}/K[0<</Type/OBJR/Obj ${annotation}>>]>>`);
  builder.catalog = `/MarkInfo<</Marked true>>/StructTreeRoot ${root}`;
  builder.page(
    "/Link<</MCID 0>>BDC BT /F 9 Tf 20 30 Td (here) Tj ET EMC",
    `/Annots[${annotation}]/StructParents 0`,
    "",
    page,
  );
  const json = new PdfJson((await baked(flattenAnnotations, builder.bytes())).pdf);
  const tree = json.at(json.catalog, "StructTreeRoot");
  expect(json.at(tree, "K", "K", 0)).toMatchObject({ "/S": "/Span", "/K": [0] });
  expect([...json.tree(tree["/ParentTree"]).keys()]).toEqual(["0"]);
});

test.for(HOSTILE_PDFS)("$name has an answer", async ({ bytes }) => {
  const outcome = await reasonOf(async () => {
    for await (const output of flattenAnnotations.run([inputOf(bytes())], {}, CONTEXT)) await bytesOf(output);
  });
  expect(["none", "too-large", "damaged", "too-complex", "too-much-content"]).toContain(outcome);
});
