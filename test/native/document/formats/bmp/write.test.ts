// Tests BMP files with netpbm (bmptopnm), and tests their headers.
import { describe, expect, test } from "vitest";
import type { Raster } from "../../../../../src/document/contract/raster.ts";
import { bmpSizeBytes, encodeBmp, MAX_BMP_BYTES } from "../../../../../src/document/formats/bmp/write.ts";
import { decode } from "../../../../support/pictures.ts";
import { collect, type Kind, type SyntheticRaster, syntheticRaster } from "../../../../support/synthetic-rasters.ts";

const MODELS = ["gray", "rgb"] as const;
const KINDS: readonly Kind[] = ["gradient", "text", "noise", "gray-in-rgb", "blank"];

async function expectSame(raster: SyntheticRaster): Promise<void> {
  const bmp = collect(encodeBmp(raster));
  expect(bmp.length).toBe(bmpSizeBytes(raster));
  const picture = await decode(bmp, "bmp");
  expect([picture.width, picture.height]).toEqual([raster.width, raster.height]);
  // Depending on its version, netpbm returns a palette of grays as gray or as colors.
  const each = raster.colorModel === "gray" ? picture.channels : 1;
  expect(picture.samples.length).toBe(raster.samples.length * each);
  expect(picture.samples.every((value, index) => value === raster.samples[Math.floor(index / each)])).toBe(true);
}

describe.each(MODELS)("netpbm reads the same samples, %s", (colorModel) => {
  test.each(KINDS)("%s", async (kind) => {
    await expectSame(syntheticRaster(kind, { width: 317, height: 203, colorModel }));
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 13])("rows of %i pixels", async (width) => {
    for (const height of [1, 2, 11]) await expectSame(syntheticRaster("noise", { width, height, colorModel }));
  });

  test("rows longer than a chunk", async () => {
    await expectSame(syntheticRaster("gradient", { width: 150001, height: 3, colorModel }));
  });

  test.each([[[1]], [[2]], [[7]], [[63, 1, 64]], [[500]]])("bands of %j rows", async (bandRows) => {
    await expectSame(syntheticRaster("noise", { width: 411, height: 287, colorModel, bandRows }));
  });
});

describe("the file", () => {
  const bmp = (colorModel: "rgb" | "gray", dpi: number) =>
    collect(encodeBmp(syntheticRaster("text", { width: 10, height: 6, colorModel, dpi })));

  test("tells its size, its resolution and its depth", () => {
    const file = bmp("rgb", 300);
    expect(file.toString("latin1", 0, 2)).toBe("BM");
    expect(file.readUInt32LE(2)).toBe(file.length);
    expect(file.readUInt32LE(10)).toBe(54);
    expect(file.readInt32LE(22)).toBe(6);
    expect(file.readUInt16LE(28)).toBe(24);
    expect([file.readInt32LE(38), file.readInt32LE(42)]).toEqual([11811, 11811]);
  });

  test("of gray has one byte a pixel and a palette of all grays", () => {
    const file = bmp("gray", 72);
    expect(file.readUInt32LE(10)).toBe(54 + 1024);
    expect(file.readUInt16LE(28)).toBe(8);
    expect(file.readInt32LE(38)).toBe(2835);
    expect([...file.subarray(54 + 4 * 77, 54 + 4 * 78)]).toEqual([77, 77, 77, 0]);
    expect(file.length).toBe(54 + 1024 + 6 * 12);
  });

  test("comes in chunks that do not grow with the picture", () => {
    const raster = syntheticRaster("blank", { width: 1001, height: 900, colorModel: "rgb" });
    const sizes = Array.from(encodeBmp(raster), ({ length }) => length);
    expect(sizes.length).toBeGreaterThan(10);
    for (const size of sizes) expect(size).toBeLessThanOrEqual(128 * 1024);
  });
});

describe("what BMP has not", () => {
  const raster = (change: Partial<Raster>): Raster => ({
    ...syntheticRaster("blank", { width: 4, height: 4, colorModel: "rgb" }),
    ...change,
  });

  test.each(["rgba", "cmyk", "lab"] as const)("color model %s", (colorModel) => {
    expect(() => collect(encodeBmp(raster({ colorModel })))).toThrow(RangeError);
    expect(() => bmpSizeBytes(raster({ colorModel }))).toThrow(RangeError);
  });

  test.each([0, -1, 2 ** 31, 1.5])("a side of %d pixels", (side) => {
    expect(() => collect(encodeBmp(raster({ width: side })))).toThrow(RangeError);
    expect(() => collect(encodeBmp(raster({ height: side })))).toThrow(RangeError);
  });

  test("more than 4 GiB, which its size tells beforehand", () => {
    const large = { width: 40000, height: 36000 };
    expect(bmpSizeBytes(raster(large))).toBeGreaterThan(MAX_BMP_BYTES);
    expect(() => collect(encodeBmp(raster(large)))).toThrow(RangeError);
    expect(bmpSizeBytes(raster({ width: 40000, height: 35000 }))).toBeLessThanOrEqual(MAX_BMP_BYTES);
  });
});
