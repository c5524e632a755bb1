// Tests the resampling of JPEGs, and the encoding of small JPEGs. libjpeg decodes the results.
import { describe, expect, test } from "vitest";
import { ImageKernel } from "../../../../../src/document/formats/image-kernel.ts";
import { JpegReader } from "../../../../../src/document/formats/jpeg/entropy/coefficients.ts";
import { UnreadableJpeg } from "../../../../../src/document/formats/jpeg/file.ts";
import { resampleJpeg } from "../../../../../src/document/formats/jpeg/resample.ts";
import { encodePixels, encodePlanes, newPixels } from "../../../../../src/document/formats/jpeg/samples.ts";
import { decode, type Picture, perceptualDistance } from "../../../../support/pictures.ts";
import { cjpeg, encode, photograph, psnr, textPage } from "../jpeg-pictures.ts";

const ROOMY = 2 ** 29;
const ONE = { across: 1, down: 1 };
const HALF = [{ across: 2, down: 2 }, ONE, ONE];

function smallJpeg(picture: Picture, quality: number, subsampled: boolean): Uint8Array {
  using kernel = new ImageKernel();
  const { width, height, channels, samples } = picture;
  const pixels = newPixels(kernel, width, height, channels);
  for (let y = 0; y < height; y++) {
    const row = samples.subarray(y * width * channels, (y + 1) * width * channels);
    kernel.view(pixels.at + y * pixels.stride, row.length).set(row);
  }
  return encodePixels(kernel, pixels, { quality, subsampled }, channels === 3);
}

describe("pixels to a small JPEG", () => {
  test.each([
    [1, false],
    [3, false],
    [3, true],
  ])("%i samples a pixel, subsampled: %s", async (channels, subsampled) => {
    for (const [width, height] of [
      [200, 150],
      [17, 33],
      [8, 1],
      [1, 1],
    ] as const) {
      const picture = photograph(width, height, channels);
      const jpeg = await decode(smallJpeg(picture, 92, subsampled), "jpg");
      expect(perceptualDistance(jpeg, picture, 2)).toBeLessThan(subsampled ? 6 : 3);
    }
  });

  test("is smaller than libjpeg's at nearly the same picture", async () => {
    for (const [paint, quality] of [
      [photograph, 60],
      [photograph, 85],
      [textPage, 60],
    ] as const) {
      const picture = paint(512, 384, 3);
      const [ours, theirs] = [smallJpeg(picture, quality, true), await cjpeg(picture, quality)];
      expect(ours.length).toBeLessThan(0.93 * theirs.length);
      const [a, b] = await Promise.all([decode(ours, "jpg"), decode(theirs, "jpg")]);
      expect(psnr(a, picture)).toBeGreaterThan(psnr(b, picture) - 1.5);
    }
  });
});

describe("another size", () => {
  /** Returns an image of means: each pixel is the mean of the pixels that it covers. */
  function average(picture: Picture, width: number, height: number): Picture {
    const { channels, samples } = picture;
    const [sx, sy] = [picture.width / width, picture.height / height];
    const result = new Uint8Array(width * height * channels);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        for (let channel = 0; channel < channels; channel++) {
          let [sum, weights] = [0, 0];
          for (let v = Math.floor(y * sy); v < Math.min(picture.height, (y + 1) * sy); v++) {
            const down = Math.min(v + 1, (y + 1) * sy) - Math.max(v, y * sy);
            for (let u = Math.floor(x * sx); u < Math.min(picture.width, (x + 1) * sx); u++) {
              const weight = down * (Math.min(u + 1, (x + 1) * sx) - Math.max(u, x * sx));
              sum += weight * samples[(v * picture.width + u) * channels + channel]!;
              weights += weight;
            }
          }
          result[(y * width + x) * channels + channel] = Math.round(sum / weights);
        }
      }
    }
    return { width, height, channels, samples: result };
  }

  function resampled(jpeg: Uint8Array, width: number, height: number, sampling?: typeof HALF): Uint8Array {
    using kernel = new ImageKernel();
    const reader = new JpegReader(kernel, jpeg);
    const factors = sampling ?? reader.frame.components.map(() => ONE);
    const planes = resampleJpeg(kernel, reader, width, height, factors, ROOMY);
    return encodePlanes(kernel, width, height, planes, { quality: 98, subsampled: true }, undefined);
  }

  test.each([
    [3, 80],
    [3, 95],
    [1, 80],
  ])("%i components of quality %i", async (channels, quality) => {
    const jpeg = encode(photograph(301, 207, channels), quality);
    const full = await decode(jpeg, "jpg");
    for (const [width, height] of [
      [150, 103],
      [97, 64],
      [300, 206],
      [31, 200],
      [1, 1],
    ] as const) {
      const small = await decode(resampled(jpeg, width, height), "jpg");
      expect([small.width, small.height]).toEqual([width, height]);
      expect(perceptualDistance(small, average(full, width, height), 2)).toBeLessThan(1.5);
      if (channels === 1) continue;
      const half = await decode(resampled(jpeg, width, height, HALF), "jpg");
      expect(perceptualDistance(half, average(full, width, height), 2)).toBeLessThan(5);
    }
  });

  test("the size it has", async () => {
    const jpeg = encode(photograph(120, 90, 1), 90);
    expect(psnr(await decode(resampled(jpeg, 120, 90), "jpg"), await decode(jpeg, "jpg"))).toBeGreaterThan(42);
  });

  test("a damaged file is told, not guessed", () => {
    const jpeg = encode(photograph(301, 207, 3), 80);
    expect(() => resampled(jpeg.subarray(0, jpeg.length / 2), 100, 100)).toThrow(UnreadableJpeg);
  });
});
