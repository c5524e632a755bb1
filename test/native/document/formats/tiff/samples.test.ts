// Tests TIFF samples of every depth and kind: poppler and MuPDF must draw the pages with the same pixels.
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { pack, pattern, plainTiff, type TestSamples, tiff, toBits } from "../../../../fixtures/pictures.ts";
import { byTiffcp, expectPixels, imagesOf, onWhite, pdfOf } from "../../../../support/picture-pdfs.ts";
import { popplerPage } from "../../../../support/pictures.ts";

const [gray, rgb, rgba] = [pattern(1), pattern(3), pattern(4)];
const ORDERS = ["II", "MM"] as const;

const inverse = ({ values, ...picture }: TestSamples) => ({ ...picture, values: values.map((value) => 255 - value) });
const scaled = ({ values, ...picture }: TestSamples, bits: number) => ({
  ...picture,
  values: values.map((value) => Math.round((value * 255) / (2 ** bits - 1))),
});

describe("samples", () => {
  test.each(ORDERS)("1 to 16 bits, 24 and 32, of gray and RGB (%s)", async (order) => {
    for (const bits of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24, 32]) {
      const le = order === "II" && [16, 24, 32].includes(bits);
      for (const [picture, photometric] of [
        [gray, 1],
        [rgb, 2],
      ] as const) {
        const stored = toBits(picture, bits);
        const page = plainTiff(toBits(picture, 8), photometric, 8, {
          258: new Array<number>(picture.channels).fill(bits),
        });
        const file = tiff([{ ...page, segments: [Buffer.concat(pack(stored, bits, le))] }], order);
        await expectPixels(await pdfOf(file), scaled(stored, bits));
      }
    }
  });

  test("white is zero; signed numbers", async () => {
    await expectPixels(await pdfOf(tiff([plainTiff(gray, 0)])), inverse(gray));
    const bytes = { ...gray, values: gray.values.map((value) => value ^ 128) };
    await expectPixels(await pdfOf(tiff([plainTiff(bytes, 1, 8, { 339: [2] })])), gray);
    const words = { ...gray, values: gray.values.map((value) => (value * 257) ^ 0x8000) };
    await expectPixels(await pdfOf(tiff([plainTiff(words, 1, 16, { 339: [2] })])), gray);
  });

  test.each(ORDERS)(
    "floating point: 0 to 1 as it is, anything else from its least to its greatest (%s)",
    async (order) => {
      const floats = (values: number[], bytes: 4 | 8) => {
        const data = Buffer.alloc(values.length * bytes);
        values.forEach((value, index) => {
          if (bytes === 4) order === "II" ? data.writeFloatLE(value, index * 4) : data.writeFloatBE(value, index * 4);
          else order === "II" ? data.writeDoubleLE(value, index * 8) : data.writeDoubleBE(value, index * 8);
        });
        return data;
      };
      const [least, most] = [Math.min(...gray.values), Math.max(...gray.values)];
      const spread = {
        ...gray,
        values: gray.values.map((value) => Math.round(((value - least) * 255) / (most - least))),
      };
      for (const bytes of [4, 8] as const) {
        const page = plainTiff(gray, 1, 8, { 258: [bytes * 8], 339: [3] });
        const file = (scale: number) =>
          tiff(
            [
              {
                ...page,
                segments: [
                  floats(
                    gray.values.map((value) => value * scale),
                    bytes,
                  ),
                ],
              },
            ],
            order,
          );
        await expectPixels(await pdfOf(file(1 / 255)), gray);
        await expectPixels(await pdfOf(file(-3)), inverse(spread));
      }
    },
  );

  test("floating point under its predictor", async () => {
    const rows = gray.height;
    const data = Buffer.concat(
      Array.from({ length: rows }, (_, row) => {
        const values = gray.values.slice(row * gray.width, (row + 1) * gray.width);
        const whole = values.map((value) => {
          const bytes = Buffer.alloc(4);
          bytes.writeFloatBE(value / 255);
          return bytes;
        });
        const apart = [0, 1, 2, 3].flatMap((byte) => whole.map((bytes) => bytes[byte]!));
        return Buffer.from(apart.map((value, index) => value - (apart[index - 1] ?? 0)));
      }),
    );
    const page = plainTiff(gray, 1, 8, { 258: [32], 259: [8], 317: [3], 339: [3] });
    for (const order of ORDERS)
      await expectPixels(await pdfOf(tiff([{ ...page, segments: [deflateSync(data)] }], order)), gray);
  });

  test("palettes of 16 bits, and of 8", async () => {
    for (const bits of [1, 2, 3, 4, 8]) {
      const picture = toBits(gray, bits);
      const colors = Array.from({ length: 3 * 2 ** bits }, (_, index) => (index * 57 + 3) & 255);
      const values = picture.values.flatMap((index) => [0, 1, 2].map((color) => colors[color * 2 ** bits + index]!));
      const shown = { ...picture, channels: 3, values };
      for (const scale of [1, 257]) {
        const file = tiff([plainTiff(picture, 3, bits, { 320: colors.map((color) => color * scale) })]);
        await expectPixels(await pdfOf(file), shown);
      }
    }
  });

  test("opacity: unassociated, associated, gray, in planes, of 16 bits; samples that mean nothing", async () => {
    const file = (picture: TestSamples, kind: number, photometric = 2, bits = 8) =>
      tiff([plainTiff(picture, photometric, bits, { 338: [kind] })]);
    const premultiplied = {
      ...rgba,
      values: rgba.values.map((value, at) =>
        at % 4 === 3 ? value : Math.round((value * rgba.values[at - (at % 4) + 3]!) / 255),
      ),
    };
    const shown = onWhite(rgba);
    await expectPixels(await pdfOf(file(rgba, 2)), shown);
    await expectPixels(await pdfOf(await byTiffcp(file(rgba, 2), "-p", "separate")), shown);
    await expectPixels(
      await pdfOf(file({ ...rgba, values: rgba.values.map((value) => value * 257) }, 2, 2, 16)),
      shown,
    );
    await expectPixels(await pdfOf(file(premultiplied, 1)), shown, 2);
    await expectPixels(await pdfOf(file(pattern(2), 2, 1)), onWhite(pattern(2)));
    const opaque = { ...rgba, channels: 3, values: rgba.values.filter((_, at) => at % 4 !== 3) };
    await expectPixels(await pdfOf(file(rgba, 0)), opaque);
    await expectPixels(await pdfOf(tiff([plainTiff(rgba, 2)])), opaque);
    await expectPixels(await pdfOf(await byTiffcp(tiff([plainTiff(rgba, 2)]), "-p", "separate")), opaque);
  });

  test("subsampled YCbCr", async () => {
    const [width, height] = [40, 28];
    const units: number[] = [];
    for (let y = 0; y < height; y += 2)
      for (let x = 0; x < width; x += 2) units.push(x * 5, x * 5 + 9, x * 5, x * 5 + 9, 100 + y * 2, 140 - y * 2);
    const values: number[] = [];
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const [luma, cb, cr] = [
          (x - (x % 2)) * 5 + (x % 2) * 9,
          100 + (y - (y % 2)) * 2 - 128,
          140 - (y - (y % 2)) * 2 - 128,
        ];
        const color = [luma + 1.402 * cr, luma - 0.344136 * cb - 0.714136 * cr, luma + 1.772 * cb];
        values.push(...color.map((value) => Math.max(0, Math.min(255, Math.round(value)))));
      }
    }
    const picture = { width, height, channels: 3, values };
    const page = plainTiff(picture, 6, 8, { 530: [2, 2], 259: [8] });
    await expectPixels(await pdfOf(tiff([{ ...page, segments: [deflateSync(Buffer.from(units))] }])), picture, 2);
  });

  test("inks, lab and its kin keep their numbers", async () => {
    const cmyk = imagesOf(await pdfOf(await byTiffcp(tiff([plainTiff(rgba, 5, 8, { 332: [1] })]), "-p", "separate")));
    expect(cmyk[0]!.dictionary).toContain("/DeviceCMYK");
    expect(cmyk[0]!.dictionary).not.toContain("/Decode[");
    const lab = { width: 3, height: 1, channels: 3, values: [255, 0, 0, 128, 127, 128, 128, 128, 127] };
    for (const [photometric, bits] of [
      [8, 8],
      [9, 8],
      [8, 16],
      [9, 16],
    ] as const) {
      const signed =
        photometric === 8 ? lab.values : lab.values.map((value, at) => (at % 3 === 0 ? value : value ^ 128));
      const full = photometric === 9 && bits === 16 ? 256 : 257;
      const wide = bits === 8 ? signed : signed.map((value, at) => (at % 3 === 0 ? value * full : value * 256));
      const pdf = await pdfOf(tiff([plainTiff({ ...lab, values: wide }, photometric, bits)]));
      expect(imagesOf(pdf)[0]!.dictionary).toContain("/Lab");
      const { samples } = await popplerPage(pdf, 1, 72);
      const [white, , , red] = samples;
      expect(white).toBeGreaterThan(250);
      expect(red! - samples[4]!).toBeGreaterThan(60);
    }
  });
});
