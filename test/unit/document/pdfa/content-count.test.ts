// Tests nested forms whose content multiplies: documents that no validator could finish are rejected before the
// validation.
import { describe, expect, test } from "vitest";
import type { ContentWork } from "../../../../src/document/pdfa/content/content-count.ts";
import { countContent } from "../../../../src/operations/pdfa-steps/count-content.ts";
import { repairPdfa } from "../../../../src/operations/pdfa-steps/repair-pdfa.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { CONTEXT, outputsOf } from "../../../support/operations.ts";

/** Returns nested forms, each of which is drawn the given number of times by the form around it. */
function nestedForms(depth: number, times: number, isEndless = false): Uint8Array {
  const builder = new PdfBuilder();
  const innermost = builder.reserve();
  const form = (content: string, inner: string) =>
    `<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X ${inner}>>>>/Length ${content.length}>>stream\n${content}\nendstream`;
  let outer = innermost;
  for (let level = 1; level < depth; level++) outer = builder.add(form("/X Do ".repeat(times), outer));
  builder.set(innermost, isEndless ? form("/X Do /X Do", outer) : form("0 0 9 9 re f", "null"));
  builder.page("0 0 9 9 re f q /X Do Q (", "", `/XObject<</X ${outer}>>`);
  return builder.bytes();
}
/** Returns the cost of validating the repaired document, as the repair reports it. */
async function repaired(pdf: Uint8Array): Promise<ContentWork> {
  const params = { level: { part: 2, conformance: "b" }, failures: [] } as const;
  const [made, work] = await outputsOf(repairPdfa, [pdf], params, CONTEXT);
  expect(made!.length).toBeGreaterThan(0);
  return JSON.parse(Buffer.from(work!).toString());
}
async function counted(pdf: Uint8Array): Promise<ContentWork> {
  const [work] = await outputsOf(countContent, [pdf], {}, CONTEXT);
  return JSON.parse(Buffer.from(work!).toString());
}

describe("forms in forms", () => {
  test("a thousand times a thousand is no obstacle", async () => {
    const pdf = nestedForms(3, 1000);
    const { ms } = await repaired(pdf);
    // The inner form is used a million times.
    expect([ms > 20_000, ms < 40_000]).toEqual([true, true]);
    expect((await counted(pdf)).ms).toBeCloseTo(ms, -1);
  });

  test("ten levels of ten are, and a hundred of two", async () => {
    for (const pdf of [nestedForms(10, 10), nestedForms(100, 2)]) {
      await expect(repaired(pdf)).rejects.toMatchObject({ reason: "too-much-content" });
      await expect(outputsOf(countContent, [pdf], {}, CONTEXT)).rejects.toMatchObject({ reason: "too-much-content" });
    }
  });

  test("a form inside of itself is nothing there", async () => {
    expect((await counted(nestedForms(5, 2, true))).ms).toBeLessThan(10);
  });
});

/** The content of each drawn object, and the number of times that it is drawn. */
const SQUARES = "0 0 9 9 re f ".repeat(500);
const TIMES = 100;
const USES: Readonly<Record<string, (builder: PdfBuilder) => void>> = {
  form(builder) {
    const form = builder.stream(SQUARES, "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<>>");
    builder.page(`) Tj ET ${"/X Do ".repeat(TIMES)} BT (`, "", `/XObject<</X ${form}>>`);
  },
  pattern(builder) {
    const entries = "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>";
    const pattern = builder.stream(SQUARES, entries);
    const content = "/X scn 0 0 9 9 re f ".repeat(TIMES);
    builder.page(`) Tj ET /Pattern cs ${content} BT (`, "", `/Pattern<</X ${pattern}>>`);
  },
  glyph(builder) {
    const glyph = builder.stream(`9 0 0 0 9 9 d1 ${SQUARES}`);
    const font = builder.add(
      `<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 97/LastChar 97/Widths[9]/Encoding<</Differences[97/a]>>/CharProcs<</a ${glyph}>>/Resources<<>>>>`,
    );
    // Each of the strings shows the glyph four times.
    builder.page(`) Tj /T 9 Tf ${"q (aaaa) Tj Q ".repeat(TIMES)} (`, "", `/Font<</T ${font}>>`);
  },
  appearance(builder) {
    const form = builder.stream(SQUARES, "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<>>");
    const annotation = () => builder.add(`<</Type/Annot/Subtype/Square/F 4/Rect[0 0 9 9]/AP<</N ${form}>>>>`);
    builder.page("x", `/Annots[${Array.from({ length: TIMES }, annotation).join(" ")}]`);
  },
};

test.each(Object.entries(USES))("a %s counts as often as it is used", async (_, make) => {
  const builder = new PdfBuilder();
  make(builder);
  const { ms } = await repaired(builder.bytes());
  expect([ms > 200, ms < 400]).toEqual([true, true]);
});

test("what an operator has to say counts, and images in the content count most", async () => {
  const work = (content: string) => {
    const builder = new PdfBuilder();
    builder.page(`) Tj ET ${content} BT (`);
    return repaired(builder.bytes());
  };
  const saves = await work("q Q ".repeat(1000));
  const curves = await work("1 2 3 4 5 6 c ".repeat(2000));
  const images = await work("BI /W 1 /H 1 /BPC 8 /CS /G ID x EI ".repeat(2000));
  expect(curves.ms).toBeGreaterThan(saves.ms * 4);
  expect(images.bytes).toBeGreaterThan(curves.bytes * 10);
});

test(
  "a page of half a million operators is read in time that grows with " + "it, one of two million curves is refused",
  async () => {
    const page = (operation: string, times: number) => {
      const builder = new PdfBuilder();
      builder.page(`) Tj ET ${operation.repeat(times)} BT (`);
      return builder.bytes();
    };
    expect((await repaired(page("0 0 m 9 9 l S 0 g ", 125_000))).bytes).toBeGreaterThan(2 ** 27);
    await expect(repaired(page("1 2 3 4 5 6 c ", 2_000_000))).rejects.toMatchObject({ reason: "too-much-content" });
  },
);
