// Compares the pixels of pages before and after, and reads the tags with qpdf.
// Contract: docs/api.md#pdf-with-added-shapes
import { describe, expect, test } from "vitest";
import { OutOfRange } from "../../../src/document/contract/failure.ts";
import { type AddShapesParams, addShapes } from "../../../src/operations/add-shapes.ts";
import { AWKWARD_PAGES, pageWith } from "../../fixtures/awkward-pages.ts";
import { labeledPdf } from "../../fixtures/pdfs.ts";
import { drawn, expectChange } from "../../support/changed-pixels.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { outputsOf, reasonOf } from "../../support/operations.ts";
import { pageTexts, qpdfComplaints, uncompressed } from "../../support/pdf-readers.ts";

type Shapes = AddShapesParams["shapeObjects"];
const shapesOf = (value: unknown): Shapes =>
  addShapes.parameters.shapeObjects.kind.read(JSON.stringify(value)) as Shapes;

async function shaped(pdf: Uint8Array, value: unknown, more: Partial<AddShapesParams> = {}) {
  const shapeObjects = addShapes.parameters.shapeObjects.kind.value.parse(shapesOf(value));
  const [made] = await outputsOf(addShapes, [pdf], { shapeObjects, tagEnabled: false, ...more });
  expect(qpdfComplaints(made!)).toBe("");
  return made!;
}
/** Returns the color of a point of the first page, as poppler draws it. */
function colorAt(pdf: Uint8Array, x: number, y: number): number[] {
  const { width, height, samples } = drawn(pdf, 1).poppler;
  const at = 3 * (width * (height - 1 - Math.round(2 * y)) + Math.round(2 * x));
  return [...samples.subarray(at, at + 3)];
}

const RED = { stroke_color_rgb: "255,0,0" };
const box = { type: "rectangle", page: 1, x: 30, y: 40, width: 100, height: 50 };

describe("positions are those of the page as it is shown", () => {
  test.each(AWKWARD_PAGES)("%s", async (_, pdf) => {
    expectChange(pdf, await shaped(pdf, { ...box, ...RED, stroke_width: 4 }), [28, 38, 132, 92]);
  });

  test("a line has its width on both sides", async () => {
    const pdf = pageWith("");
    const line = { type: "line", page: "1", x1: "150", y1: 150, x2: "50", y2: 150, ...RED, stroke_width: "6" };
    expectChange(pdf, await shaped(pdf, line), [50, 147, 150, 153]);
  });

  test("all pages show the shape, and keep their text", async () => {
    const pdf = await labeledPdf("P", 3);
    const made = await shaped(pdf, [{ ...box, ...RED, page: "all" }]);
    expect(pageTexts(made)).toEqual(pageTexts(pdf));
    for (const page of [1, 2, 3]) expectChange(pdf, made, [29.5, 39.5, 130.5, 90.5], page);
  });
});

describe("the look", () => {
  const blank = pageWith("", "");

  test.each([
    ["RGB", { fill_color_rgb: [0, 128, 255] }, [0, 128, 255]],
    ["CMYK", { fill_color_cmyk: "0,0,0,100" }, [44, 46, 53]],
    ["half opacity", { fill_color_rgb: "255,0,0", opacity: 0.5 }, [255, 128, 128]],
  ])("an area in %s", async (_, look, expected) => {
    const found = colorAt(await shaped(blank, { ...box, ...look }), 80, 65);
    for (const [channel, value] of found.entries()) expect(Math.abs(value - expected[channel]!)).toBeLessThan(56);
  });

  test("border and area have one opacity", async () => {
    const look = { ...RED, fill_color_rgb: "255,0,0", stroke_width: 10, opacity: 0.5 };
    const made = await shaped(blank, { ...box, ...look });
    expect(colorAt(made, 33, 65)).toEqual(colorAt(made, 80, 65));
  });
});

describe("tags", () => {
  test("a shape is an artifact, or an element with an alternative text", async () => {
    const pdf = pageWith("");
    expect(uncompressed(await shaped(pdf, { ...box, ...RED }))).not.toContain("StructElem");
    const value = [
      { ...box, ...RED, tag_alt_text: "A box" },
      { ...box, ...RED, tag_is_artifact: true },
    ];
    const text = uncompressed(await shaped(pdf, value, { tagEnabled: true, tagLanguage: "en" }));
    expect(text.match(/\/S \/Figure/g)).toHaveLength(1);
    expect(text).toMatch(/\/Alt \(A box\)/);
    expect(text).toMatch(/\/Lang \(en\)/);
  });

  test("members about tags require tag_enabled", async () => {
    const tagged = shaped(pageWith(""), { ...box, ...RED, tag_alt_text: "A" });
    await expect(tagged).rejects.toMatchObject({
      parameter: "shapeObjects.0.tag_alt_text",
      why: "It requires tag_enabled.",
    });
  });
});

test.each([
  [{ ...box }],
  [{ ...box, ...RED, stroke_color_cmyk: "0,0,0,0" }],
  [{ ...box, fill_color_rgb: "0,0,0", fill_color_cmyk: "0,0,0,0" }],
  [{ ...box, ...RED, width: 0 }],
  [{ ...box, ...RED, stroke_width: 0 }],
  [{ ...box, ...RED, opacity: 2 }],
  [{ type: "line", page: 1, x1: 0, y1: 0, x2: 1, y2: 1 }],
  [{ type: "circle", page: 1, x: 0, y: 0, ...RED }],
  [[]],
])("%j is out of range", (value) => {
  expect(addShapes.parameters.shapeObjects.kind.value.safeParse(shapesOf(value)).success).toBe(false);
});

test("a page that does not exist is out of range", async () => {
  await expect(shaped(pageWith(""), { ...box, ...RED, page: 2 })).rejects.toBeInstanceOf(OutOfRange);
});

test.each(HOSTILE_PDFS.map((one) => [one.name, one] as const))("hostile: %s", async (_, { bytes }) => {
  const shapeObjects = addShapes.parameters.shapeObjects.kind.value.parse([{ ...box, ...RED }]) as Shapes;
  const reason = await reasonOf(async () => outputsOf(addShapes, [await bytes()], { shapeObjects, tagEnabled: false }));
  expect(["none", "damaged", "too-large", "too-complex"]).toContain(reason);
});
