// Tests TIFF files with libtiff: tiffcp rewrites them without compression, tiffinfo lists their tags, tiff2rgba shows
// them.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ColorModel, Raster } from "../../../../../src/document/contract/raster.ts";
import { encodeTiff } from "../../../../../src/document/formats/tiff/write.ts";
import {
  directory,
  type Field,
  fileHeader,
  LONG,
  OFFSET,
  RATIONAL,
  SHORT,
} from "../../../../../src/document/formats/tiff/writing/directory.ts";
import {
  collect,
  KINDS,
  type Kind,
  rasterOf,
  type SyntheticRaster,
  syntheticRaster,
} from "../../../../support/synthetic-rasters.ts";

const MODELS = ["gray", "rgb", "rgba", "cmyk", "lab"] as const;

let folder: string;
let before: string;
let after: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiff-"));
  before = join(folder, "before.tif");
  after = join(folder, "after.tif");
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns a file with its final first bytes, as its receiver gets it. */
function encode(raster: Raster): Buffer {
  const { body, head } = encodeTiff(raster);
  const file = collect(body);
  file.set(head());
  return file;
}

/** Runs a program of libtiff on a file. Fails on libtiff's warnings too. */
function libtiff(program: string, args: string[], tiff: Buffer): string {
  writeFileSync(before, tiff);
  const output = execFileSync("sh", ["-c", 'exec "$0" "$@" 2>&1', program, ...args]).toString();
  expect(output).not.toMatch(/warning|error/i);
  return output;
}

const info = (tiff: Buffer) => libtiff("tiffinfo", [before], tiff);

/** Returns the samples of a file after libtiff has removed compression and prediction. */
function decode(tiff: Buffer): Buffer {
  libtiff("tiffcp", ["-c", "none", "-r", "1000000", before, after], tiff);
  const plain = readFileSync(after);
  const start = field(plain, 273);
  return plain.subarray(start, start + field(plain, 279));
}

/** Returns the single value of a tag in a classic little-endian TIFF. */
function field(tiff: Buffer, tag: number): number {
  const at = tiff.readUInt32LE(4);
  for (let entry = at + 2; entry < at + 2 + 12 * tiff.readUInt16LE(at); entry += 12) {
    if (tiff.readUInt16LE(entry) !== tag) continue;
    return tiff.readUInt16LE(entry + 2) === 3 ? tiff.readUInt16LE(entry + 8) : tiff.readUInt32LE(entry + 8);
  }
  throw new Error(`the file has no field ${tag}`);
}

/** Returns the samples that the file should contain for a raster. */
function expected(raster: SyntheticRaster): Uint8Array {
  if (raster.colorModel !== "lab") return raster.samples;
  return raster.samples.map((value, index) => (index % 3 === 0 ? value : value - 128));
}

function expectSame(raster: SyntheticRaster): void {
  expect(Buffer.compare(decode(encode(raster)), expected(raster))).toBe(0);
}

describe("libtiff reads the same samples", () => {
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
      [40000, 3],
      [400000, 3],
      [90000, 5],
    ])("%i x %i pixels", (width, height) => {
      for (const kind of ["text", "noise", "gradient"] as const) {
        expectSame(syntheticRaster(kind, { width, height, colorModel }));
      }
    });
  });

  test.each([[[1]], [[2]], [[7]], [[63, 1, 64]], [[1500]]])("bands of %j rows", (bandRows) => {
    for (const kind of ["text", "noise"] as const) {
      expectSame(syntheticRaster(kind, { width: 611, height: 987, colorModel: "rgb", bandRows }));
    }
  });
});

describe("the file", () => {
  const of = (colorModel: ColorModel, more: Partial<Raster> = {}) =>
    encode({ ...syntheticRaster("text", { width: 700, height: 500, colorModel }), ...more });

  test.each([
    ["gray", "min-is-black", 1],
    ["rgb", "RGB color", 3],
    ["rgba", "RGB color", 4],
    ["cmyk", "separated", 4],
    ["lab", "CIE L*a*b*", 3],
  ] as const)("says that it is %s", (colorModel, photometric, samples) => {
    const said = info(of(colorModel));
    expect(said).toContain(`Photometric Interpretation: ${photometric}\n`);
    expect(said).toContain(`Samples/Pixel: ${samples}\n`);
    expect(said).toContain("Bits/Sample: 8\n");
    expect(said).toContain("Compression Scheme: AdobeDeflate\n");
    expect(said).toContain("Planar Configuration: single image plane\n");
  });

  test("predicts where that is smaller", () => {
    const said = (kind: Kind) => info(encode(syntheticRaster(kind, { width: 900, height: 700, colorModel: "rgb" })));
    expect(said("gradient")).toContain("Predictor: horizontal differencing");
    expect(said("text")).toContain("Predictor: none");
  });

  test("keeps its predictor when the picture changes after the choice", () => {
    const width = 900;
    const part = (kind: Kind) => syntheticRaster(kind, { width, height: 1800, colorModel: "rgb" }).samples;
    for (const kinds of [
      ["text", "noise"],
      ["noise", "text"],
      ["blank", "gradient", "noise"],
    ] as const) {
      const height = 1800 * kinds.length;
      expectSame(rasterOf(Buffer.concat(kinds.map(part)), { width, height, colorModel: "rgb" }));
    }
  });

  test("says that alpha is not multiplied in, and which inks there are", () => {
    expect(info(of("rgba"))).toContain("Extra Samples: 1<unassoc-alpha>\n");
    expect(info(of("rgb"))).not.toContain("Extra Samples");
    expect(info(of("cmyk"))).toMatch(/Ink ?Set: (CMYK|1)\n/);
  });

  test.each([72, 300, 2400, 150.5])("tells a resolution of %d dpi", (dpi) => {
    expect(info(of("rgb", { dpi }))).toContain(`Resolution: ${dpi}, ${dpi} pixels/inch\n`);
  });

  test("carries the profile", () => {
    const iccProfile = Uint8Array.from({ length: 3001 }, (_, i) => i * i);
    const tiff = of("cmyk", { iccProfile });
    expect(info(tiff)).toContain("ICC Profile: <present>, 3001 bytes");
    expect(tiff.includes(Buffer.from(iccProfile))).toBe(true);
    expect(info(of("cmyk"))).not.toContain("ICC Profile");
  });

  test("has strips of 256 KiB at most and its directory on a word", () => {
    for (let width = 1000; width < 1008; width++) {
      const tiff = encode(syntheticRaster("noise", { width, height: 300, colorModel: "rgb" }));
      expect(field(tiff, 278) * width * 3).toBeLessThanOrEqual(2 ** 18);
      expect(tiff.readUInt32LE(4) % 2).toBe(0);
    }
  });

  test("gives its first bytes only when the rest has been read", () => {
    const { body, head } = encodeTiff(syntheticRaster("text", { width: 9, height: 9, colorModel: "rgb" }));
    expect(() => head()).toThrow("the body has not ended");
    const file = collect(body);
    const first = head();
    expect(file.readUInt32LE(4)).toBe(0);
    expect(Buffer.from(first).readUInt32LE(4)).toBeGreaterThan(8);
    expect(file.subarray(0, 4).equals(first.subarray(0, 4))).toBe(true);
  });
});

describe("colors as others show them", () => {
  const plain = (colorModel: ColorModel, color: readonly number[]) =>
    encode(
      rasterOf(
        Uint8Array.from({ length: 64 * color.length }, (_, i) => color[i % color.length]!),
        {
          width: 8,
          height: 8,
          dpi: 72,
          colorModel,
        },
      ),
    );

  // CIELab with D50, and the equivalent sRGB; L from 0..100 is stored as 0..255, a and b with an offset of 128.
  test.each([
    ["white", [255, 128, 128], [255, 255, 255]],
    ["black", [0, 128, 128], [0, 0, 0]],
    ["gray", [137, 128, 128], [128, 128, 128]],
    ["red", [138, 209, 198], [255, 0, 0]],
    ["blue", [75, 196, 16], [0, 0, 255]],
    ["yellow", [249, 112, 221], [255, 255, 0]],
    ["skin", [178, 146, 148], [211, 158, 135]],
    ["moss", [110, 90, 160], [33, 117, 44]],
  ])("lab %s as MuPDF shows it", (_, lab, rgb) => {
    writeFileSync(before, plain("lab", lab));
    const ppm = execFileSync("mutool", ["draw", "-q", "-F", "ppm", "-o", "-", before], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [red = 0, green = 0, blue = 0] = ppm.subarray(-3);
    // Without profiles, as in Debian's build, MuPDF's Lab is only approximately right; a wrong sign would differ by
    // 128.
    expect(Math.hypot(red - rgb[0]!, green - rgb[1]!, blue - rgb[2]!)).toBeLessThan(30);
  });

  test("lab has its white point said", () => {
    expect(info(plain("lab", [255, 128, 128]))).toContain("White Point: 0.3457-0.3585");
  });

  test.each([
    ["no ink", [0, 0, 0, 0], [255, 255, 255]],
    ["cyan", [255, 0, 0, 0], [0, 255, 255]],
    ["black", [0, 0, 0, 255], [0, 0, 0]],
  ])("cmyk %s as libtiff shows it", (_, cmyk, rgb) => {
    libtiff("tiff2rgba", ["-c", "none", before, after], plain("cmyk", cmyk));
    const shown = readFileSync(after);
    expect([...shown.subarray(field(shown, 273)).subarray(0, 3)]).toEqual(rgb);
  });
});

describe("more than 4 GiB", () => {
  /** An image of which the test uses only the dimensions. */
  const huge: Raster = { width: 60000, height: 30000, dpi: 2400, colorModel: "rgb", bands: () => [] };

  test("becomes BigTIFF, what is less stays classic", () => {
    const version = (raster: Raster) => collect(encodeTiff(raster).body).readUInt16LE(2);
    expect(version(huge)).toBe(43);
    expect(version({ ...huge, width: 40000 })).toBe(42);
  });

  // A whole file of that size takes too long, so the size-dependent parts are tested with a small image.
  test("has a header and a directory that libtiff understands", () => {
    const header = fileHeader(true, 16 + 40);
    const samples = Uint8Array.from({ length: 40 }, (_, i) => i * 5);
    const fields: Field[] = [
      { tag: 256, type: LONG, values: [8] },
      { tag: 257, type: LONG, values: [5] },
      { tag: 258, type: SHORT, values: [8] },
      { tag: 259, type: SHORT, values: [1] },
      { tag: 262, type: SHORT, values: [1] },
      { tag: 273, type: OFFSET, values: [16, 40] },
      { tag: 277, type: SHORT, values: [1] },
      { tag: 278, type: LONG, values: [3] },
      { tag: 279, type: OFFSET, values: [24, 16] },
      { tag: 282, type: RATIONAL, values: [2400, 1] },
      { tag: 283, type: RATIONAL, values: [2400, 1] },
      { tag: 296, type: SHORT, values: [2] },
    ];
    const tiff = Buffer.concat([header, samples, directory(true, fields, 16 + 40)]);
    const said = info(tiff);
    expect(said).toContain("Image Width: 8 Image Length: 5\n");
    expect(said).toContain("Resolution: 2400, 2400 pixels/inch\n");
    expect(Buffer.compare(decode(tiff), samples)).toBe(0);
  });
});

test.each([0, -1, 2 ** 32, 1.5])("a side of %d pixels is refused", (side) => {
  const raster = syntheticRaster("blank", { width: 4, height: 4, colorModel: "rgb" });
  expect(() => encodeTiff({ ...raster, width: side })).toThrow(RangeError);
  expect(() => encodeTiff({ ...raster, height: side })).toThrow(RangeError);
});
