// Looks at pages laid for a printer with poppler: where their content is, and which annotations are drawn.
// Contract: docs/api.md#postscript
import { expect, test } from "vitest";
import { type LayPrintPagesParams, layPrintPages } from "../../../src/operations/lay-print-pages.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { bytesOf, CONTEXT, inputOf } from "../../support/operations.ts";
import { infoOf, pageTexts, qpdfComplaints } from "../../support/pdf-readers.ts";
import { type Picture, pixel, popplerPage } from "../../support/pictures.ts";

const USUAL: LayPrintPagesParams = {
  ...{ pages: { text: "all", items: [{ first: 1, last: "last" }] }, printAnnotations: true, rotate: false },
  ...{ scale: 1, shrinkToFit: false },
};

/** A page of 300 x 200 points, with a red square in its lower left corner, and annotations in the others. */
function sample(): Uint8Array {
  const builder = new PdfBuilder();
  const annotation = (flags: number, rectangle: string, color: string, subtype = "Square") => {
    const look = builder.stream(`${color} rg 0 0 40 40 re f`, "/Type/XObject/Subtype/Form/BBox[0 0 40 40]");
    const field = subtype === "Widget" ? "/FT/Btn/T(a)" : "";
    return builder.add(`<</Subtype/${subtype}${field}/F ${flags}/Rect[${rectangle}]/AP<</N ${look}>>>>`);
  };
  const annotations = [
    annotation(4, "260 160 300 200", "0 1 0"),
    annotation(0, "0 160 40 200", "0 0 1"),
    annotation(4 + 32, "260 0 300 40", "0 1 1"),
    annotation(4, "130 160 170 200", "1 0 1", "Widget"),
  ];
  builder.page("1 0 0 rg 0 0 40 40 re f BT /F 12 Tf 100 100 Td (First) Tj ET", `/Annots[${annotations.join(" ")}]`);
  builder.page("Second", "/Rotate 90");
  builder.catalog = `/AcroForm<</Fields[${annotations[3]}]>>`;
  return builder.bytes();
}

async function laid(params: Partial<LayPrintPagesParams> = {}) {
  for await (const output of layPrintPages.run([inputOf(sample())], { ...USUAL, ...params }, CONTEXT)) {
    const made = await bytesOf(output);
    expect(qpdfComplaints(made)).toBe("");
    const picture = await popplerPage(made, 1, 72);
    return { made, picture, size: [picture.width, picture.height] };
  }
  throw new Error("no output");
}

/** Returns the colors of points, in points from the top left corner; 0 is white. */
const colors = (picture: Picture, ...points: (readonly [number, number])[]) =>
  points.map(([x, y]) => (pixel(picture, x, y).map((value) => (value > 127 ? 0 : 1)) as number[]).join(""));
const CORNERS = [
  [20, 180],
  [280, 20],
  [20, 20],
  [280, 180],
  [150, 20],
] as const;
const [RED, GREEN, WHITE, CYAN, MAGENTA] = ["011", "101", "000", "100", "010"];

test("pages keep their size and turn, with the annotations that are printed", async () => {
  const { made, picture, size } = await laid();
  expect(size).toEqual([300, 200]);
  expect(colors(picture, ...CORNERS)).toEqual([RED, GREEN, WHITE, CYAN, MAGENTA]);
  expect(pageTexts(made).map((text) => text.trim())).toEqual(["First", "Second"]);
  const second = await popplerPage(made, 2, 72);
  expect([second.width, second.height]).toEqual([200, 300]);
});

test("without annotations, form fields stay; the selection has its own order", async () => {
  const pages = { text: "2,1", items: [2, 1].map((one) => ({ first: one, last: one })) };
  const { made } = await laid({ printAnnotations: false, pages });
  expect(pageTexts(made).map((text) => text.trim())).toEqual(["Second", "First"]);
  expect(colors(await popplerPage(made, 2, 72), ...CORNERS)).toEqual([RED, WHITE, WHITE, WHITE, MAGENTA]);
});

test("rotate turns the paper, too; scale is about the center, and cuts off", async () => {
  const turned = await laid({ rotate: true });
  expect(turned.size).toEqual([200, 300]);
  expect(colors(turned.picture, [20, 20], [180, 280])).toEqual([RED, GREEN]);
  const half = await laid({ scale: 0.5 });
  expect([half.size, colors(half.picture, [20, 180], [80, 145])]).toEqual([
    [300, 200],
    [WHITE, RED],
  ]);
  const double = await laid({ scale: 2 });
  expect([double.size, colors(double.picture, ...CORNERS)]).toEqual([[300, 200], Array(5).fill(WHITE)]);
});

test("paper: pages in the center, smaller only on request", async () => {
  const a5 = await laid({ pageSize: "A5", scale: 3 });
  expect(infoOf(a5.made)["Page size"]).toContain("595.276 x 419.528 pts");
  expect(colors(a5.picture, [20, 400])).toEqual([WHITE]);
  const fitted = await laid({ pageSize: "A5", scale: 3, shrinkToFit: true });
  expect(colors(fitted.picture, [20, 390], [575, 30])).toEqual([RED, GREEN]);
  const small = await laid({ pageSize: "A5", shrinkToFit: true });
  expect(colors(small.picture, [20, 390], [160, 300])).toEqual([WHITE, RED]);
});
