// Contract: docs/api.md#image-endpoints
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { parsePages } from "../../../src/document/contract/pages.ts";
import type { DrawingParams } from "../../../src/operations/draw-pages.ts";
import { type RasterizeParams, rasterizePdf } from "../../../src/operations/rasterize-pdf.ts";
import { onePage, pdfOf, stream } from "../../support/hostile-pdfs.ts";
import { outputsOf } from "../../support/operations.ts";
import { decode, withFile } from "../../support/pictures.ts";

const run = promisify(execFile);
const BASE = { format: "png", colorModel: "rgb", dpi: 72, pages: parsePages("1-last")! } as const;

async function pngOf(pdf: Uint8Array, more: Partial<RasterizeParams> = {}) {
  const [png] = await outputsOf(rasterizePdf, [pdf], { ...BASE, ...more } as RasterizeParams);
  return decode(png!, more.colorModel === "rgba" ? "png" : "opaquePng");
}

const shades = ({ samples }: { readonly samples: Uint8Array }) => new Set(samples).size;

describe("smoothing", () => {
  const LINE = onePage("0 G 20 20 m 200 300 l S");
  const TEXT = pdfOf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 50]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
    stream("BT /F 20 Tf 5 15 Td (Sage) Tj ET"),
    "<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>",
  ]);
  // Two pixels, enlarged to 80 points.
  const IMAGE = onePage("q 80 0 0 80 10 10 cm BI /W 2 /H 1 /BPC 8 /CS /G /I true ID \0\xff EI Q");

  const cases: [string, Uint8Array, string, string][] = [
    ["lines", LINE, "line", "text,image"],
    ["text", TEXT, "text", "line,image"],
    ["images", IMAGE, "image", "text,line"],
  ];
  test.each(cases)("of %s", async (_, pdf, word, others) => {
    const smoothing = (words: string) => ({ smoothing: words.split(",") as NonNullable<DrawingParams["smoothing"]> });
    expect(shades(await pngOf(pdf))).toBeGreaterThan(2);
    expect((await pngOf(pdf, smoothing(word))).samples).toEqual((await pngOf(pdf)).samples);
    expect(shades(await pngOf(pdf, smoothing(others)))).toBe(2);
    expect(shades(await pngOf(pdf, smoothing("none")))).toBe(2);
  });

  test("a line thinner than a pixel stays visible without it", async () => {
    expect(shades(await pngOf(onePage("0.1 w 0 G 20 20 m 200 300 l S"), { smoothing: ["none"] }))).toBe(2);
  });
});

describe("trim", () => {
  const BOX = onePage("0 g 100 200 50 30 re f");

  test.each(["rgb", "gray"] as const)("cuts to the content in %s", async (colorModel) => {
    const { width, height, samples } = await pngOf(BOX, { trim: true, colorModel });
    expect([width, height]).toEqual([50, 30]);
    expect(new Set(samples)).toEqual(new Set([0]));
  });

  test("also in models of other samples", async () => {
    expect(await pngOf(BOX, { trim: true, colorModel: "rgba" })).toMatchObject({ width: 50, height: 30 });
    for (const colorModel of ["cmyk", "lab"] as const) {
      const [tif] = await outputsOf(rasterizePdf, [BOX], { ...BASE, format: "tif", trim: true, colorModel });
      const { stdout } = await withFile(tif!, "a.tif", (file) => run("tiffinfo", [file]));
      expect(stdout).toContain("Image Width: 50 Image Length: 30");
    }
  });

  test("keeps a margin, up to the edge of the page", async () => {
    const margin = (points: number) => ({ trim: true, trimMargin: { points, text: "" } });
    expect(await pngOf(BOX, margin(10))).toMatchObject({ width: 70, height: 50 });
    expect(await pngOf(BOX, margin(150))).toMatchObject({ width: 300, height: 330 });
  });

  test("shows the same pixels as the whole page", async () => {
    const pdf = onePage("1 0 0 RG 7 w 101 203 m 250 240.5 l S");
    const [whole, cut] = [await pngOf(pdf, { dpi: 100 }), await pngOf(pdf, { dpi: 100, trim: true })];
    const row = Buffer.from(cut.samples.subarray(0, cut.width * 3));
    expect(Buffer.from(whole.samples).includes(row)).toBe(true);
  });

  test("leaves an empty page whole", async () => {
    expect(await pngOf(onePage(""), { trim: true })).toMatchObject({ width: 612, height: 792 });
  });
});

describe("one TIFF of several pages", () => {
  const SIZES = [
    [30, 40],
    [50, 20],
    [10, 10],
  ] as const;
  const kids = SIZES.map((_, index) => `${index + 3} 0 R`).join(" ");
  const PDF = pdfOf([
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Kids[${kids}]/Count ${SIZES.length}/Resources<<>>>>`,
    ...SIZES.map(([width, height]) => `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents 6 0 R>>`),
    stream("0.5 g 2 2 5 5 re f"),
  ]);
  const tiff = { ...BASE, format: "tif", multipage: true } as const;

  test.each(["rgb", "cmyk", "lab"] as const)("has them in order, in %s", async (colorModel) => {
    const files = await outputsOf(rasterizePdf, [PDF], { ...tiff, colorModel, pages: parsePages("last-1,2")! });
    expect(files).toHaveLength(1);
    const { stdout, stderr } = await withFile(files[0]!, "a.tif", (file) => run("tiffinfo", ["-s", file]));
    expect(stderr).toBe("");
    const sizes = [...stdout.matchAll(/Image Width: (\d+) Image Length: (\d+)/g)].map(([, ...size]) =>
      size.map(Number),
    );
    expect(sizes).toEqual([SIZES[2], SIZES[1], SIZES[0], SIZES[1]].map((size) => [...size!]));
    expect(stdout).toContain("Page Number: 3-4");
  });

  test("shows the pages", async () => {
    const [file] = await outputsOf(rasterizePdf, [PDF], tiff);
    await withFile(file!, "a.tif", async (path) => {
      await run("tiffcp", ["-c", "none", `${path},1`, `${path}.one`]);
      const { stdout } = await run("tifftopnm", ["-byrow", `${path}.one`], { encoding: "buffer" });
      const [one] = await outputsOf(rasterizePdf, [PDF], { ...tiff, multipage: false, pages: parsePages("2")! });
      const { samples } = await decode(one!, "tif");
      expect(Buffer.from(stdout.subarray(-samples.length)).equals(samples)).toBe(true);
    });
  });

  test("is refused before it begins if one page is too large", async () => {
    const huge = pdfOf([
      "<</Type/Catalog/Pages 2 0 R>>",
      "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 30 30]>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 14400 14400]>>",
    ]);
    await expect(outputsOf(rasterizePdf, [huge], { ...tiff, dpi: 2400 })).rejects.toThrow("out of range for dpi");
  });
});
