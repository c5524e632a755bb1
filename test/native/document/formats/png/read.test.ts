// Tests PNG to PDF with every kind of PNG: poppler and MuPDF must draw the same pixels, and data in an encoding that
// PDF supports must be copied unchanged.
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { memoryInput } from "../../../../../src/document/contract/operation.ts";
import { readPng } from "../../../../../src/document/formats/png/read.ts";
import {
  exifOrientation,
  type PngOptions,
  pattern,
  png,
  pngChunk,
  type TestSamples,
  toBits,
} from "../../../../fixtures/pictures.ts";
import { expectPixels, imagesOf, onWhite, pageSizes, pdfOf } from "../../../../support/picture-pdfs.ts";
import { popplerPage } from "../../../../support/pictures.ts";

/** Returns the image with its samples scaled to 8 bits. */
const seen = ({ values, ...picture }: TestSamples, bits: number): TestSamples => ({
  ...picture,
  values: values.map((value) => Math.round((value * 255) / (2 ** bits - 1))),
});

const idat = (file: Buffer) => {
  const pieces: Buffer[] = [];
  for (let at = 8; at < file.length; at += file.readUInt32BE(at) + 12) {
    if (file.toString("latin1", at + 4, at + 8) === "IDAT")
      pieces.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
  }
  return Buffer.concat(pieces);
};

const KINDS = [1, 2, 4, 8, 16].flatMap((bits) =>
  ([0, 2, 3, 4, 6] as const)
    .filter((type) => bits === 8 || (bits === 16 ? type !== 3 : type === 0 || (type === 3 && bits < 8)))
    .flatMap((colorType) => [false, true].map((isInterlaced) => ({ bits, colorType, isInterlaced }))),
);
const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;
const palette = (bits: number) => Uint8Array.from({ length: 3 * 2 ** bits }, (_, index) => (index * 37 + 11) & 255);

/** Returns an image of a kind, with its palette, and the pixels that it shows without transparency. */
function example({ bits, colorType, isInterlaced }: (typeof KINDS)[number]) {
  const picture = toBits(pattern(CHANNELS[colorType]), bits);
  const colors = palette(bits);
  const asIndices = (): TestSamples => ({
    ...picture,
    channels: 3,
    values: picture.values.flatMap((index) => [...colors.subarray(index * 3, index * 3 + 3)]),
  });
  const before = colorType === 3 ? [pngChunk("PLTE", colors)] : [];
  return {
    picture,
    shown: colorType === 3 ? asIndices() : seen(picture, bits),
    file: (more: readonly Buffer[] = []) =>
      png(picture, { colorType, bits, isInterlaced, before: [...before, ...more] }),
  };
}

describe("every pixel, of every kind", () => {
  test.each(KINDS)("color type $colorType, $bits bits, interlaced: $isInterlaced", async (kind) => {
    const { shown, file } = example(kind);
    const pdf = await pdfOf(file());
    await expectPixels(pdf, kind.colorType >= 4 ? onWhite(shown) : shown);
    const image = imagesOf(pdf).at(-1)!;
    // Data are copied unchanged if PDF supports their encoding.
    expect(image.data.equals(idat(file()))).toBe(!kind.isInterlaced && kind.colorType < 4);
    expect(image.dictionary).toContain(`/BitsPerComponent ${kind.bits}`);
  });

  test.each(KINDS.filter(({ colorType }) => colorType === 3))(
    "$bits bits, interlaced: $isInterlaced: a palette with opacities",
    async (kind) => {
      const { picture, shown, file } = example(kind);
      const opacities = Uint8Array.from({ length: 2 ** kind.bits }, (_, index) => (index * 91) & 255);
      const values = picture.values.flatMap((index, at) => [
        ...shown.values.slice(at * 3, at * 3 + 3),
        opacities[index]!,
      ]);
      const pdf = await pdfOf(file([pngChunk("tRNS", opacities)]));
      await expectPixels(pdf, onWhite({ ...shown, channels: 4, values }));
    },
  );

  test.each(KINDS.filter(({ colorType }) => colorType === 0 || colorType === 2))(
    "color type $colorType, $bits bits, interlaced: $isInterlaced: one color is transparent",
    async (kind) => {
      const { picture, shown, file } = example(kind);
      const { channels, width } = picture;
      const at = (3 * width + 5) * channels;
      const clear = picture.values.slice(at, at + channels);
      const values = [...shown.values];
      for (let pixel = 0; pixel < values.length; pixel += channels) {
        if (clear.every((value, index) => picture.values[pixel + index] === value))
          values.fill(255, pixel, pixel + channels);
      }
      const key = Uint8Array.from(clear.flatMap((value) => [value >> 8, value & 255]));
      await expectPixels(await pdfOf(file([pngChunk("tRNS", key)])), { ...shown, values });
    },
  );

  test("opaque pictures have no mask", async () => {
    const { values, ...picture } = pattern(4);
    const opaque = { ...picture, values: values.map((value, index) => (index % 4 === 3 ? 255 : value)) };
    expect(imagesOf(await pdfOf(png(opaque, { colorType: 6, bits: 8 })))).toHaveLength(1);
  });
});

const gray = pattern(1);
const grayPng = (more: Partial<PngOptions> = {}) => png(gray, { colorType: 0, bits: 8, ...more });
const density = (x: number, y: number, unit: number) => {
  const data = Buffer.alloc(9);
  data.writeUInt32BE(x);
  data.writeUInt32BE(y, 4);
  data[8] = unit;
  return pngChunk("pHYs", data);
};

describe("how it is seen", () => {
  test.each([
    ["without a resolution: 72 dpi", undefined, [41, 29]],
    ["300 dpi", density(11_811, 11_811, 1), [9.84, 6.96]],
    ["300 and 150 dpi", density(11_811, 5906, 1), [9.84, 13.92]],
    ["nonsense: 72 dpi", density(1, 1, 1), [41, 29]],
    ["one of them is nonsense", density(0, 11_811, 1), [9.84, 6.96]],
    ["pixels twice as high as wide", density(2, 1, 0), [20.5, 29]],
  ])("%s", async (_, chunk, size) => {
    const [[width, height]] = pageSizes(await pdfOf(grayPng({ before: chunk ? [chunk] : [] }))) as [[number, number]];
    expect(width).toBeCloseTo(size[0]!, 2);
    expect(height).toBeCloseTo(size[1]!, 2);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])("EXIF orientation %i, wherever it stands", async (orientation) => {
    const { width, height, values } = gray;
    const isTurned = orientation >= 5;
    const [columns, rows] = isTurned ? [height, width] : [width, height];
    const turned: number[] = [];
    for (let y = 0; y < rows; y++) {
      for (let x = 0; x < columns; x++) {
        const [a, b] = isTurned ? [y, x] : [x, y];
        const column = [2, 3, 7, 8].includes(orientation) ? width - 1 - a : a;
        const row = [3, 4, 6, 7].includes(orientation) ? height - 1 - b : b;
        turned.push(values[row * width + column]!);
      }
    }
    const chunk = pngChunk("eXIf", exifOrientation(orientation));
    for (const where of [{ before: [chunk] }, { after: [chunk] }]) {
      await expectPixels(await pdfOf(grayPng(where)), { width: columns, height: rows, channels: 1, values: turned });
    }
  });

  test("a page is 3 points at least", async () => {
    expect(pageSizes(await pdfOf(png(pattern(1, 1, 1), { colorType: 0, bits: 8 })))).toEqual([[3, 3]]);
  });

  test("and 14,400 at most", async () => {
    const fits = png(pattern(1, 14_400, 1), { colorType: 0, bits: 8 });
    expect(pageSizes(await pdfOf(fits))).toEqual([[14_400, 3]]);
    const wide = pdfOf(png(pattern(1, 14_401, 1), { colorType: 0, bits: 8 }));
    await expect(wide).rejects.toMatchObject({ parameter: "file", value: "A page of 14401 x 1 points" });
    const fine = png(pattern(1, 14_401, 1), { colorType: 0, bits: 8, before: [density(11_811, 11_811, 1)] });
    expect(pageSizes(await pdfOf(fine))[0]![0]).toBeCloseTo(3456, 0);
  });
});

describe("color", () => {
  const spaceOf = async (before: Buffer[], colorType: 0 | 2 = 2) => {
    const pdf = await pdfOf(png(pattern(colorType === 2 ? 3 : 1), { colorType, bits: 8, before }));
    return /\/ColorSpace(.*?)\/BitsPerComponent/.exec(imagesOf(pdf)[0]!.dictionary)![1]!;
  };
  const uints = (...values: number[]) => {
    const data = Buffer.alloc(values.length * 4);
    values.forEach((value, index) => void data.writeUInt32BE(value, index * 4));
    return data;
  };
  const SRGB = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6000];
  const WIDE = [31_270, 32_900, 73_500, 26_500, 11_500, 82_600, 15_700, 1800];

  test("device colors for sRGB, however it is said", async () => {
    expect(await spaceOf([])).toBe("/DeviceRGB");
    expect(await spaceOf([pngChunk("sRGB", Buffer.from([0])), pngChunk("gAMA", uints(100_000))])).toBe("/DeviceRGB");
    expect(await spaceOf([pngChunk("gAMA", uints(45_455)), pngChunk("cHRM", uints(...SRGB))])).toBe("/DeviceRGB");
    expect(await spaceOf([pngChunk("gAMA", uints(45_455))], 0)).toBe("/DeviceGray");
  });

  test("calibrated ones for another gamma or other primaries", async () => {
    expect(await spaceOf([pngChunk("gAMA", uints(100_000))])).toContain("/Gamma[1 1 1]");
    expect(await spaceOf([pngChunk("gAMA", uints(100_000))], 0)).toContain("/CalGray");
    expect(await spaceOf([pngChunk("cHRM", uints(...WIDE))])).toContain("/Gamma[2.2 2.2 2.2]");
    expect(await spaceOf([pngChunk("gAMA", uints(0)), pngChunk("cHRM", uints(0, 0, 0, 0, 0, 0, 0, 0))])).toBe(
      "/DeviceRGB",
    );
  });

  test("a profile stays, unless it is one of other colors or none at all", async () => {
    const iccp = (profile: Uint8Array) =>
      pngChunk("iCCP", Buffer.concat([Buffer.from("name\0\0"), deflateSync(profile)]));
    expect(await spaceOf([iccp(testProfile("RGB "))])).toContain("/ICCBased");
    expect(await spaceOf([iccp(testProfile("GRAY"))], 0)).toContain("/ICCBased");
    expect(await spaceOf([iccp(testProfile("CMYK"))])).toBe("/DeviceRGB");
    expect(await spaceOf([iccp(Buffer.from("no profile"))])).toBe("/DeviceRGB");
    expect(await spaceOf([iccp(new Uint8Array(2 ** 25))])).toBe("/DeviceRGB");
  });
});

/** Returns a header and one tag, which suffice to distinguish the profiles. */
function testProfile(space: string): Buffer {
  const profile = Buffer.alloc(160);
  profile.writeUInt32BE(160);
  profile.set([2, 16], 8);
  profile.write(`mntr${space}XYZ `, 12);
  profile.write("acsp", 36);
  profile.writeUInt32BE(1, 128);
  profile.write("desc", 132);
  profile.writeUInt32BE(144, 136);
  profile.writeUInt32BE(16, 140);
  return profile;
}

test("frames behind the first one are counted", async () => {
  const framesOf = async (...before: Buffer[]) =>
    (await readPng(memoryInput(png(pattern(3), { colorType: 2, bits: 8, before }), "a.png"), 2 ** 20)).furtherFrames;
  const frames = (count: number) => pngChunk("acTL", Buffer.of(0, 0, 0, count, 0, 0, 0, 0));
  expect(await Promise.all([framesOf(frames(3)), framesOf(frames(1)), framesOf()])).toEqual([2, undefined, undefined]);
});

describe("damage", () => {
  const rgb = pattern(3, 64, 400);
  const whole = png(rgb, { colorType: 2, bits: 8, pieceBytes: 1000 });
  const rowsLike = async (pdf: Buffer) => {
    const { samples } = await popplerPage(pdf, 1, 72);
    let row = 0;
    while (
      row < 400 &&
      rgb.values.slice(row * 192, row * 192 + 192).every((value, index) => samples[row * 192 + index] === value)
    )
      row++;
    return row;
  };

  test("a file that is cut off: what is there, then white", async () => {
    const pdf = await pdfOf(whole.subarray(0, Math.floor(whole.length * 0.6)));
    const rows = await rowsLike(pdf);
    expect(rows).toBeGreaterThan(100);
    expect(rows).toBeLessThan(399);
  });

  test("damaged data: what came before", async () => {
    const damaged = Buffer.from(whole);
    damaged.fill(0xaa, Math.floor(whole.length / 2), Math.floor(whole.length / 2) + 40);
    expect(await rowsLike(await pdfOf(damaged))).toBeGreaterThan(50);
  });

  test("a wrong checksum of a chunk that is not needed", async () => {
    const chunk = pngChunk("pHYs", Buffer.from([0, 0, 0x2e, 0x23, 0, 0, 0x2e, 0x23, 1]));
    chunk[chunk.length - 1]! ^= 1;
    expect(pageSizes(await pdfOf(grayPng({ before: [chunk] })))).toEqual([[41, 29]]);
  });

  test("in small pieces it is the same", async () => {
    expect((await pdfOf(whole, {}, 7)).equals(await pdfOf(whole))).toBe(true);
  });

  test.each([
    ["no image data", Buffer.concat([whole.subarray(0, 33), pngChunk("IEND", Buffer.alloc(0))]), "damaged"],
    ["no palette", png(gray, { colorType: 3, bits: 8 }), "damaged"],
    ["a header that makes no sense", png(gray, { colorType: 2, bits: 4 }), "damaged"],
    ["only a signature", whole.subarray(0, 8), "damaged"],
    ["a critical chunk that nobody knows", grayPng({ before: [pngChunk("CgBI", Buffer.alloc(4))] }), "unsupported"],
  ])("%s: refused", async (_, file, reason) => {
    await expect(pdfOf(file)).rejects.toMatchObject({ reason });
  });

  test("an interlaced picture that is too large to hold goes where there is room", async () => {
    // The data of a row of filter bytes and zeros are valid for every pass.
    const header = Buffer.alloc(13);
    header.writeUInt32BE(4000);
    header.writeUInt32BE(3000, 4);
    header.set([8, 0, 0, 0, 1], 8);
    const data = pngChunk("IDAT", deflateSync(new Uint8Array(12_100_000)));
    const large = Buffer.concat([
      whole.subarray(0, 8),
      pngChunk("IHDR", header),
      data,
      pngChunk("IEND", Buffer.alloc(0)),
    ]);
    await expect(pdfOf(large, { heapLimitBytes: 0 })).rejects.toMatchObject({ reason: "too-large" });
    await pdfOf(large);
  });
});
