// Tests JPEG to PDF: the PDF contains the file's data unchanged, and shows them as the file's markers specify.
// Third-party programs make the variants.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  exifOrientation,
  jpeg,
  jpegSegment,
  plainTiff,
  type TestSamples,
  tiff,
  withSegments,
} from "../../../../fixtures/pictures.ts";
import { corpusDir } from "../../../../support/corpus.ts";
import { expectSound, imagesOf, pageSizes, pdfOf } from "../../../../support/picture-pdfs.ts";
import { decode, perceptualDistance, popplerPage } from "../../../../support/pictures.ts";

const smooth = (channels: number, width = 96, height = 64): TestSamples => ({
  width,
  height,
  channels,
  values: Array.from({ length: width * height * channels }, (_, at) => {
    const [x, y, channel] = [Math.floor(at / channels) % width, Math.floor(at / channels / width), at % channels];
    return Math.round(127 + 60 * Math.sin(x / 17 + channel) + 60 * Math.cos(y / (13 + channel)));
  }),
});
const rgb = jpeg(smooth(3), "rgb");
const by = (program: string, args: string[], input: Buffer) =>
  execFileSync(program, args, { input, maxBuffer: 2 ** 26 });
const ppm = by("djpeg", ["-pnm"], rgb);

/** Expects that the image's data are the file. @returns the dictionary of the image */
async function passed(file: Buffer): Promise<string> {
  const pdf = await pdfOf(file);
  await expectSound(pdf);
  const [image, ...others] = imagesOf(pdf);
  expect(others).toEqual([]);
  expect(image!.data.equals(file)).toBe(true);
  return image!.dictionary;
}

async function expectLooks(file: Buffer): Promise<void> {
  const distance = perceptualDistance(await popplerPage(await pdfOf(file), 1, 72), await decode(file, "jpg"));
  expect(distance).toBeLessThan(1.5);
}

describe("data pass bit by bit", () => {
  test.each([
    ["baseline", rgb],
    ["gray", jpeg(smooth(1), "gray")],
    ["progressive", by("cjpeg", ["-progressive"], ppm)],
    ["progressive with restarts", by("jpegtran", ["-progressive", "-restart", "1"], rgb)],
    ["not subsampled", by("cjpeg", ["-sample", "1x1"], ppm)],
    ["optimized, with restarts", by("jpegtran", ["-optimize", "-restart", "3B"], rgb)],
    ["of RGB, which only its letters tell", by("cjpeg", ["-rgb"], ppm)],
    ["with something behind its end", Buffer.concat([rgb, Buffer.alloc(5000, "x")])],
    ["another picture behind its end", Buffer.concat([rgb, rgb])],
  ])("%s", async (_, file) => {
    await passed(file);
    await expectLooks(file);
  });

  test("a file that is cut off gets an end", async () => {
    const cut = rgb.subarray(0, Math.floor(rgb.length / 2));
    const pdf = await pdfOf(cut);
    await expectSound(pdf);
    expect(imagesOf(pdf)[0]!.data.equals(Buffer.concat([cut, Buffer.from([0xff, 0xd9])]))).toBe(true);
    const thumbnail = withSegments(cut, [
      jpegSegment(0xe1, Buffer.concat([Buffer.from("Exif\0\0"), rgb.subarray(0, 900), Buffer.from([0xff, 0xd9])])),
    ]);
    expect(imagesOf(await pdfOf(thumbnail))[0]!.data).toHaveLength(thumbnail.length + 2);
  });

  test("in small pieces it is the same", async () => {
    const cut = rgb.subarray(0, rgb.length - 1);
    for (const file of [rgb, cut]) expect((await pdfOf(file, {}, 1)).equals(await pdfOf(file))).toBe(true);
  });
});

describe("inks", () => {
  const cmyk = jpeg(smooth(4), "cmyk");
  const adobe = jpegSegment(0xee, Buffer.from([...Buffer.from("Adobe"), 0, 100, 0, 0, 0, 0, 0]));

  test("are inverted where Adobe's marker is", async () => {
    const plain = withoutSegments(cmyk);
    expect(await passed(withSegments(plain, [adobe]))).toContain(
      "/ColorSpace/DeviceCMYK/BitsPerComponent 8/Filter/DCTDecode/Decode[1 0 1 0 1 0 1 0]",
    );
    expect(await passed(plain)).not.toContain("Decode[");
  });
});

describe("how it is seen", () => {
  const jfif = (unit: number, x: number, y: number) =>
    jpegSegment(0xe0, Buffer.from([...Buffer.from("JFIF\0"), 1, 2, unit, x >> 8, x & 255, y >> 8, y & 255, 0, 0]));
  /** Returns Exif data with resolutions of 200 and 100 in the given unit. */
  const exif = (unit: number) => {
    const bytes = Buffer.alloc(8 + 2 + 3 * 12 + 4 + 16);
    bytes.write("II*\0\x08\0\0\0\x03\0", 0, "latin1");
    [
      [282, 5, 50],
      [283, 5, 58],
      [296, 3, unit],
    ].forEach(([tag, type, value], index) => {
      bytes.writeUInt16LE(tag!, 10 + index * 12);
      bytes.writeUInt16LE(type!, 12 + index * 12);
      bytes.writeUInt32LE(1, 14 + index * 12);
      bytes.writeUInt32LE(value!, 18 + index * 12);
    });
    [200, 1, 100, 1].forEach((value, index) => void bytes.writeUInt32LE(value, 50 + index * 4));
    return jpegSegment(0xe1, Buffer.concat([Buffer.from("Exif\0\0"), bytes]));
  };

  test.each([
    ["nothing is said: 72 dpi", [], [96, 64]],
    ["JFIF in inches", [jfif(1, 300, 150)], [23.04, 30.72]],
    ["JFIF in centimeters", [jfif(2, 100, 100)], [27.21, 18.14]],
    ["JFIF with the shape of pixels only", [jfif(0, 2, 1)], [48, 64]],
    ["JFIF with nonsense", [jfif(1, 1, 1)], [96, 64]],
    ["EXIF in inches", [exif(2)], [34.56, 46.08]],
    ["EXIF in centimeters", [exif(3)], [13.61, 18.14]],
    ["EXIF where JFIF says nothing", [jfif(0, 1, 1), exif(2)], [34.56, 46.08]],
    ["JFIF before EXIF", [jfif(1, 144, 144), exif(2)], [48, 32]],
  ])("%s", async (_, segments, size) => {
    const sizes = pageSizes(await pdfOf(withSegments(rgb, segments)));
    expect(sizes[0]!.map((points) => Math.round(points * 100) / 100)).toEqual(size);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])("EXIF orientation %i", async (orientation) => {
    const segment = jpegSegment(0xe1, Buffer.concat([Buffer.from("Exif\0\0"), exifOrientation(orientation)]));
    const file = withSegments(rgb, [segment]);
    const turn = {
      2: ["-flip", "horizontal"],
      3: ["-rotate", "180"],
      4: ["-flip", "vertical"],
      5: ["-transpose"],
      6: ["-rotate", "90"],
      7: ["-transverse"],
      8: ["-rotate", "270"],
    }[orientation];
    const upright = turn ? by("jpegtran", ["-copy", "none", ...turn], rgb) : rgb;
    const shown = await popplerPage(await pdfOf(file), 1, 72);
    const expected = await decode(upright, "jpg");
    expect([shown.width, shown.height]).toEqual([expected.width, expected.height]);
    expect(perceptualDistance(shown, expected)).toBeLessThan(1.5);
  });
});

describe("profiles", () => {
  /** Returns an ICC profile that is long enough for two segments. */
  const profile = (space: string) => {
    const bytes = Buffer.alloc(70_000);
    bytes.writeUInt32BE(bytes.length);
    bytes.set([4], 8);
    bytes.write(`mntr${space}XYZ `, 12);
    bytes.write("acsp", 36);
    bytes.set([0, 0, 0, 1], 128);
    bytes.write("desc", 132);
    bytes.writeUInt32BE(144, 136);
    return bytes;
  };
  const piece = (number: number, count: number, data: Buffer) =>
    jpegSegment(0xe2, Buffer.concat([Buffer.from("ICC_PROFILE\0"), Buffer.from([number, count]), data]));
  const halves = (space: string) => [profile(space).subarray(0, 40_000), profile(space).subarray(40_000)] as const;

  test("in pieces, in any order", async () => {
    const [first, second] = halves("RGB ");
    for (const segments of [
      [piece(1, 2, first), piece(2, 2, second)],
      [piece(2, 2, second), piece(1, 2, first)],
    ]) {
      expect(imagesOf(await pdfOf(withSegments(rgb, segments)))[0]!.dictionary).toContain("/ICCBased");
    }
  });

  test("with a piece missing, or of other colors: none", async () => {
    const [first, second] = halves("RGB ");
    expect(await passed(withSegments(rgb, [piece(1, 3, first), piece(2, 3, second)]))).toContain("/DeviceRGB");
    const [gray, more] = halves("GRAY");
    expect(await passed(withSegments(rgb, [piece(1, 2, gray), piece(2, 2, more)]))).toContain("/DeviceRGB");
  });
});

describe("refused", () => {
  const frame = (change: (frame: Buffer) => void) => {
    const file = Buffer.from(rgb);
    change(file.subarray(file.indexOf(Buffer.from([0xff, 0xc0]))));
    return file;
  };

  test.each([
    ["two components", frame((bytes) => void bytes.writeUInt8(2, 9)), "unsupported"],
    ["a height that comes later", frame((bytes) => void bytes.writeUInt16BE(0, 5)), "unsupported"],
    ["no width", frame((bytes) => void bytes.writeUInt16BE(0, 7)), "damaged"],
    ["only a beginning", rgb.subarray(0, 100), "damaged"],
    ["an end right after the beginning", Buffer.from([0xff, 0xd8, 0xff, 0xd9]), "damaged"],
    [
      "a head without an end",
      Buffer.concat([
        rgb.subarray(0, 2),
        ...Array.from({ length: 1100 }, () => jpegSegment(0xfe, Buffer.alloc(65_000))),
      ]),
      "too-complex",
    ],
  ])("%s", async (_, file, reason) => {
    await expect(pdfOf(file)).rejects.toMatchObject({ reason });
  });
});

describe("arithmetic coding, which PDF has not, is decoded", () => {
  const arithmetic = (...args: string[]) => by("cjpeg", ["-arithmetic", "-quality", "90", ...args], ppm);
  const cmyk = jpegSegment(0xee, Buffer.from([...Buffer.from("Adobe"), 0, 100, 0, 0, 0, 0, 0]));
  test.each([
    ["sequential", arithmetic()],
    ["progressive", arithmetic("-progressive")],
    ["with restarts", arithmetic("-restart", "1")],
    ["not subsampled", arithmetic("-sample", "1x1")],
    ["gray", arithmetic("-grayscale")],
    ["of RGB, which only its letters tell", arithmetic("-rgb")],
  ])("%s", async (_, file) => {
    const pdf = await pdfOf(file);
    await expectSound(pdf);
    expect(imagesOf(pdf).map(({ dictionary }) => dictionary.includes("/FlateDecode"))).toEqual([true]);
    const distance = perceptualDistance(await popplerPage(pdf, 1, 72), await decode(file, "jpg"));
    expect(distance).toBeLessThan(1.5);
  });

  test("of inks, which Adobe's programs write as their opposites", async () => {
    const plain = withSegments(jpeg(smooth(4), "cmyk"), [cmyk]);
    const pdf = await pdfOf(by("jpegtran", ["-arithmetic", "-copy", "all"], plain));
    expect(imagesOf(pdf)[0]!.dictionary).toMatch(/\/DeviceCMYK.*\/Decode\[1 0 1 0 1 0 1 0\]/);
    const [one, other] = [await popplerPage(pdf, 1, 72), await popplerPage(await pdfOf(plain), 1, 72)];
    expect(perceptualDistance(one, other)).toBeLessThan(1.5);
  });

  test("one that is too large for the place it is read in", async () => {
    await expect(pdfOf(arithmetic(), { heapLimitBytes: 0 })).rejects.toMatchObject({ reason: "too-large" });
  });
});

describe("what no engine here decodes is named", () => {
  test.each([
    ["JPEG with 12 bits per sample", 0xc1, 12],
    ["JPEG with 12 bits per sample", 0xc9, 12],
    ["lossless JPEG", 0xc3, 8],
    ["lossless JPEG", 0xcb, 8],
    ["hierarchical JPEG", 0xc5, 8],
    ["hierarchical JPEG", 0xcd, 8],
  ])("%s (frame %i)", async (feature, marker, bits) => {
    const file = Buffer.from(rgb);
    const frame = file.subarray(file.indexOf(Buffer.from([0xff, 0xc0])));
    frame.writeUInt8(marker, 1);
    frame.writeUInt8(bits, 4);
    await expect(pdfOf(file)).rejects.toMatchObject({ reason: "unsupported", feature });
    const { values: _, ...size } = smooth(3);
    const page = plainTiff({ ...size, values: [] }, 6, 8, { 259: [7] });
    const inTiff = pdfOf(tiff([{ ...page, segments: [file] }]));
    await expect(inTiff).rejects.toMatchObject({ reason: "unsupported", feature });
  });
});

describe.skipIf(corpusDir === undefined)("real ones", () => {
  const real = (name: string) => readFileSync(join(corpusDir!, "images", name));

  test.each(["Portrait_8.jpg", "cmyk_colorspace.jpg", "cymk.jpg", "speed_bench_prog.jpg"])(
    "%s passes bit by bit",
    async (name) => {
      await passed(real(name));
    },
  );

  test("Adobe's YCCK has its profile and its inversion; so has plain CMYK of theirs", async () => {
    expect(await passed(real("cmyk_colorspace.jpg"))).toMatch(/\/ICCBased.*\/Decode\[1 0 1 0 1 0 1 0\]/);
    expect(await passed(real("cymk.jpg"))).toMatch(/\/DeviceCMYK.*\/Decode\[1 0 1 0 1 0 1 0\]/);
  });
});

/** Removes the application segments. */
function withoutSegments(file: Buffer): Buffer {
  let at = 2;
  while (file[at] === 0xff && (file[at + 1]! & 0xf0) === 0xe0) at += 2 + file.readUInt16BE(at + 2);
  return Buffer.concat([file.subarray(0, 2), file.subarray(at)]);
}
