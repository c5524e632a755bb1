// Looks at sheets with poppler and MuPDF's own program: which page is at which place, and how it is turned.
// Contract: docs/api.md#imposed-pdf
import { describe, expect, test } from "vitest";
import { type ImposePagesParams, imposePages } from "../../../src/operations/impose-pages.ts";
import { noticeSentences } from "../../../src/service/http/responses/notices.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { mutoolPage } from "../../support/flattened.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, reasonOf } from "../../support/operations.ts";
import { PdfJson } from "../../support/pdf-json.ts";
import { infoOf, pageTexts, qpdfComplaints, uncompressed } from "../../support/pdf-readers.ts";
import { type Picture, pixel, popplerPage } from "../../support/pictures.ts";

const ALL = { text: "all", items: [{ first: 1, last: "last" }] } as const;
const pages = (...numbers: number[]) => ({
  text: numbers.join(),
  items: numbers.map((one) => ({ first: one, last: one })),
});

async function imposed(pdf: Uint8Array, params: Partial<ImposePagesParams> = {}) {
  const usual: ImposePagesParams = { layout: "2-up", pages: ALL, margin: 0, gap: 0, ...params };
  for await (const output of imposePages.run([inputOf(pdf)], usual, CONTEXT)) {
    const made = await bytesOf(output);
    expect(qpdfComplaints(made)).toBe("");
    return { made, notices: noticeSentences(output.notices!()) };
  }
  throw new Error("no output");
}

/** Colors of pages: red, green, blue, and so on. */
const COLORS = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 0],
  [0, 255, 255],
  [255, 0, 255],
  [0, 0, 0],
  [128, 128, 128],
];
function colored(count: number, box = "0 0 200 300"): Uint8Array {
  const builder = new PdfBuilder();
  for (let index = 0; index < count; index++) {
    const color = COLORS[index]!.map((value) => value / 255).join(" ");
    builder.page(`${color} rg 0 0 900 900 re f BT /F 1 Tf 5 5 Td (P${index + 1}) Tj ET`, `/MediaBox[${box}]`);
  }
  return builder.bytes();
}
const near = (one: readonly number[], other: readonly number[]) =>
  one.every((value, index) => Math.abs(value - other[index]!) < 12);
/** Returns the number of the page that covers a point, given as fractions from the top left corner; 0 for none. */
function pageAt(picture: Picture, x: number, y: number): number {
  const found = pixel(picture, Math.floor(x * picture.width), Math.floor(y * picture.height));
  return COLORS.findIndex((color) => near(color, found)) + 1;
}

test.each([
  [
    "2-up",
    3,
    [
      [1, 2],
      [3, 0],
    ],
    "300 x 200",
  ],
  [
    "4-up",
    5,
    [
      [1, 2, 3, 4],
      [5, 0, 0, 0],
    ],
    "200 x 300",
  ],
  ["8-up", 8, [[1, 2, 3, 4, 5, 6, 7, 8]], "300 x 200"],
  [
    "booklet",
    6,
    [
      [0, 1],
      [2, 0],
      [6, 3],
      [4, 5],
    ],
    "300 x 200",
  ],
] as const)("%s has %i pages at their places", async (layout, count, sheets, size) => {
  const { made } = await imposed(colored(count), { layout });
  expect(infoOf(made)).toMatchObject({ Pages: String(sheets.length), "Page size": expect.stringContaining(size) });
  const [columns, rows] = { "2-up": [2, 1], "4-up": [2, 2], "8-up": [4, 2], booklet: [2, 1] }[layout] as [
    number,
    number,
  ];
  for (const [index, expected] of sheets.entries()) {
    const picture = await popplerPage(made, index + 1, 36);
    const found = expected.map((_, at) =>
      pageAt(picture, ((at % columns) + 0.5) / columns, (Math.floor(at / columns) + 0.5) / rows),
    );
    expect(found).toEqual([...expected]);
  }
});

test("pages have the order of the selection, each is in the file once, and those not selected are not in it", async () => {
  const { made } = await imposed(colored(4), { pages: pages(3, 1, 3) });
  expect(pageTexts(made).map((text) => text.split(/\s+/))).toEqual([["P3", "P1"], ["P3"]]);
  expect(uncompressed(made).match(/\/Subtype \/Form/g)).toHaveLength(2);
  expect(uncompressed(made)).not.toMatch(/\(P[24]\)/);
});

test("sheets have the size, orientation, margins and gaps", async () => {
  const params = { pageSize: "A4", pageOrientation: "portrait", margin: 50, gap: 40 } as const;
  const { made } = await imposed(colored(2, "0 0 400 300"), params);
  expect(infoOf(made)["Page size"]).toContain("595.276 x 841.89");
  const picture = await mutoolPage(made, 1, 72);
  const at = (x: number, y: number) => pageAt(picture, x / 595, y / 842);
  expect([at(298, 300), at(298, 541), at(298, 420), at(20, 300), at(298, 20)]).toEqual([1, 2, 0, 0, 0]);
  await expect(imposed(colored(1), { margin: 150 })).rejects.toMatchObject({ parameter: "margin" });
  await expect(imposed(colored(1), { margin: 10, gap: 300 })).rejects.toMatchObject({ parameter: "gap" });
});

describe("a page looks as it is shown", () => {
  /** A red square in the upper left corner of the page as it is shown, which is green otherwise. */
  const corner = (entries: string, square: string) => {
    const builder = new PdfBuilder();
    builder.page(`0 1 0 rg -900 -900 2800 2800 re f 1 0 0 rg ${square} re f BT /F 1 Tf 900 900 Td (x) Tj ET`, entries);
    return builder.bytes();
  };
  test.each([
    ["plain", "/MediaBox[0 0 200 300]", "0 200 100 100"],
    ["moved", "/MediaBox[-50 30 150 330]", "-50 230 100 100"],
    ["cropped", "/MediaBox[0 0 600 600]/CropBox[100 50 300 350]", "100 250 100 100"],
    ["turned by 90", "/MediaBox[0 0 300 200]/Rotate 90", "0 0 100 100"],
    ["turned by 180", "/MediaBox[0 0 200 300]/Rotate 180", "100 0 100 100"],
    ["turned by 270", "/MediaBox[0 0 300 200]/Rotate 270", "200 100 100 100"],
    ["with a UserUnit", "/MediaBox[0 0 100 150]/UserUnit 2", "0 100 50 50"],
  ])("%s", async (_, entries, square) => {
    const { made } = await imposed(corner(entries, square), { pageSize: "A4" });
    // The page is 396.9 x 595.3 points of the left half of the sheet, 420.9 points wide.
    for (const picture of [await popplerPage(made, 1, 36), await mutoolPage(made, 1, 36)]) {
      const at = (x: number, y: number) => pageAt(picture, (12 + x) / 841.89, y / 595.276);
      expect([at(20, 20), at(180, 180), at(220, 20), at(20, 220), at(380, 580)]).toEqual([1, 1, 2, 2, 2]);
    }
  });

  test("with annotations and fields", async () => {
    const builder = new PdfBuilder();
    const look = builder.stream("0 0 1 rg 0 0 100 100 re f", "/Type/XObject/Subtype/Form/BBox[0 0 100 100]");
    const field = `<</Subtype/Widget/FT/Tx/T(a)/F 4/Rect[100 100 200 200]/AP<</N ${look}>>>>`;
    const widget = builder.add(field);
    builder.page("x", `/MediaBox[0 0 300 300]/Annots[${widget}]`);
    builder.catalog = `/AcroForm<</Fields[${widget}]>>`;
    const { made } = await imposed(builder.bytes());
    expect(pageAt(await popplerPage(made, 1, 72), 0.25, 0.5)).toBe(3);
    expect(uncompressed(made)).not.toMatch(/AcroForm|Widget/);
  });
});

test("links move with their pages, and what leads to a page leads to its sheet", async () => {
  const builder = new PdfBuilder();
  const [one, two, three] = [builder.reserve(), builder.reserve(), builder.reserve()];
  const link = (goal: string) => `<</Subtype/Link/Rect[0 0 100 50]${goal}>>`;
  builder.page("One", `/Annots[${link(`/Dest[${three}/XYZ 9 9 0]`)}]`, "", one);
  builder.page("Two", `/Annots[${link("/A<</S/URI/URI(https://example.org/)>>")}]`, "", two);
  builder.page("Three", "", "", three);
  const item = builder.reserve();
  const outline = builder.add(`<</First ${item}/Last ${item}/Count 1>>`);
  builder.set(item, `<</Title(Second)/Parent ${outline}/Dest[${two}/FitH 9]>>`);
  builder.catalog = `/Outlines ${outline}/PageLabels<</Nums[0<</S/r>>]>>/StructTreeRoot<</Type/StructTreeRoot>>`;
  const { made } = await imposed(builder.bytes(), { pageSize: "A4" });
  const { json } = new PdfJson(made);
  expect(json.outlines[0]).toMatchObject({ title: "Second", destpageposfrom1: 1 });
  const text = uncompressed(made);
  expect(text).not.toMatch(/PageLabels|StructTreeRoot|XYZ|FitH/);
  const rectangles = [...text.matchAll(/\/Rect \[\s*([^\]]*)\]/g)].map(([, numbers]) =>
    numbers!.trim().split(/\s+/).map(Number),
  );
  // Pages of 300 x 200 points become 420.9 points wide.
  expect(rectangles.map((rectangle) => rectangle.map(Math.round))).toEqual([
    [0, 157, 140, 227],
    [421, 157, 561, 227],
  ]);
});

test.for(HOSTILE_PDFS.filter(({ name }) => /tree|array|million|without/.test(name)))(
  "$name has an answer",
  async ({ bytes }) => {
    const outcome = await reasonOf(() => imposed(bytes()));
    expect(["none", "too-large", "damaged", "too-complex", "too-much-content"]).toContain(outcome);
  },
);
