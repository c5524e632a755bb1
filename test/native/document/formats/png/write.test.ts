// Tests PNG files with libpng (pngtopam of netpbm) and pngcheck.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { CHANNELS, type ColorModel, type Raster } from "../../../../../src/document/contract/raster.ts";
import { encodePng } from "../../../../../src/document/formats/png/write.ts";
import { corpusDir } from "../../../../support/corpus.ts";
import { withFile } from "../../../../support/pictures.ts";
import {
  collect,
  KINDS,
  rasterOf,
  type SyntheticRaster,
  syntheticRaster,
} from "../../../../support/synthetic-rasters.ts";

const MODELS = ["gray", "rgb", "rgba"] as const;

/** Returns the samples that libpng reads from a file. */
function decode(png: Buffer, colorModel: ColorModel): Buffer {
  const pam = execFileSync("pngtopam", colorModel === "rgba" ? ["-alphapam"] : [], { input: png, maxBuffer: 2 ** 28 });
  // netpbm writes gray as P5, RGB as P6, and RGBA as P7, whose header ends with a separate line.
  const end = colorModel === "rgba" ? pam.indexOf("ENDHDR\n") + 7 : pam.indexOf("\n255\n") + 5;
  expect(pam.toString("latin1", 0, 2)).toBe({ gray: "P5", rgb: "P6", rgba: "P7" }[colorModel as "rgb"]);
  return pam.subarray(end);
}

function expectSame(raster: SyntheticRaster): void {
  const decoded = decode(collect(encodePng(raster)), raster.colorModel);
  expect(Buffer.compare(decoded, raster.samples)).toBe(0);
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

const typesOf = (png: Buffer) => chunksOf(png).map(({ type }) => type);
const chunk = (png: Buffer, type: string) => chunksOf(png).find((one) => one.type === type)?.data;

/** Returns the output of pngcheck, and expects that it reports no error. */
async function check(png: Buffer): Promise<string> {
  return withFile(png, "png", (file) => Promise.resolve(execFileSync("pngcheck", ["-v", file]).toString()));
}

describe("libpng reads the same samples", () => {
  describe.each(MODELS)("%s", (colorModel) => {
    test.each(KINDS)("%s", (kind) => {
      expectSame(syntheticRaster(kind, { width: 517, height: 403, colorModel }));
    });

    test.each([
      [1, 1],
      [1, 300],
      [2, 7],
      [3, 5],
      [5, 3],
      [87, 2],
      [300, 1],
      [40000, 3],
      [400000, 3],
    ])("%i x %i pixels", (width, height) => {
      for (const kind of ["text", "noise", "blank", "gradient"] as const) {
        expectSame(syntheticRaster(kind, { width, height, colorModel }));
      }
    });

    test("rows longer than the window of Deflate", () => {
      expectSame(syntheticRaster("text", { width: 33000, height: 90, colorModel }));
    });

    test("a picture whose kind changes from band to band", () => {
      const width = 701;
      const parts = (["text", "noise", "blank", "gradient", "noise", "text", "transparent"] as const).map(
        (kind) => syntheticRaster(kind, { width, height: 311, colorModel }).samples,
      );
      expectSame(rasterOf(Buffer.concat(parts), { width, height: 311 * parts.length, colorModel, bandRows: [97] }));
    });
  });

  test.each([[[1]], [[2]], [[7]], [[63, 1, 64]], [[500]]])("bands of %j rows", (bandRows) => {
    for (const kind of ["text", "noise", "gradient"] as const) {
      expectSame(syntheticRaster(kind, { width: 611, height: 487, colorModel: "rgb", bandRows }));
    }
  });
});

describe("the file", () => {
  test.each(MODELS)("has no fault that pngcheck knows, %s", async (colorModel) => {
    for (const kind of KINDS) {
      const png = collect(encodePng(syntheticRaster(kind, { width: 900, height: 700, colorModel })));
      expect(await check(png)).toContain("No errors detected");
    }
  });

  test("is rgb when its pixels are gray but rgb was asked for", () => {
    const png = collect(encodePng(syntheticRaster("gray-in-rgb", { width: 50, height: 50, colorModel: "rgb" })));
    expect(chunk(png, "IHDR")?.[9]).toBe(2);
    expect(typesOf(png)).not.toContain("PLTE");
  });

  test("tells the resolution in whole pixels per meter", async () => {
    const png = collect(encodePng(syntheticRaster("text", { width: 9, height: 9, colorModel: "rgb", dpi: 300 })));
    expect(chunk(png, "pHYs")?.toString("hex")).toBe("00002e2300002e2301");
    expect(await check(png)).toContain("300 dpi");
  });

  test("says sRGB for colors, gamma alone for gray", () => {
    const types = (colorModel: ColorModel) =>
      typesOf(collect(encodePng(syntheticRaster("text", { width: 9, height: 9, colorModel }))));
    expect(types("rgb")).toEqual(["IHDR", "gAMA", "sRGB", "pHYs", "IDAT", "IEND"]);
    expect(types("rgba")).toEqual(["IHDR", "gAMA", "sRGB", "pHYs", "IDAT", "IEND"]);
    expect(types("gray")).toEqual(["IHDR", "gAMA", "pHYs", "IDAT", "IEND"]);
  });

  test("carries the profile in place of sRGB", () => {
    const iccProfile = Uint8Array.from({ length: 5000 }, (_, i) => i * i);
    const png = collect(encodePng(syntheticRaster("text", { width: 9, height: 9, colorModel: "rgb", iccProfile })));
    expect(typesOf(png)).toEqual(["IHDR", "iCCP", "pHYs", "IDAT", "IEND"]);
    const data = chunk(png, "iCCP") ?? Buffer.alloc(0);
    expect(Uint8Array.from(inflateSync(data.subarray(data.indexOf(0) + 2)))).toEqual(iccProfile);
  });

  test("comes in chunks of 64 KiB or more, each within memory that does not grow with the picture", () => {
    const sizes: number[] = [];
    for (const bytes of encodePng(syntheticRaster("noise", { width: 2000, height: 900, colorModel: "rgb" }))) {
      if (Buffer.from(bytes.subarray(4, 8)).toString() === "IDAT") sizes.push(bytes.length);
    }
    expect(sizes.length).toBeGreaterThan(4);
    for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThanOrEqual(65536);
    for (const size of sizes) expect(size).toBeLessThan(2 ** 19);
  });

  test("of a blank page is tiny", () => {
    const png = collect(encodePng(syntheticRaster("blank", { width: 2550, height: 3300, colorModel: "rgb" })));
    expect(png.length).toBeLessThan(40000);
  });
});

describe.skipIf(corpusDir === undefined)("a page of a real document is no larger than mutool's", () => {
  test.each([
    ["pdf2image-memory-error-test-400p.pdf", 5],
    ["right_to_left_01.pdf", 1],
    ["fancy_fields.pdf", 1],
    ["MEDRPT-2024-PAT-3847_medical_report_scan.pdf", 1],
    ["Seige_of_Vicksburg_Sample_OCR.pdf", 2],
  ])("%s, page %i", (name, page) => {
    const draw = (format: string) =>
      execFileSync(
        "mutool",
        ["draw", "-q", "-r", "150", "-F", format, "-o", "-", join(corpusDir as string, "pdf", name), String(page)],
        { maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "ignore"] },
      );
    const ppm = draw("ppm");
    const [header = "", width, height] = /^P6\n(\d+) (\d+)\n255\n/.exec(ppm.toString("latin1", 0, 32)) ?? [];
    const raster = rasterOf(ppm.subarray(header.length), {
      width: Number(width),
      height: Number(height),
      colorModel: "rgb",
      bandRows: [256],
    });
    expect(collect(encodePng(raster)).length).toBeLessThanOrEqual(draw("png").length);
  });
});

describe("what PNG has not", () => {
  const unusable = (change: Partial<Raster>): Raster => ({
    ...syntheticRaster("blank", { width: 4, height: 4, colorModel: "rgb" }),
    ...change,
  });

  test.each(["cmyk", "lab"] as const)("color model %s", (colorModel) => {
    expect(CHANNELS[colorModel]).toBeGreaterThan(1);
    expect(() => collect(encodePng(unusable({ colorModel })))).toThrow(RangeError);
  });

  test.each([0, -1, 2 ** 31, 1.5])("a side of %d pixels", (side) => {
    expect(() => collect(encodePng(unusable({ width: side })))).toThrow(RangeError);
    expect(() => collect(encodePng(unusable({ height: side })))).toThrow(RangeError);
  });
});
