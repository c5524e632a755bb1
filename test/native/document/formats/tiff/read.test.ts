// Tests TIFF to PDF: strips and tiles of every compression and sample type, compared pixel by pixel with the pages as
// poppler and MuPDF draw them. libtiff's tools make the compressed files.
import { execFile, execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  jpeg,
  pattern,
  plainTiff,
  type TestSamples,
  type TiffTags,
  tagAt,
  tiff,
  toBits,
} from "../../../../fixtures/pictures.ts";
import { byTiffcp, expectPixels, imagesOf, onWhite, pageSizes, pdfOf } from "../../../../support/picture-pdfs.ts";
import { decode, perceptualDistance, popplerPage, withFile } from "../../../../support/pictures.ts";

const run = promisify(execFile);
const [gray, rgb] = [pattern(1), pattern(3)];

describe("compressions", () => {
  test.each(["none", "lzw", "lzw:2", "zip", "zip:2", "packbits"])(
    "%s: strips, one strip, tiles, planes, either order of bytes, BigTIFF",
    async (compression) => {
      const file = tiff([plainTiff(rgb, 2)]);
      for (const options of [
        ["-r", "7"],
        ["-r", "1000", "-B"],
        ["-t", "-w", "16", "-l", "32"],
        ["-p", "separate", "-r", "5"],
        ["-p", "separate", "-t", "-w", "32", "-l", "16", "-8"],
        ["-8", "-B"],
      ]) {
        await expectPixels(await pdfOf(await byTiffcp(file, "-c", compression, ...options)), rgb);
      }
    },
  );

  test.each(["none", "lzw", "packbits", "zip"])("%s with the low bit of each byte first", async (compression) => {
    const file = tiff([plainTiff(rgb, 2)]);
    await expectPixels(await pdfOf(await byTiffcp(file, "-c", compression, "-f", "lsb2msb", "-r", "9")), rgb);
  });

  test("LZW of old programs, low bits first and codes that grow late", async () => {
    const picture = plainTiff(gray, 1, 8, { 259: [5] });
    await expectPixels(await pdfOf(tiff([{ ...picture, segments: [oldLzw(picture.segments[0]!)] }])), gray);
  });

  test("Deflate passes as it is where it is one stream, with its predictor", async () => {
    const file = tiff([plainTiff(rgb, 2)]);
    for (const options of ["zip", "zip:2"]) {
      const passed = await byTiffcp(file, "-c", options, "-r", "1000");
      const [image] = imagesOf(await pdfOf(passed));
      expect(passed.includes(image!.data)).toBe(true);
      expect(image!.dictionary.includes("/Predictor 2")).toBe(options === "zip:2");
      const [recodedImage] = imagesOf(await pdfOf(await byTiffcp(file, "-c", options, "-r", "7")));
      expect(recodedImage!.dictionary).toContain("/Predictor 15");
    }
  });

  test("the first number of Deflate, 32946", async () => {
    const picture = plainTiff(rgb, 2, 8, { 259: [32_946] });
    await expectPixels(await pdfOf(tiff([{ ...picture, segments: [deflateSync(picture.segments[0]!)] }])), rgb);
  });

  test.each([
    [50_002, "TIFF compressed with JPEG XL"],
    [34_887, "TIFF compressed with LERC"],
    [34_661, "TIFF compressed with JBIG"],
    [34_712, "TIFF compressed with JPEG 2000"],
    [34_925, "TIFF compressed with LZMA"],
    [32_766, "TIFF compressed with NeXT's run lengths"],
    [12_345, "TIFF compressed with method 12345"],
  ])("compression %i is refused, and named: %s", async (number, feature) => {
    const file = tiff([plainTiff(gray, 1), plainTiff(rgb, 2, 8, { 259: [number] })]);
    await expect(pdfOf(file)).rejects.toMatchObject({ reason: "unsupported", feature });
  });

  test("libtiff's own files in Zstandard and in WebP", async () => {
    const file = tiff([plainTiff(rgb, 2), plainTiff(rgb, 2)]);
    const orange = { ...rgb, values: rgb.values.map((_, at) => [230, 140, 20][at % 3]!) };
    for (const options of [
      ["-r", "7"],
      ["-r", "1000"],
      ["-t", "-w", "16", "-l", "16"],
    ]) {
      for (const compression of ["zstd", "zstd:2"]) {
        await expectPixels(await pdfOf(await byTiffcp(file, "-c", compression, ...options)), rgb);
      }
      const webp = await byTiffcp(tiff([plainTiff(orange, 2)]), "-c", "webp", ...options);
      await expectPixels(await pdfOf(webp), orange, 6);
    }
  });

  test("damaged or oversized Zstandard and WebP are refused", async () => {
    for (const number of [50_000, 50_001]) {
      const picture = plainTiff(rgb, 2, 8, { 259: [number] });
      await expect(pdfOf(tiff([picture]))).rejects.toMatchObject({ reason: "damaged" });
    }
  });

  test("libtiff's own files in compressions that are not read are refused, and named", async () => {
    const file = tiff([plainTiff(rgb, 2)]);
    for (const [compression, name] of [
      ["lerc", "LERC"],
      ["lzma", "LZMA"],
    ] as const) {
      for (const options of [["-r", "7"], ["-t", "-w", "16", "-l", "16"], ["-8"]]) {
        const feature = `TIFF compressed with ${name}`;
        const made = await byTiffcp(file, "-c", compression, ...options);
        await expect(pdfOf(made)).rejects.toMatchObject({ reason: "unsupported", feature });
      }
    }
  });

  test.each([
    ["colors of a sensor", 1, { 262: [32_803] }, "TIFF with colors of a camera's sensor"],
    ["an unknown interpretation", 1, { 262: [60_000] }, "TIFF with photometric interpretation 60000"],
    ["complex numbers", 1, { 339: [6] }, "TIFF with complex numbers"],
    ["a predictor of nobody", 1, { 317: [9] }, "TIFF with predictor 9"],
    ["different depths", 2, { 258: [8, 8, 4] }, "TIFF with samples of different depths"],
  ] as const)("%s are refused, and named", async (_, photometric, tags, feature) => {
    const picture = plainTiff(photometric === 1 ? gray : rgb, photometric, 8, tags as unknown as TiffTags);
    await expect(pdfOf(tiff([picture]))).rejects.toMatchObject({ reason: "unsupported", feature });
  });
});

describe("JPEG inside", () => {
  const [width, height] = [240, 176];
  const smooth: TestSamples = {
    width,
    height,
    channels: 3,
    values: Array.from({ length: width * height * 3 }, (_, at) => {
      const [x, y, channel] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width), at % 3];
      return Math.round(127 + 60 * Math.sin(x / 17 + channel) + 60 * Math.cos(y / (13 + channel)));
    }),
  };
  const gradient = { width, height, channels: 1, values: smooth.values.filter((_, at) => at % 3 === 0) };

  /** Splits the image into strips first; libtiff then writes a separate JPEG for each strip. */
  const inJpeg = async (picture: TestSamples, photometric: number, compression: string, options: readonly string[]) =>
    byTiffcp(await byTiffcp(tiff([plainTiff(picture, photometric)]), "-r", "8"), "-c", compression, ...options);

  /** Returns the picture as libtiff decodes it. */
  const reference = (file: Buffer) =>
    withFile(file, "in.tif", async (name) => {
      await run("tiff2rgba", ["-n", "-c", "none", name, `${name}.rgba`]);
      return decode(await readFile(`${name}.rgba`), "tif");
    });

  test.each([
    ["one strip", "jpeg:90", ["-r", "1000"], 1],
    ["strips are joined", "jpeg:90", ["-r", "16"], 1],
    ["of RGB", "jpeg:r:90", ["-r", "32"], 1],
    ["tiles are images side by side, cut at the page's edge", "jpeg:90", ["-t", "-w", "64", "-l", "64"], 12],
  ])("%s", async (_, compression, options, images) => {
    const file = await inJpeg(smooth, 2, compression, options);
    const pdf = await pdfOf(file);
    expect(imagesOf(pdf)).toHaveLength(images);
    expect(imagesOf(pdf)[0]!.dictionary).toContain("/DCTDecode");
    // In one joined image, decoders smooth colors across the former edges of strips.
    const { values: _values, ...size } = smooth;
    const expected = await reference(file);
    await expectPixels(pdf, { ...size, values: [...expected.samples] }, 6);
    expect(perceptualDistance(await popplerPage(pdf, 1, 72), expected)).toBeLessThan(0.5);
  });

  test("of gray", async () => {
    const file = await inJpeg(gradient, 1, "jpeg:90", ["-r", "24"]);
    const pdf = await pdfOf(file);
    expect(imagesOf(pdf)).toHaveLength(1);
    await expectPixels(
      pdf,
      { ...gradient, values: [...(await reference(file)).samples].filter((_, at) => at % 3 === 0) },
      2,
    );
  });

  test("strips of codes in the old way, with tables and a frame of the whole picture elsewhere", async () => {
    const rows = 16;
    const strip = { ...gradient, height: rows, values: gradient.values.slice(0, rows * width) };
    const file = jpeg(strip, "gray");
    const [frame, scan] = [0xc0, 0xda].map((marker) => file.indexOf(Buffer.from([0xff, marker, 0])));
    const codes = file.subarray(scan! + 2 + file.readUInt16BE(scan! + 2), -2);
    const head = Buffer.from(file.subarray(0, scan));
    head.writeUInt16BE(3 * rows, frame! + 5);
    const picture = { ...strip, height: 3 * rows, values: [strip, strip, strip].flatMap(({ values }) => values) };
    // The JPEG tables and header follow the codes of the last strip.
    const page = plainTiff(picture, 1, 8, { 259: [6], 278: [rows], 513: [8 + 3 * codes.length], 514: [head.length] });
    const pdf = await pdfOf(tiff([{ ...page, segments: [codes, codes, Buffer.concat([codes, head])] }]));
    expect(imagesOf(pdf)).toHaveLength(1);
    await expectPixels(pdf, picture, 6);
  });

  const opaque = smooth.values.map((value, at) => [value, at % 3]);
  const rgba = (opacity: (x: number) => number): TestSamples => ({
    width,
    height,
    channels: 4,
    values: opaque.flatMap(([value, channel], at) => {
      const alpha = opacity(Math.floor(at / 3) % width);
      return channel === 2 ? [value!, alpha] : [value!];
    }),
  });
  const half = rgba((x) => (x < width / 2 ? 255 : 128));
  const coded = async (picture: TestSamples, photometric: number, extra: number, options: readonly string[]) => {
    const plain = tiff([plainTiff(picture, photometric, 8, { 338: [extra] })]);
    return byTiffcp(await byTiffcp(plain, "-r", "8"), "-c", "jpeg:r:95", ...options);
  };

  test.each([
    ["strips", ["-r", "16"]],
    ["one strip", ["-r", "1000"]],
    ["tiles", ["-t", "-w", "64", "-l", "64"]],
    ["planes", ["-p", "separate", "-r", "16"]],
  ])("RGB and opacity in %s", async (_, options) => {
    const pdf = await pdfOf(await coded(half, 2, 2, options));
    expect(imagesOf(pdf).filter(({ dictionary }) => dictionary.includes("/SMask"))).toHaveLength(1);
    await expectPixels(pdf, onWhite(half), 6);
  });

  test("RGB multiplied by its opacity, and RGB with a sample that means nothing", async () => {
    const multiplied = {
      ...half,
      values: half.values.map((value, at) =>
        at % 4 === 3 ? value : Math.round((value * half.values[at - (at % 4) + 3]!) / 255),
      ),
    };
    await expectPixels(await pdfOf(await coded(multiplied, 2, 1, ["-r", "16"])), onWhite(half), 8);
    await expectPixels(await pdfOf(await coded(half, 2, 0, ["-r", "16"])), smooth, 6);
  });

  test("gray and opacity", async () => {
    const two = { ...gradient, channels: 2, values: gradient.values.flatMap((value) => [value, 128]) };
    const shown = {
      ...gradient,
      values: gradient.values.map((value) => Math.round(255 - ((255 - value) * 128) / 255)),
    };
    await expectPixels(await pdfOf(await coded(two, 1, 2, ["-r", "16"])), shown, 6);
  });

  test("arithmetic coding, in strips of which one is damaged", async () => {
    const rows = height / 2;
    const strip = { ...smooth, height: rows, values: smooth.values.slice(0, rows * width * 3) };
    const file = execFileSync("jpegtran", ["-arithmetic"], { input: jpeg(strip, "rgb") });
    const page = plainTiff(smooth, 6, 8, { 259: [7], 278: [rows], 530: [2, 2] });
    const both = await pdfOf(tiff([{ ...page, segments: [file, file] }]));
    const expected = { ...smooth, values: [...strip.values, ...strip.values] };
    await expectPixels(both, expected, 12);
    await pdfOf(tiff([{ ...page, segments: [file, Buffer.from("no JPEG")] }]));
  });

  test("a JPEG that is cut off; one that is none", async () => {
    const file = await inJpeg(smooth, 2, "jpeg:90", ["-r", "16"]);
    const holed = Buffer.from(file);
    holed.fill(0, 2000, 2100);
    await pdfOf(holed);
    const page = plainTiff(smooth, 6, 8, { 259: [7] });
    await expect(pdfOf(tiff([{ ...page, segments: [Buffer.from("no JPEG")] }]))).rejects.toMatchObject({
      reason: "damaged",
    });
  });
});

describe("pages", () => {
  const page = (tags: TiffTags = {}, picture = gray) => plainTiff(picture, 1, 8, tags);

  test("every one, but no smaller copies and no masks; in their order and size", async () => {
    const inch = { 282: [300, 1], 283: [150, 1], 296: [2] };
    const centimeter = { 282: [300, 1], 283: [300, 1], 296: [3] };
    const unitless = { 282: [2, 1], 283: [1, 1], 296: [1] };
    const file = tiff([
      page(inch),
      page({ 254: [1] }),
      page(centimeter),
      page({ 254: [4] }),
      page(unitless),
      page({ 254: [2] }),
    ]);
    const sizes = pageSizes(await pdfOf(file));
    expect(sizes.map((size) => size.map((points) => Math.round(points * 100) / 100))).toEqual([
      [9.84, 13.92],
      [3.87, 3],
      [41, 29],
      [41, 29],
    ]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])("orientation %i", async (orientation) => {
    const pdf = await pdfOf(tiff([page({ 274: [orientation] })]));
    const [[width, height]] = pageSizes(pdf) as [[number, number]];
    expect([width, height]).toEqual(orientation >= 5 ? [29, 41] : [41, 29]);
    const { samples } = await popplerPage(pdf, 1, 72);
    const first = {
      x: [2, 3, 7, 6].includes(orientation) ? width - 1 : 0,
      y: [3, 4, 7, 8].includes(orientation) ? height - 1 : 0,
    };
    expect(samples[(first.y * width + first.x) * 3]).toBe(gray.values[0]);
  });

  test("a profile stays, once for pages that share it", async () => {
    const profile = Buffer.alloc(160);
    profile.writeUInt32BE(160);
    profile.set([2], 8);
    profile.write("mntrGRAYXYZ ", 12);
    profile.write("acsp", 36);
    profile.set([0, 0, 0, 1], 128);
    profile.write("desc", 132);
    profile.writeUInt32BE(144, 136);
    const tagged = page({ 34675: [...profile] });
    const pdf = await pdfOf(tiff([tagged, tagged, page({ 34675: [...profile] }, toBits(gray, 8))]));
    expect(pdf.toString("latin1").match(/\/ICCBased (\d+)/g)).toHaveLength(3);
    expect(pdf.toString("latin1").match(/\/Alternate/g)).toHaveLength(1);
  });
});

describe("damage and malice", () => {
  test("the pages that are there; half a strip; strips beyond the end", async () => {
    const file = tiff([plainTiff(gray, 1), plainTiff(gray, 1)]);
    expect(pageSizes(await pdfOf(file.subarray(0, file.length - 110)))).toHaveLength(1);
    const short = plainTiff(gray, 1, 8, { 278: [10] });
    const strips = [0, 1].map((index) => short.segments[0]!.subarray(index * 410, index * 410 + 410 - index * 200));
    const { samples } = await popplerPage(await pdfOf(tiff([{ ...short, segments: strips }])), 1, 72);
    expect([samples[41 * 9 * 3], samples[41 * 20 * 3]]).toEqual([gray.values[41 * 9], 255]);
  });

  test.each([
    ["no TIFF at all", Buffer.from("II*\0")],
    ["a directory that is not there", Buffer.from("II*\0\xff\xff\0\0", "latin1")],
    ["a picture without sides", tiff([{ tags: { 256: [0], 257: [5] }, segments: [] }])],
  ])("%s: damaged", async (_, file) => {
    await expect(pdfOf(file)).rejects.toMatchObject({ reason: "damaged" });
  });

  test("directories in a circle are one page each", async () => {
    const file = tiff([plainTiff(gray, 1)]);
    const directory = file.readUInt32LE(4);
    file.writeUInt32LE(directory, file.length - 4);
    expect(pageSizes(await pdfOf(file))).toHaveLength(1);
  });

  test.each([
    ["strips that are all the whole file", { 278: [1], 257: [4000] }, 4000, "too-complex"],
    ["more strips than anyone has", { 278: [1], 256: [8], 257: [2 ** 31] }, 1, "too-complex"],
    ["more pixels than anyone has", { 256: [2 ** 31], 257: [2 ** 31] }, 1, "too-complex"],
    ["tiles beyond all measure", { 322: [2 ** 31], 323: [2 ** 31] }, 1, "too-complex"],
    ["tiles that are too large to hold", { 256: [14_000], 257: [14_000], 322: [7008], 323: [14_000] }, 2, "too-large"],
  ])("%s: %s", async (_, tags, strips, reason) => {
    const { tags: plain, segments } = plainTiff(gray, 1, 8, tags as TiffTags);
    const file = tiff([{ tags: plain, segments: [segments[0]!] }]);
    const offsets = strips > 1 ? manyStrips(file, strips, (tags as Record<number, unknown>)[322] ? 324 : 273) : file;
    await expect(pdfOf(offsets, { heapLimitBytes: 64 * 2 ** 20 })).rejects.toMatchObject({ reason });
  });

  test("ten thousand directories are enough", async () => {
    const one = tiff([plainTiff(gray, 1)]);
    const start = one.readUInt32LE(4);
    const directory = one.subarray(start);
    const copies = Array.from({ length: 10_001 }, (_, index) => {
      const copy = Buffer.from(directory);
      copy.writeUInt32LE(start + (index + 1) * directory.length, copy.length - 4);
      return copy;
    });
    await expect(pdfOf(Buffer.concat([one.subarray(0, start), ...copies]))).rejects.toMatchObject({
      reason: "too-complex",
    });
  });
});

/** Returns a file whose strips all have the same offset. */
function manyStrips(file: Buffer, count: number, offsetTag: number): Buffer {
  const changed = Buffer.from(file);
  const lists = [8, 1200].map((value) =>
    Buffer.concat(Array.from({ length: count }, () => Buffer.from([value & 255, value >> 8, 0, 0]))),
  );
  for (const [index, tag] of [offsetTag, offsetTag === 273 ? 279 : 325].entries()) {
    const at = tagAt(changed, tag);
    changed.writeUInt32LE(count, at + 4);
    changed.writeUInt32LE(file.length + index * lists[0]!.length, at + 8);
  }
  return Buffer.concat([changed, ...lists]);
}

/** Encodes old-style LZW with codes of 9 bits, low bits first, and clears the table before codes would grow. */
function oldLzw(bytes: Uint8Array): Buffer {
  const codes = [...bytes].flatMap((byte, index) => (index % 200 === 0 ? [256, byte] : [byte]));
  const bits = [...codes, 257].flatMap((code) => Array.from({ length: 9 }, (_, bit) => (code >> bit) & 1));
  return Buffer.from(
    Array.from({ length: Math.ceil(bits.length / 8) }, (_, at) =>
      bits.slice(at * 8, at * 8 + 8).reduce((byte, bit, index) => byte | (bit << index), 0),
    ),
  );
}
