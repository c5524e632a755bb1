// Contract: docs/api.md#flattened-layers-pdf
import { describe, expect, test } from "vitest";
import { flattenLayers } from "../../../src/operations/flatten-layers.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { baked, expectSameLook } from "../../support/baked.ts";
import { distances } from "../../support/flattened.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, reasonOf } from "../../support/operations.ts";
import { PdfJson } from "../../support/pdf-json.ts";
import { pageTexts, uncompressed } from "../../support/pdf-readers.ts";

interface Layered {
  readonly content: string;
  /** Resources except Font and Properties. */
  readonly resources?: (builder: PdfBuilder, layers: Layers) => string;
  readonly page?: (builder: PdfBuilder, layers: Layers) => string;
  readonly configuration?: (layers: Layers) => string;
  readonly catalog?: (builder: PdfBuilder, layers: Layers) => string;
}
interface Layers {
  readonly on: string;
  readonly off: string;
  /** A membership that is visible if one of both layers is visible. */
  readonly either: string;
}

/** Returns a page with the layers On and Off, and the membership Either. */
function layered({ content, resources, page, configuration, catalog }: Layered): Uint8Array {
  const builder = new PdfBuilder();
  const [on, off] = ["On", "Off"].map((name) => builder.add(`<</Type/OCG/Name(${name})>>`)) as [string, string];
  const layers = { on, off, either: builder.add(`<</Type/OCMD/OCGs[${on} ${off}]/P/AnyOn>>`) };
  const state = configuration?.(layers) ?? `/OFF[${off}]`;
  const more = catalog?.(builder, layers) ?? "";
  builder.catalog = `/OCProperties<</OCGs[${on} ${off}]/D<<${state}>>>>${more}`;
  const properties = `/Properties<</On ${on}/Off ${off}/Either ${layers.either}>>`;
  builder.page(content, page?.(builder, layers), `${properties}${resources?.(builder, layers) ?? ""}`);
  return builder.bytes();
}
const text = (value: string, y = 100) => `BT /F 18 Tf 20 ${y} Td (${value}) Tj ET `;
const inLayer = (layer: string, content: string) => `/OC /${layer} BDC ${content}EMC `;

/** Returns the text that is left, after checking that no layer is left. */
async function textWithoutLayers(before: Uint8Array): Promise<string> {
  const { pdf } = await baked(flattenLayers, before);
  expect(uncompressed(pdf)).not.toMatch(/OCProperties|\/OCG|\/OCMD|\/OC |SECRET/);
  await expectSameLook(before, pdf);
  return pageTexts(pdf)[0]!;
}

describe("hidden content goes, visible content stays", () => {
  test.each([
    ["marked content", inLayer("On", text("A", 150)) + inLayer("Off", text("SECRET")) + text("B", 50)],
    [
      "nested layers",
      inLayer("On", text("A", 150) + inLayer("Off", text("SECRET") + inLayer("On", text("SECRET"))) + text("B", 50)),
    ],
    ["a membership", inLayer("Either", text("A", 150)) + text("B", 50)],
    [
      "tags with alternative texts",
      `${text("A", 150)}${inLayer("Off", `/Span<</ActualText(SECRET)>>BDC ${text("x")}EMC `)}${text("B", 50)}`,
    ],
    ["tags around a layer", `${text("A", 150)}/P <</MCID 0>>BDC ${inLayer("Off", text("SECRET"))}${text("B", 50)}EMC`],
    [
      "paths and images",
      `${text("A", 150)}${inLayer("Off", "0 0 99 99 re f BI /W 1 /H 1 /BPC 8 /CS /G ID x EI ")}${text("B", 50)}`,
    ],
  ])("in %s", async (_, content) => {
    expect(await textWithoutLayers(layered({ content }))).toMatch(/^A\s+B$/);
  });

  test("in forms, with their own resources or those of the page", async () => {
    const pdf = layered({
      content: `${text("A", 150)}/Own Do /Bare Do /Gone Do`,
      resources: (builder, { on, off }) => {
        const box = "/Type/XObject/Subtype/Form/BBox[0 0 300 200]";
        const content = inLayer("Off", text("SECRET")) + inLayer("On", text("B", 50));
        const own = builder.stream(
          content,
          `${box}/OC ${on}/Resources<</Font<</F 3 0 R>>/Properties<</On ${on}/Off ${off}>>>>`,
        );
        const bare = builder.stream(inLayer("Off", text("SECRET")), box);
        const gone = builder.stream(text("SECRET"), `${box}/OC ${off}/Resources<</Font<</F 3 0 R>>>>`);
        return `/XObject<</Own ${own}/Bare ${bare}/Gone ${gone}>>`;
      },
    });
    expect(await textWithoutLayers(pdf)).toMatch(/^A\s+B$/);
  });

  test("in annotations, whose fields and tags go with them", async () => {
    const pdf = layered({
      content: text("A", 150),
      page: (builder, { on, off }) => {
        const look = builder.stream("0 0 20 20 re f", "/Subtype/Form/BBox[0 0 20 20]");
        const field = (name: string, layer: string) =>
          builder.add(
            `<</Type/Annot/Subtype/Widget/FT/Tx/T(${name})/OC ${layer}/F 4/Rect[20 20 40 40]/AP<</N ${look}>>>>`,
          );
        const fields = `${field("SECRET", off)} ${field("shown", on)}`;
        builder.catalog += `/AcroForm<</Fields[${fields}]>>`;
        return `/Annots[${fields}]`;
      },
    });
    const { pdf: made } = await baked(flattenLayers, pdf);
    expect(new PdfJson(made).annotations(1).map((annotation) => annotation["/T"])).toEqual(["u:shown"]);
  });

  test.each([
    ["a word", "(SECRET) Tj "],
    ["words with spacing", "2 Tc 3 Tw [(SEC) 120 (RET SECRET)] TJ "],
    ["text of a line with spacing", '4 1 (SECRET SECRET) " '],
  ])("visible text stays in its place after %s that is hidden", async (_, hidden) => {
    const before = layered({ content: `BT /F 18 Tf 20 TL 20 100 Td ${inLayer("Off", hidden)}(B) Tj ET` });
    const { pdf } = await baked(flattenLayers, before);
    expect(uncompressed(pdf)).not.toContain("SECRET");
    // MuPDF does not advance by hidden text.
    expect((await distances(before, pdf, 1, 72)).poppler).toBeLessThan(0.5);
  });

  test.each([
    ["the base state", ({ on }: Layers) => `/BaseState/OFF/ON[${on}]`],
    ["the usage for viewing", ({ off }: Layers) => `/AS[<</Event/View/Category[/View]/OCGs[${off}]>>]/OFF[${off}]`],
  ])("by %s", async (_, configuration) => {
    const content = inLayer("On", text("A", 150)) + inLayer("Off", text("SECRET"));
    expect(await textWithoutLayers(layered({ content, configuration }))).toBe("A");
  });

  test("actions that switch layers do nothing", async () => {
    const pdf = layered({
      content: text("A"),
      catalog: (_, { on }) => `/OpenAction<</S/SetOCGState/State[/OFF ${on}]>>`,
    });
    expect(await textWithoutLayers(pdf)).toBe("A");
  });
});

test("a tagged page loses the tags of hidden content", async () => {
  const builder = new PdfBuilder();
  const [root, part, shown, hidden, page] = Array.from({ length: 5 }, () => builder.reserve()) as [string, ...string[]];
  const off = builder.add("<</Type/OCG/Name(Off)>>");
  builder.set(
    root,
    `<</Type/StructTreeRoot/K ${part}/ParentTree<</Nums[0[${shown} ${hidden}]]>>/ParentTreeNextKey 1>>`,
  );
  builder.set(part!, `<</Type/StructElem/S/Part/P ${root}/K[${shown} ${hidden}]>>`);
  builder.set(shown!, `<</Type/StructElem/S/P/P ${part}/Pg ${page}/K 0>>`);
  builder.set(hidden!, `<</Type/StructElem/S/Figure/Alt(SECRET)/P ${part}/Pg ${page}/K 1>>`);
  builder.catalog = `/OCProperties<</OCGs[${off}]/D<</OFF[${off}]>>>>/MarkInfo<</Marked true>>/StructTreeRoot ${root}`;
  const content = `/P<</MCID 0>>BDC ${text("A")}EMC ${inLayer("Off", `/Figure<</MCID 1>>BDC ${text("SECRET")}EMC `)}`;
  builder.page(content, "/StructParents 0", `/Properties<</Off ${off}>>`, page);
  const { pdf } = await baked(flattenLayers, builder.bytes());
  expect(uncompressed(pdf)).not.toContain("SECRET");
  const json = new PdfJson(pdf);
  expect(json.at(json.catalog, "StructTreeRoot", "K", "K")).toHaveLength(1);
});

test("a document without layers stays as it is", async () => {
  const builder = new PdfBuilder();
  builder.page("plain");
  const before = builder.bytes();
  const { pdf, notices } = await baked(flattenLayers, before);
  expect([pageTexts(pdf), notices]).toEqual([["plain"], []]);
});

test.for(HOSTILE_PDFS)("$name has an answer", async ({ bytes }) => {
  const outcome = await reasonOf(async () => {
    for await (const output of flattenLayers.run([inputOf(bytes())], {}, CONTEXT)) await bytesOf(output);
  });
  expect(["none", "too-large", "damaged", "too-complex", "too-much-content"]).toContain(outcome);
});
