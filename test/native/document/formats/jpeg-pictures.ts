// Synthetic images for the tests of the JPEG codec, and another encoder's output for them.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { Band, ColorModel, Raster } from "../../../../src/document/contract/raster.ts";
import { encodeJpeg } from "../../../../src/document/formats/jpeg/write.ts";
import { type Picture, withFile } from "../../../support/pictures.ts";
import { randomOf } from "../../../support/random.ts";

const run = promisify(execFile);
const BINARY = { encoding: "buffer", maxBuffer: 2 ** 30 } as const;

export type Paint = (x: number, y: number, channel: number) => number;

export function paint(width: number, height: number, channels: number, color: Paint): Picture {
  const samples = new Uint8ClampedArray(width * height * channels);
  let at = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < channels; channel++) samples[at++] = color(x, y, channel);
    }
  }
  return { width, height, channels, samples: new Uint8Array(samples.buffer) };
}

/** Returns smooth shades, a little grain and hard edges, as in a photograph. */
export function photograph(width: number, height: number, channels: number): Picture {
  const grain = randomOf(7);
  return paint(width, height, channels, (x, y, channel) => {
    const shade = 128 + 70 * Math.sin(x / 23 + channel) + 50 * Math.cos(y / 31 - channel * 2 + x / 90);
    const edge = (x - width / 2) ** 2 + (y - height / 2) ** 2 < (width / 4) ** 2 ? 60 - 50 * channel : 0;
    return shade + edge + 12 * (grain() - 0.5);
  });
}

/** Returns black strokes with soft edges on white paper, and a box of one color. */
export function textPage(width: number, height: number, channels: number): Picture {
  return paint(width, height, channels, (x, y, channel) => {
    if (x > width - 50 && y > height - 50) return [30, 90, 200][channel]!;
    const line = y % 40 < 12 && y > 40 && x > 20 && x < width - 60;
    return line ? 255 - 255 * Math.min(1, Math.max(0, 1.2 - Math.abs(Math.sin((x * (3 + (y % 40))) / 19)) * 2)) : 255;
  });
}

export function noise(width: number, height: number, channels: number): Picture {
  const value = randomOf(99);
  return paint(width, height, channels, () => 256 * value());
}

export const MODELS: Readonly<Record<number, ColorModel>> = { 1: "gray", 3: "rgb", 4: "cmyk" };

/** @param bandHeights heights of the bands, repeated in this order */
export function rasterOf(picture: Picture, bandHeights: readonly number[] = [50], more: Partial<Raster> = {}): Raster {
  const { width, height, channels, samples } = picture;
  return {
    width,
    height,
    dpi: 300,
    colorModel: MODELS[channels]!,
    *bands(): Generator<Band> {
      const stride = width * channels;
      for (let top = 0, turn = 0; top < height; turn++) {
        const rows = Math.min(bandHeights[turn % bandHeights.length]!, height - top);
        // A copy that is overwritten later, because an encoder must not use a band after it has returned.
        const lent = samples.slice(top * stride, (top + rows) * stride);
        yield { top, rows, samples: lent };
        lent.fill(0x55);
        top += rows;
      }
    },
    ...more,
  };
}

export function concatenate(chunks: Iterable<Uint8Array>): Uint8Array {
  return new Uint8Array(Buffer.concat(Array.from(chunks, (chunk) => chunk.slice())));
}

export const encode = (picture: Picture, quality: number) => concatenate(encodeJpeg(rasterOf(picture), { quality }));

/** Returns libjpeg-turbo's encoding of the same picture with the same settings. */
export async function cjpeg(picture: Picture, quality: number): Promise<Uint8Array> {
  const { width, height, channels, samples } = picture;
  const header = Buffer.from(`P${channels === 1 ? 5 : 6}\n${width} ${height}\n255\n`);
  const sampling = ["-sample", quality < 90 ? "2x2" : "1x1"];
  const options = ["-baseline", "-quality", String(quality), ...(channels === 1 ? [] : sampling)];
  return withFile(Buffer.concat([header, samples]), "picture.pnm", async (file) => {
    const { stdout } = await run("cjpeg", [...options, file], BINARY);
    return new Uint8Array(stdout);
  });
}

/** Returns the peak signal-to-noise ratio, in decibels. */
export function psnr(a: Picture, b: Picture): number {
  expect([b.width, b.height, b.channels]).toEqual([a.width, a.height, a.channels]);
  let sum = 0;
  for (let index = 0; index < a.samples.length; index++) sum += (a.samples[index]! - b.samples[index]!) ** 2;
  return sum === 0 ? 99 : 10 * Math.log10((255 * 255 * a.samples.length) / sum);
}

interface Segment {
  readonly marker: number;
  readonly data: Uint8Array;
}

/** Returns the marker segments up to SOS. */
export function segmentsOf(jpeg: Uint8Array): Segment[] {
  const segments: Segment[] = [];
  for (let at = 2; jpeg[at + 1] !== 0xda; ) {
    const length = (jpeg[at + 2]! << 8) | jpeg[at + 3]!;
    segments.push({ marker: jpeg[at + 1]!, data: jpeg.subarray(at + 4, at + 2 + length) });
    at += 2 + length;
  }
  return segments;
}

export const segmentOf = (jpeg: Uint8Array, wanted: number) =>
  segmentsOf(jpeg).find(({ marker }) => marker === wanted)?.data;
