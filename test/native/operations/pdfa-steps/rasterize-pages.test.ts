// Tests pages that become images. Poppler and qpdf read the results.
import { execFileSync } from "node:child_process";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { type RasterizePagesParams, rasterizePages } from "../../../../src/operations/pdfa-steps/rasterize-pages.ts";
import { densePdfs } from "../../../fixtures/dense-pdfs.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { outputsOf } from "../../../support/operations.ts";
import { PdfJson } from "../../../support/pdf-json.ts";
import { pageTexts, picturesOf, withFile } from "../../../support/pdf-readers.ts";
import { ascending, atLeast, finestOf } from "../../../support/picture-densities.ts";
import { parsePnm, perceptualDistance, popplerPage } from "../../../support/pictures.ts";

const CONTEXT = { signal: new AbortController().signal, heapLimitBytes: 2 ** 29, log() {}, defer() {} };
async function pictured(pdf: Uint8Array, params: Partial<RasterizePagesParams>): Promise<Uint8Array> {
  const [output] = await outputsOf(rasterizePages, [pdf, pdf], { inRgb: false, ...params }, CONTEXT);
  return output!;
}

/** Returns color space and resolution of the images, as poppler lists them. */
const imagesOf = (pdf: Uint8Array) =>
  withFile(pdf, (path) => {
    const lines = execFileSync("pdfimages", ["-list", path], { encoding: "utf8" }).trim().split("\n").slice(2);
    return lines
      .map((line) => line.trim().split(/\s+/))
      .map((cells) => [Number(cells[0]), cells[5], Number(cells[12])]);
  });

function pdfOf(...contents: string[]): PdfBuilder {
  const builder = new PdfBuilder();
  for (const content of contents) builder.page(content);
  return builder;
}
/** From about 8 on, a difference is visible side by side. */
const FARTHEST = 8;
const text = "BT /F 24 Tf 30 150 Td (Some words) Tj ET";

describe("colors stay what they were", () => {
  test("gray, RGB, and CMYK with its profile, at 300 dpi", async () => {
    const pdf = pdfOf(text, `1 0 0 rg ${text}`, `0 1 1 0 k ${text}`).bytes();
    const bytes = await pictured(pdf, { pages: "all" });
    expect(imagesOf(bytes)).toEqual([
      [1, "gray", 300],
      [2, "rgb", 300],
      [3, "icc", 300],
    ]);
    const [before, after] = [pdf, bytes].map((file) => picturesOf(file, 100).map(parsePnm));
    before!.forEach((picture, index) => {
      expect(perceptualDistance(picture, after![index]!)).toBeLessThan(FARTHEST);
    });
  });
});

test("inks become RGB where that is asked for", async () => {
  const bytes = await pictured(pdfOf(`0 1 1 0 k ${text}`).bytes(), { pages: "all", inRgb: true });
  expect(imagesOf(bytes)).toEqual([[1, "rgb", 300]]);
});

test("only the pages that are named; their text can still be found", async () => {
  const pdf = pdfOf("First", text, "Third").bytes();
  const bytes = await pictured(pdf, { pages: [2] });
  expect(pageTexts(bytes)).toEqual(["First", "Some words", "Third"]);
  expect(imagesOf(bytes).map(([page]) => page)).toEqual([2]);
});

test("pages that are turned, moved and measured in other units", async () => {
  for (const entries of ["/Rotate 90", "/Rotate 180/CropBox[20 30 250 180]", "/Rotate 270", "/UserUnit 2"]) {
    const builder = new PdfBuilder();
    builder.page(text, entries);
    const pdf = builder.bytes();
    const bytes = await pictured(pdf, { pages: [1] });
    const [before, after] = [pdf, bytes].map((file) => picturesOf(file, 100).map(parsePnm));
    expect(perceptualDistance(before![0]!, after![0]!), "far").toBeLessThan(FARTHEST);
    expect(pageTexts(bytes)).toEqual(pageTexts(pdf));
  }
});

test.each([false, true])(
  "links stay, fields are in the picture where that is asked for: %s",
  async (flatAnnotations) => {
    const builder = pdfOf();
    const widget = builder.add(
      `<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/F 4/Rect[10 10 90 30]/AP<</N ${builder.stream("0 0 1 rg 0 0 80 20 re f", "/Type/XObject/Subtype/Form/BBox[0 0 80 20]")}>>>>`,
    );
    const link = builder.add("<</Type/Annot/Subtype/Link/Rect[10 50 90 70]/A<</S/URI/URI(https://example.org/)>>>>");
    builder.page(text, `/Annots[${widget} ${link}]`);
    builder.catalog = `/AcroForm<</Fields[${widget}]>>`;
    const pdf = builder.bytes();
    const bytes = await pictured(pdf, { pages: [1], flatAnnotations });
    const json = new PdfJson(bytes);
    const kept = flatAnnotations ? ["/Link"] : ["/Widget", "/Link"];
    expect(json.annotations(1).map((annotation) => annotation["/Subtype"])).toEqual(kept);
    expect(json.fields).toHaveLength(kept.length - 1);
    // The field is blue, and is drawn only once.
    expect(imagesOf(bytes)).toEqual([[1, flatAnnotations ? "rgb" : "gray", 300]]);
    const [before, after] = [pdf, bytes].map((file) => picturesOf(file, 100).map(parsePnm));
    expect(perceptualDistance(before![0]!, after![0]!), "far").toBeLessThan(FARTHEST);
  },
);

describe("pictures have at least the resolution of the images that they replace", () => {
  test.each(densePdfs())("$name", async ({ bytes: pdf, ppi, dpi }) => {
    const bytes = await pictured(pdf, { pages: [1] });
    expect(finestOf(bytes)).toEqual(ppi.toSorted(ascending).map(atLeast));
    const [before, after] = [await popplerPage(pdf, 1, dpi), await popplerPage(bytes, 1, dpi)];
    expect(perceptualDistance(before, after)).toBeLessThan(FARTHEST);
  });

  test("a tiny page of text and lines has as many pixels as a page that is looked at", async () => {
    const builder = new PdfBuilder();
    builder.page(`.01 0 0 .01 0 0 cm 1 0 0 RG 0 0 m 170 170 l S ${text}`, "/MediaBox[0 0 1.7 1.7]");
    const pdf = builder.bytes();
    const bytes = await pictured(pdf, { pages: [1] });
    const [image] = new PdfJson(bytes).dictionaries.filter((entries) => entries["/Subtype"] === "/Image");
    expect([image!["/Width"], image!["/Height"], image!["/ColorSpace"]]).toEqual([1000, 1000, "/DeviceRGB"]);
    const [before, after] = [await popplerPage(pdf, 1, 20_000), await popplerPage(bytes, 1, 20_000)];
    expect(perceptualDistance(before, after, 12)).toBeLessThan(FARTHEST);
  });

  test("more than a page may have: the finer parts get less", async () => {
    const builder = new PdfBuilder();
    const huge = builder.stream(
      deflateSync(new Uint8Array(12_000 * 12_000).fill(128)),
      "/Type/XObject/Subtype/Image/Width 12000/Height 12000/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode",
    );
    builder.page("q 100 0 0 100 10 10 cm /I Do Q (x) Tj", "", `/XObject<</I ${huge}>>`);
    const images = new PdfJson(await pictured(builder.bytes(), { pages: [1] })).dictionaries.filter(
      (entries) => entries["/Subtype"] === "/Image",
    );
    const pixels = images.map((image) => image["/Width"] * image["/Height"]);
    const all = pixels.reduce((sum, some) => sum + some, 0);
    expect(pixels[0]).toBeGreaterThan(1_000_000);
    expect(all).toBeLessThanOrEqual(LIMITS.picturedPagePixels * 1.001);
    expect(all).toBeGreaterThan(LIMITS.picturedPagePixels * 0.9);
  });
});
