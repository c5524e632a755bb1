// Pages that become pictures of themselves, as poppler and qpdf see them.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { type PicturePagesParams, picturePages } from "../../../../src/operations/pdfa-steps/picture-pages.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { outputsOf } from "../../../support/operations.ts";
import { PdfJson } from "../../../support/pdf-json.ts";
import { pageTexts, picturesOf, withFile } from "../../../support/pdf-readers.ts";
import { parsePnm, perceptualDistance } from "../../../support/pictures.ts";

const CONTEXT = { signal: new AbortController().signal, heapLimitBytes: 2 ** 29, log() {}, defer() {} };
async function pictured(pdf: Uint8Array, params: Partial<PicturePagesParams>): Promise<Uint8Array> {
  const [output] = await outputsOf(picturePages, [pdf, pdf], { inRgb: false, ...params }, CONTEXT);
  return output!;
}

/** Color and resolution of the pictures, as poppler lists them. */
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
/** From about here on one sees a difference side by side. */
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
    // The field is blue, and drawn once.
    expect(imagesOf(bytes)).toEqual([[1, flatAnnotations ? "rgb" : "gray", 300]]);
    const [before, after] = [pdf, bytes].map((file) => picturesOf(file, 100).map(parsePnm));
    expect(perceptualDistance(before![0]!, after![0]!), "far").toBeLessThan(FARTHEST);
  },
);
