// Tests JPEG images as libjpeg-turbo, MuPDF and poppler show them, and compares them with the output of libjpeg-turbo
// (cjpeg, baseline, not optimized).
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { PDFDocument } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { JPEG_MAX_SIDE } from "../../../../../src/document/formats/jpeg/write.ts";
import { decode, type Picture, pixel, popplerPage, withFile } from "../../../../support/pictures.ts";
import {
  cjpeg,
  encode,
  MODELS,
  noise,
  type Paint,
  paint,
  photograph,
  psnr,
  segmentOf,
  segmentsOf,
  textPage,
} from "../jpeg-pictures.ts";

const run = promisify(execFile);

const QUALITIES = [1, 10, 50, 75, 89, 90, 96, 97, 100];
/** Maximum difference, in decibels, by which an image can be worse than cjpeg's. */
const MARGIN = 0.25;
const SIZE_RATIO = 1.05;

async function compareWithCjpeg(picture: Picture, quality: number): Promise<void> {
  const [ours, theirs] = [encode(picture, quality), await cjpeg(picture, quality)];
  const difference = psnr(picture, await decode(ours, "jpg")) - psnr(picture, await decode(theirs, "jpg"));
  expect(difference).toBeGreaterThan(-MARGIN);
  expect(ours.length / theirs.length).toBeLessThan(SIZE_RATIO);
}

describe("as good and as small as libjpeg-turbo's", () => {
  const [width, height] = [331, 277];
  for (const channels of [1, 3]) {
    test.each(QUALITIES)(`photograph, ${MODELS[channels]}, quality %i`, async (quality) => {
      await compareWithCjpeg(photograph(width, height, channels), quality);
    });
    test.each(QUALITIES)(`text page, ${MODELS[channels]}, quality %i`, async (quality) => {
      await compareWithCjpeg(textPage(width, height, channels), quality);
    });
    test.each([5, 75, 96, 100])(`random noise, ${MODELS[channels]}, quality %i`, async (quality) => {
      await compareWithCjpeg(noise(200, 120, channels), quality);
    });
  }

  test.each(QUALITIES)("each ink of CMYK like a gray picture, quality %i", async (quality) => {
    const inks = photograph(width, height, 4);
    // A decoder that multiplies inks returns three inks unchanged if black is 0, and black unchanged if the three inks
    // are 0.
    const noBlack = paint(width, height, 4, (x, y, ink) => (ink === 3 ? 0 : pixel(inks, x, y)[ink]!));
    const noColor = paint(width, height, 4, (x, y, ink) => (ink === 3 ? pixel(inks, x, y)[3]! : 0));
    const rgb = await decode(encode(noBlack, quality), "jpg");
    const black = await decode(encode(noColor, quality), "jpg");
    for (const ink of [0, 1, 2, 3]) {
      const light = paint(width, height, 1, (x, y) => 255 - pixel(inks, x, y)[ink]!);
      const decoded = paint(width, height, 1, (x, y) => pixel(ink === 3 ? black : rgb, x, y)[ink % 3]!);
      const theirs = await decode(await cjpeg(light, quality), "jpg");
      expect(psnr(light, decoded) - psnr(light, theirs)).toBeGreaterThan(-MARGIN);
    }
  });
});

describe("sizes that are no whole MCUs", () => {
  const sides = [1, 7, 8, 9, 15, 16, 17, 33];
  test.each(sides)("%i pixels wide", async (width) => {
    for (const height of sides) {
      for (const channels of [1, 3]) {
        for (const quality of [80, 92]) {
          const picture = photograph(width, height, channels);
          const ours = psnr(picture, await decode(encode(picture, quality), "jpg"));
          const theirs = psnr(picture, await decode(await cjpeg(picture, quality), "jpg"));
          // With so few pixels, single roundings matter.
          expect(ours, `${width} x ${height}, ${MODELS[channels]}`).toBeGreaterThan(Math.min(theirs, 50) - 1);
        }
      }
      const cmyk = paint(width, height, 4, (x, _, ink) => [x * 3, 40, 90, 20][ink]!);
      const naive = paint(width, height, 3, (x, y, ink) => {
        const inks = pixel(cmyk, x, y);
        return Math.round(((255 - inks[ink]!) * (255 - inks[3]!)) / 255);
      });
      expect(psnr(naive, await decode(encode(cmyk, 92), "jpg"))).toBeGreaterThan(40);
    }
  });

  // libjpeg's limit; the format allows 65535.
  const libjpegSide = 65500;
  test.each([
    [9, libjpegSide],
    [libjpegSide, 9],
  ])("%i x %i, the largest side that libjpeg reads", async (width, height) => {
    const picture = paint(width, height, 3, (x, y, channel) => ((x + y) >> 7) * (channel + 1) * 5);
    expect(psnr(picture, await decode(encode(picture, 90), "jpg"))).toBeGreaterThan(35);
  });

  test("the largest sides of the format stand in the frame", () => {
    const side = (width: number, height: number) => [
      ...segmentOf(
        encode(
          paint(width, height, 1, (x) => x),
          90,
        ),
        0xc0,
      )!,
    ];
    expect(side(9, JPEG_MAX_SIDE).slice(1, 5)).toEqual([255, 255, 0, 9]);
    expect(side(JPEG_MAX_SIDE, 9).slice(1, 5)).toEqual([0, 9, 255, 255]);
  });
});

describe("extreme samples", () => {
  test("the largest coefficients there are come back", async () => {
    // Black or white by the sign of each cosine of the transform: the maximum of every basis function.
    const sign = (position: number, frequency: number) => Math.cos(((2 * position + 1) * frequency * Math.PI) / 16) > 0;
    const basis: Paint = (x, y) => (sign(x & 7, x >> 3) === sign(y & 7, y >> 3) ? 255 : 0);
    for (const channels of [1, 3]) {
      const picture = paint(64, 64, channels, basis);
      expect(psnr(picture, await decode(encode(picture, 100), "jpg"))).toBeGreaterThan(50);
      expect(psnr(picture, await decode(encode(picture, 96), "jpg"))).toBeGreaterThan(40);
    }
  });

  test("pictures of one color have that color everywhere", async () => {
    for (const rgb of [
      [255, 255, 255],
      [0, 0, 0],
      [255, 0, 0],
      [0, 0, 255],
      [200, 120, 13],
    ]) {
      for (const quality of [75, 92, 100]) {
        const picture = paint(70, 41, 3, (_x, _y, channel) => rgb[channel]!);
        const decoded = await decode(encode(picture, quality), "jpg");
        expect(new Set(decoded.samples.map((sample, index) => sample ^ decoded.samples[index % 3]!))).toEqual(
          new Set([0]),
        );
        expect(psnr(picture, decoded)).toBeGreaterThan(38);
      }
    }
  });
});

describe("CMYK", () => {
  // Columns of 40 pixels: paper, the four inks, and cyan over yellow.
  const INKS = [
    [0, 0, 0, 0],
    [255, 0, 0, 0],
    [0, 255, 0, 0],
    [0, 0, 255, 0],
    [0, 0, 0, 255],
    [255, 0, 255, 0],
  ];
  const chart = paint(240, 40, 4, (x, _, ink) => INKS[Math.floor(x / 40)]![ink]!);
  const EXPECTED = ["white", "cyan", "magenta", "yellow", "black", "green"];

  function nameOf([red, green, blue]: number[]): string {
    const names = ["black", "blue", "green", "cyan", "red", "magenta", "yellow", "white"];
    return names[(red! > 127 ? 4 : 0) + (green! > 127 ? 2 : 0) + (blue! > 127 ? 1 : 0)]!;
  }
  const columns = (shown: Picture) => EXPECTED.map((_, index) => nameOf(pixel(shown, 40 * index + 20, 20)));
  const jpeg = encode(chart, 90);

  test("is Adobe's, and needs no JFIF for its resolution", () => {
    const markers = segmentsOf(jpeg).map(({ marker }) => marker);
    expect(Buffer.from(segmentOf(jpeg, 0xee)!).toString("latin1")).toBe("Adobe\0d\0\0\0\0\0");
    expect(markers).toContain(0xe1);
    expect(markers).not.toContain(0xe0);
  });

  test("shows its colors in libjpeg", async () => {
    expect(columns(await decode(jpeg, "jpg"))).toEqual(EXPECTED);
  });

  test("shows its colors in MuPDF", async () => {
    const png = await withFile(jpeg, "picture.jpg", async (file) => {
      const { stdout } = await run("mutool", ["draw", "-q", "-r", "300", "-F", "png", "-o", "-", file], {
        encoding: "buffer",
      });
      return stdout;
    });
    const shown = await decode(png, "opaquePng");
    expect([shown.width, shown.height]).toEqual([240, 40]);
    expect(columns(shown)).toEqual(EXPECTED);
  });

  test("shows its colors in a PDF in poppler", async () => {
    const document = await PDFDocument.create();
    const page = document.addPage([240, 40]);
    page.drawImage(await document.embedJpg(jpeg), { width: 240, height: 40 });
    expect(columns(await popplerPage(await document.save(), 1, 72))).toEqual(EXPECTED);
  });
});
