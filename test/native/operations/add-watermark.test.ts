// Tests that two other engines see watermarks within half a point of their position, over or behind the page.
// Contract: docs/api.md#watermarked-pdf
import { describe, expect, test } from "vitest";
import { parsePages } from "../../../src/document/contract/pages.ts";
import { type AddWatermarkParams, addWatermark } from "../../../src/operations/add-watermark.ts";
import { AWKWARD_PAGES, pageWith } from "../../fixtures/awkward-pages.ts";
import { encrypted, labeledPdf } from "../../fixtures/pdfs.ts";
import { changed, drawn, expectChange } from "../../support/changed-pixels.ts";
import { HOSTILE_PDFS, pdfOf, stream } from "../../support/hostile-pdfs.ts";
import { bytesOf, inputOf, reasonOf } from "../../support/operations.ts";
import { pageTexts, qpdfComplaints, uncompressed } from "../../support/pdf-readers.ts";
import { TYPESETTING } from "../../support/typefaces.ts";

const DEFAULTS: AddWatermarkParams = {
  ...{ font: "Arial", textSize: 40, watermarkFileScale: 1, opacity: 1, rotation: 0, x: 0, y: 0, behindPage: false },
  ...{ horizontalAlignment: "center", verticalAlignment: "center", pages: parsePages("1-last")! },
};
type Wishes = Partial<AddWatermarkParams>;

/** The tests of /pdf-with-added-text, which places forms in the same way, use all of them. */
const SOME_PAGES = AWKWARD_PAGES.filter((_, index) => index % 4 === 0);

async function mark(pdf: Uint8Array, wishes: Wishes, ...others: Uint8Array[]) {
  const inputs = [inputOf(pdf), ...others.map((bytes) => inputOf(bytes, "mark.pdf"))];
  for await (const output of addWatermark.run(inputs, { ...DEFAULTS, ...wishes }, TYPESETTING)) {
    const made = await bytesOf(output);
    expect(qpdfComplaints(made)).toBe("");
    return { made, notices: output.notices!() };
  }
  throw new Error("no output");
}

/** A page whose whole area is red, 40 by 30 points as it is shown. */
const redPage = (entries = "", box = "0 0 40 30") => pageWith(entries, "1 0 0 rg -99 -99 999 999 re f", box);
const plain = pageWith("");

describe("a page of another PDF is aligned with the page as it is shown", () => {
  test.each(SOME_PAGES)("that is %s", async (_, pdf) => {
    const wishes: Wishes = { horizontalAlignment: "left", verticalAlignment: "bottom", x: 50, y: 20 };
    expectChange(pdf, (await mark(pdf, wishes, redPage())).made, [50, 20, 90, 50]);
  });

  test.each<[Wishes, readonly number[]]>([
    [{}, [130, 85, 170, 115]],
    [{ horizontalAlignment: "right", verticalAlignment: "top" }, [260, 170, 300, 200]],
    [{ horizontalAlignment: "left", verticalAlignment: "bottom", watermarkFileScale: 2 }, [0, 0, 80, 60]],
    [{ horizontalAlignment: "left", verticalAlignment: "top", rotation: 90 }, [0, 160, 30, 200]],
    [{ x: 10, y: -20, rotation: 180 }, [140, 65, 180, 95]],
  ])("%j", async (wishes, box) => {
    expectChange(plain, (await mark(plain, wishes, redPage())).made, box);
  });

  test.each([
    ["turned", redPage("/Rotate 90", "0 0 30 40")],
    ["cropped", redPage("/CropBox[10 20 50 50]", "0 0 99 99")],
    ["with units", redPage("/UserUnit 2", "0 0 20 15")],
  ])("if the other page is %s", async (_, other) => {
    expectChange(plain, (await mark(plain, {}, other)).made, [130, 85, 170, 115]);
  });

  test("without hidden layers", async () => {
    const layered = pdfOf([
      "<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[5 0 R]/D<</OFF[5 0 R]>>>>>>",
      "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 40 30]>>",
      "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Properties<</L 5 0 R>>>>>>",
      stream("/OC /L BDC 1 0 0 rg 0 0 40 30 re f EMC 1 0 0 rg 0 0 10 10 re f"),
      "<</Type/OCG/Name(Hidden)>>",
    ]);
    expectChange(plain, (await mark(plain, {}, layered)).made, [130, 85, 140, 95]);
  });
});

test("a text is centered, turned and transparent", async () => {
  const { made } = await mark(pageWith("", ""), { watermarkText: "IIIIIIII", rotation: 90, opacity: 0.5 });
  const [left, bottom, right, top] = changed(drawn(pageWith("", ""), 1).mupdf, drawn(made, 1).mupdf)!;
  expect(Math.abs((bottom! + top!) / 2 - 100)).toBeLessThan(2);
  expect([right! - left! < 35, top! - bottom! > 80, left! < 150, right! > 150]).toEqual([true, true, true, true]);
  expect(drawn(made, 1).mupdf.samples.every((sample) => sample > 120)).toBe(true);
});

test("behind the page, content covers the mark, and nothing else changes", async () => {
  const pdf = pageWith("", "0 0 1 rg 100 50 100 100 re f q q");
  const { made } = await mark(pdf, { behindPage: true, watermarkFileScale: 4 }, redPage());
  const { samples, width } = drawn(made, 1).mupdf;
  const colorAt = (x: number, y: number) => [...samples.slice(3 * ((400 - 2 * y) * width + 2 * x)).slice(0, 3)];
  expect([colorAt(150, 100), colorAt(80, 100), colorAt(20, 20)]).toEqual([
    [0, 0, 255],
    [255, 0, 0],
    [255, 255, 255],
  ]);
});

test("viewers can hide the layer, and other layers stay as they are", async () => {
  const layered = pdfOf([
    "<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[4 0 R]/D<</BaseState/OFF/Order[4 0 R]>>>>>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 300 200]>>",
    "<</Type/Page/Parent 2 0 R>>",
    "<</Type/OCG/Name(Old)>>",
  ]);
  const { made } = await mark(layered, { layer: "Märk" }, redPage());
  expectChange(layered, made, [130, 85, 170, 115]);
  const text = uncompressed(made);
  expect(text).toMatch(/\/Artifact BMC \/OC \/Layer\d+ BDC/);
  expect(text).toMatch(/\/ON \[\s*\d+ 0 R\s*\]/);
  expect(text).toMatch(/\/Order \[\s*\d+ 0 R\s+\d+ 0 R\s*\]/);
});

test("a thousand pages show one object, and the file hardly grows", async () => {
  const pdf = await labeledPdf("P", 1000);
  for (const behindPage of [false, true]) {
    const { made } = await mark(pdf, { watermarkText: "DRAFT", behindPage });
    expect(made.length).toBeLessThan(pdf.length + 20_000);
    const text = uncompressed(made);
    expect([text.match(/\/Subtype \/Form/g)?.length, text.match(/ Do Q EMC/g)?.length]).toEqual([1, 1]);
    expect(pageTexts(made)[999]).toContain("P1000");
  }
});

test("only the selected pages are marked, and a scale of zero marks none", async () => {
  const pdf = await labeledPdf("P", 3);
  const { made } = await mark(pdf, { pages: parsePages("2,3-2")! }, redPage());
  expectChange(pdf, made, undefined, 1);
  expectChange(pdf, made, [80, 35, 120, 65], 2);
  expectChange(pdf, (await mark(pdf, { watermarkFileScale: 0 }, redPage())).made, undefined, 1);
});

describe("what is impossible is refused before any output", () => {
  test.each<[Wishes, object]>([
    [{ watermarkText: "A", pages: parsePages("4")! }, { parameter: "pages" }],
    [
      { watermarkText: "A", font: "Nope" },
      { parameter: "font", why: "The requested font was not found." },
    ],
  ])("%j", async (wishes, error) => {
    await expect(mark(plain, wishes)).rejects.toMatchObject(error);
  });

  test("another PDF that cannot be read", async () => {
    const locked = await reasonOf(async () => mark(plain, {}, encrypted(await labeledPdf("P", 1), "user", "owner")));
    expect(locked).toBe("password-protected");
    await expect(mark(plain, {}, Buffer.from("%PDF-1.7 nothing"))).rejects.toMatchObject({
      why: expect.stringMatching(/^mark\.pdf is (?:damaged|not a PDF)\.$/),
    });
  });
});

test.each(HOSTILE_PDFS.map(({ name, bytes }) => [name, bytes] as const))("%s as the other PDF", async (_, bytes) => {
  const reason = await reasonOf(() => mark(plain, {}, bytes()));
  expect(["none", "damaged", "too-large", "too-complex", "unsupported"]).toContain(reason);
});
