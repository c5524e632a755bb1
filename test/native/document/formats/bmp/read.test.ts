// Tests BMP to PDF with every header, depth and encoding: poppler and MuPDF must draw the same pixels.
import { describe, expect, test } from "vitest";
import { bmp, bmpRows, jpeg, pack, pattern, png, type TestSamples, toBits } from "../../../../fixtures/pictures.ts";
import { expectPixels, imagesOf, onWhite, pageSizes, pdfOf } from "../../../../support/picture-pdfs.ts";

const [gray, rgb, rgba] = [pattern(1), pattern(3), pattern(4)];
const { width, height } = gray;

/** Returns the samples in the file's order, blue first. */
const swapped = ({ values, channels, ...picture }: TestSamples): TestSamples => ({
  ...picture,
  channels,
  values: values.map((_, at) => {
    const channel = at % channels;
    return values[at - channel + (channel < 3 ? 2 - channel : channel)]!;
  }),
});
const colors = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    [index * 57, index * 91 + 7, 255 - index * 3].map((value) => value & 255),
  );
const inColors = (picture: TestSamples, palette: readonly (readonly number[])[]): TestSamples => ({
  ...picture,
  channels: 3,
  values: picture.values.flatMap((index) => palette[index]!),
});

describe("palettes", () => {
  test.each([1, 4, 8])("%i bits, under every header", async (bits) => {
    const picture = toBits(gray, bits);
    const palette = colors(2 ** bits);
    const data = bmpRows(pack(picture, bits));
    for (const headerBytes of [12, 40, 52, 56, 64, 108, 124]) {
      await expectPixels(
        await pdfOf(bmp(width, height, { bits, headerBytes, palette, data })),
        inColors(picture, palette),
      );
    }
    const topDown = bmp(width, height, { bits, palette, isTopDown: true, data: bmpRows(pack(picture, bits), true) });
    await expectPixels(await pdfOf(topDown), inColors(picture, palette));
  });

  test("with fewer colors and with more", async () => {
    const few = { ...gray, values: gray.values.map((value) => value % 100) };
    await expectPixels(
      await pdfOf(bmp(width, height, { bits: 8, palette: colors(100), data: bmpRows(pack(few, 8)) })),
      inColors(few, colors(100)),
    );
    await expectPixels(
      await pdfOf(bmp(width, height, { bits: 8, palette: colors(300), data: bmpRows(pack(gray, 8)) })),
      inColors(gray, colors(256)),
    );
  });
});

describe("colors", () => {
  test("behind reserved words that are not zero, as some programs write their names there", async () => {
    for (const [reserved, headerBytes] of [
      ["GR32", 40],
      ["\x01\x02\x03\x04", 12],
      ["\xff\xff\xff\xff", 124],
    ] as const) {
      const file = bmp(width, height, { bits: 24, headerBytes, data: bmpRows(pack(swapped(rgb), 8)) });
      file.write(reserved, 6, "latin1");
      await expectPixels(await pdfOf(file), rgb);
    }
  });

  test("24 and 32 bits; the fourth byte means nothing", async () => {
    for (const headerBytes of [12, 40]) {
      await expectPixels(
        await pdfOf(bmp(width, height, { bits: 24, headerBytes, data: bmpRows(pack(swapped(rgb), 8)) })),
        rgb,
      );
    }
    const data = bmpRows(pack(swapped(rgba), 8));
    const opaque = { ...rgba, channels: 3, values: rgba.values.filter((_, at) => at % 4 !== 3) };
    await expectPixels(await pdfOf(bmp(width, height, { bits: 32, data })), opaque);
  });

  test.each([
    [16, []],
    [16, [0xf800, 0x7e0, 0x1f]],
    [16, [0xf00, 0xf0, 0xf]],
    [32, [0xff, 0xff00, 0xff0000]],
    [32, [0x3ff00000, 0xffc00, 0x3ff]],
    [32, [0xff000000, 0xff0000, 0xff00]],
    [32, [0x7, 0x38, 0xffc0]],
  ])("%i bits with the masks %o", async (bits, masks) => {
    const used = masks.length > 0 ? masks : [0x7c00, 0x3e0, 0x1f];
    const data: Buffer[] = [];
    const shown: number[] = [];
    for (let y = 0; y < height; y++) {
      const row = Buffer.alloc((width * bits) / 8);
      for (let x = 0; x < width; x++) {
        let pixel = 0n;
        used.forEach((mask, channel) => {
          const shift = BigInt(31 - Math.clz32(mask & -mask));
          const most = BigInt(mask) >> shift;
          const value = (BigInt(rgb.values[(y * width + x) * 3 + channel]!) * most) / 255n;
          pixel |= value << shift;
          shown.push(Math.round((Number(value) * 255) / Number(most)));
        });
        row.writeUIntLE(Number(pixel), (x * bits) / 8, bits / 8);
      }
      data.push(row);
    }
    for (const headerBytes of [40, 56, 124]) {
      const file = bmp(width, height, {
        bits,
        compression: masks.length > 0 ? 3 : 0,
        headerBytes,
        masks,
        data: bmpRows([...data]),
      });
      await expectPixels(await pdfOf(file), { width, height, channels: 3, values: shown });
    }
  });

  test("a mask of opacity, unless nothing would be seen", async () => {
    const masks = [0xff0000, 0xff00, 0xff, 0xff000000];
    for (const [headerBytes, compression] of [
      [56, 3],
      [108, 3],
      [40, 6],
    ] as const) {
      const options = { bits: 32, compression, headerBytes, masks };
      const file = bmp(width, height, { ...options, data: bmpRows(pack(swapped(rgba), 8)) });
      await expectPixels(await pdfOf(file), onWhite(rgba));
      const unset = { ...rgba, values: rgba.values.map((value, at) => (at % 4 === 3 ? 0 : value)) };
      const pdf = await pdfOf(bmp(width, height, { ...options, data: bmpRows(pack(swapped(unset), 8)) }));
      expect(imagesOf(pdf)).toHaveLength(1);
    }
  });
});

describe("run lengths", () => {
  const palette = colors(256);

  test("of bytes: runs, literals, ends of rows", async () => {
    const rows = Array.from({ length: height }, (_, y) =>
      gray.values.slice(y * width, (y + 1) * width).map((value) => value & 0xf0),
    );
    const data = rows.reverse().flatMap((row) => {
      const codes: number[] = [];
      for (let at = 0; at < width; ) {
        let run = 1;
        while (at + run < width && row[at + run] === row[at]) run++;
        const literal = row.slice(at, at + 5);
        if (run > 1 || literal.length < 5) codes.push(run, row[at]!);
        else codes.push(0, 5, ...literal, 0);
        at += run > 1 || literal.length < 5 ? run : 5;
      }
      return [...codes, 0, 0];
    });
    const shown = { ...gray, values: gray.values.map((value) => value & 0xf0) };
    const file = bmp(width, height, { bits: 8, compression: 1, palette, data: Buffer.from([...data, 0, 1]) });
    await expectPixels(await pdfOf(file), inColors(shown, palette));
    expect((await pdfOf(file, {}, 3)).equals(await pdfOf(file))).toBe(true);
  });

  test("of half bytes, of whole pixels, and places that are skipped", async () => {
    const four = colors(16);
    const halves = Buffer.from([5, 0x12, 0, 3, 0x34, 0x50, 0, 0, 0, 2, 1, 1, 2, 0x66, 0, 1]);
    const shown = [
      [0, 6, 6, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0, 0, 0, 0],
      [1, 2, 1, 2, 1, 3, 4, 5],
    ];
    // The skip is encoded in two steps: to the next row by an end of row, then one to the right and one up.
    const expected = { width: 8, height: 3, channels: 1, values: shown.flat() };
    await expectPixels(
      await pdfOf(bmp(8, 3, { bits: 4, compression: 2, palette: four, data: halves })),
      inColors(expected, four),
    );
    const pixels = Buffer.from([2, 10, 20, 30, 0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 5, 200, 100, 0, 0, 1]);
    const whole = [
      [0, 100, 200],
      [0, 100, 200],
      [0, 100, 200],
      [0, 100, 200],
      [0, 100, 200],
      [30, 20, 10],
      [30, 20, 10],
      [3, 2, 1],
      [6, 5, 4],
      [9, 8, 7],
    ];
    const file = bmp(5, 3, { bits: 24, compression: 4, headerBytes: 64, data: pixels });
    await expectPixels(await pdfOf(file), {
      width: 5,
      height: 3,
      channels: 3,
      values: [...new Array<number>(15).fill(0), ...whole.flat()],
    });
  });
});

test("a JPEG or a PNG inside passes as it is", async () => {
  const inner = jpeg(rgb, "rgb");
  const [image] = imagesOf(await pdfOf(bmp(width, height, { bits: 0, compression: 4, data: inner })));
  expect(image!.data.equals(inner)).toBe(true);
  await expectPixels(
    await pdfOf(bmp(width, height, { bits: 0, compression: 5, data: png(rgb, { colorType: 2, bits: 8 }) })),
    rgb,
  );
});

test("the page's size follows from dots per meter", async () => {
  const file = bmp(width, height, { bits: 24, pixelsPerMeter: 11_811, data: bmpRows(pack(rgb, 8)) });
  expect(pageSizes(await pdfOf(file))[0]!.map((points) => Math.round(points * 100) / 100)).toEqual([9.84, 6.96]);
});

describe("color spaces of the later headers", () => {
  const withHeader = (write: (header: Buffer) => void, behind = Buffer.alloc(0)) => {
    const file = bmp(width, height, { bits: 24, headerBytes: 124, data: bmpRows(pack(rgb, 8)) });
    write(file.subarray(14));
    return Buffer.concat([file, behind]);
  };
  const spaceOf = async (file: Buffer) =>
    /\/ColorSpace(.*?)\/BitsPerComponent/.exec(imagesOf(await pdfOf(file))[0]!.dictionary)![1]!;

  test("calibrated, where it says how", async () => {
    const unsaid = withHeader((header) => void header.writeUInt32LE(0, 56));
    expect(await spaceOf(unsaid)).toBe("/DeviceRGB");
    const wide = withHeader((header) => {
      header.writeUInt32LE(0, 56);
      [0.6, 0.3, 0.03, 0.2, 0.6, 0.1, 0.15, 0.1, 0.8].forEach(
        (value, index) => void header.writeUInt32LE(Math.round(value * 2 ** 30), 60 + index * 4),
      );
      for (const at of [96, 100, 104]) header.writeUInt32LE(1.8 * 65_536, at);
    });
    expect(await spaceOf(wide)).toContain("/Gamma[1.79");
  });

  test("a profile at its end", async () => {
    const profile = Buffer.alloc(160);
    profile.writeUInt32BE(160);
    profile.set([2], 8);
    profile.write("mntrRGB XYZ ", 12);
    profile.write("acsp", 36);
    profile.set([0, 0, 0, 1], 128);
    profile.writeUInt32BE(144, 136);
    const size = withHeader(() => {}).length;
    const tagged = (offset: number) =>
      withHeader((header) => {
        header.write("DEBM", 56);
        header.writeUInt32LE(offset - 14, 112);
        header.writeUInt32LE(160, 116);
      }, profile);
    expect(await spaceOf(tagged(size))).toContain("/ICCBased");
    expect(await spaceOf(tagged(size + 99))).toBe("/DeviceRGB");
  });
});

describe("damage and malice", () => {
  const whole = bmp(width, height, { bits: 24, data: bmpRows(pack(swapped(rgb), 8)) });

  test("a file that is cut off: what is there, then white", async () => {
    const stride = Math.ceil((width * 3) / 4) * 4;
    const { values, ...size } = rgb;
    const shown = values.map((value, at) => (at < (height - 10) * width * 3 ? 255 : value));
    await expectPixels(await pdfOf(whole.subarray(0, 54 + 10 * stride + 5)), { ...size, values: shown });
  });

  test.each([
    ["no pixels", whole.subarray(0, 54), "damaged"],
    ["half a header", whole.subarray(0, 30), "damaged"],
    ["a depth of 3", bmp(4, 4, { bits: 3, data: Buffer.alloc(64) }), "damaged"],
    ["sides that no picture has", bmp(2 ** 31 - 1, 2 ** 31 - 1, { bits: 32, data: Buffer.alloc(64) }), "too-complex"],
    [
      "runs of nothing for a huge picture",
      bmp(60_000, 60_000, { bits: 8, compression: 1, pixelsPerMeter: 100_000, data: Buffer.from([0, 1]) }),
      "too-complex",
    ],
    ["a coding that nobody knows", bmp(4, 4, { bits: 8, compression: 11, data: Buffer.alloc(64) }), "unsupported"],
  ])("%s: refused", async (_, file, reason) => {
    await expect(pdfOf(file)).rejects.toMatchObject({ reason });
  });
});
