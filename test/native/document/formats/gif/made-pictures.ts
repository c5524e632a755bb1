// Makes pictures, and writes and reads them as GIF files.
import { execFileSync } from "node:child_process";
import { expect } from "vitest";
import type { Band, Raster } from "../../../../../src/document/contract/raster.ts";
import { encodeGif } from "../../../../../src/document/formats/gif/write.ts";

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly colorModel: "rgb" | "gray";
  readonly samples: Uint8Array;
}

const channels = (picture: Picture) => (picture.colorModel === "rgb" ? 3 : 1);

/** Yields pseudorandom numbers that are the same in every run (Marsaglia's xorshift). */
export function* noise(seed = 1): Generator<number> {
  for (let state = seed; ; ) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield state >>> 24;
  }
}

export function rgb(width: number, height: number, pixel: (x: number, y: number) => ArrayLike<number>): Picture {
  const samples = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) samples.set(pixel(x, y), (y * width + x) * 3);
  return { width, height, colorModel: "rgb", samples };
}

export function gray(width: number, height: number, pixel: (x: number, y: number) => number): Picture {
  const samples = Uint8Array.from({ length: width * height }, (_, i) => pixel(i % width, Math.floor(i / width)));
  return { width, height, colorModel: "gray", samples };
}

/**
 * Returns a raster whose bands share one buffer. The bands are not always word-aligned, and each band overwrites the
 * previous one.
 */
export function raster(picture: Picture, heights: readonly number[] = [64]): Raster {
  const { width, height, colorModel, samples } = picture;
  const stride = width * channels(picture);
  const buffer = new Uint8Array(stride * Math.max(...heights) + 3);
  return {
    width,
    height,
    dpi: 300,
    colorModel,
    *bands(): Generator<Band> {
      for (let top = 0, i = 0; top < height; i++) {
        const rows = Math.min(heights[i % heights.length]!, height - top);
        const band = buffer.subarray(i % 4, (i % 4) + rows * stride);
        band.set(samples.subarray(top * stride, (top + rows) * stride));
        yield { top, rows, samples: band };
        buffer.fill(0xaa);
        top += rows;
      }
    },
  };
}

export function encode(picture: Picture, heights?: readonly number[]): Buffer {
  return Buffer.concat(Array.from(encodeGif(raster(picture, heights)), (chunk) => chunk.slice()));
}

/** Returns netpbm's reading of a file, as RGB. */
export function decode(gif: Uint8Array): Picture {
  const pnm = execFileSync("giftopnm", ["-quiet"], { input: gif, maxBuffer: 1 << 28 });
  const header = /^P([456])\s+(\d+)\s+(\d+)\s+(?:255\s)?/.exec(pnm.subarray(0, 40).toString("latin1"));
  if (header === null) throw new Error("giftopnm gave no picture");
  const [kind, width = 0, height = 0] = header.slice(1).map(Number);
  const data = pnm.subarray(header[0].length);
  if (kind === 6) return { width, height, colorModel: "rgb", samples: data };
  const stride = Math.ceil(width / 8);
  const bits = (x: number, y: number) => ((data[y * stride + (x >> 3)]! >> (7 - (x & 7))) & 1 ? 0 : 255);
  return rgb(width, height, (x, y) => {
    const level = kind === 5 ? data[y * width + x]! : bits(x, y);
    return [level, level, level];
  });
}

function asRgb(picture: Picture): Picture {
  if (picture.colorModel === "rgb") return picture;
  return rgb(picture.width, picture.height, (x, y) => new Array(3).fill(picture.samples[y * picture.width + x]));
}

export function expectExact(picture: Picture): Buffer {
  const gif = encode(picture);
  const got = decode(gif);
  expect([got.width, got.height]).toEqual([picture.width, picture.height]);
  expect(Buffer.compare(got.samples, asRgb(picture).samples)).toBe(0);
  return gif;
}

export const entries = (gif: Uint8Array) => 2 << (gif[10]! & 7);

export function palette(gif: Uint8Array): number[][] {
  return Array.from({ length: entries(gif) }, (_, i) => [...gif.subarray(13 + i * 3, 16 + i * 3)]);
}

/**
 * Reads all blocks and codes of a GIF (GIF89a, clause 22 and Appendix F). @throws Error if the file violates the format
 */
export function walk(gif: Buffer): { pixels: number; clears: number } {
  const image = 13 + 3 * entries(gif);
  if (gif[image] !== 0x2c) throw new Error("no image descriptor");
  const codeSize = gif[image + 10]!;
  const parts: Buffer[] = [];
  let at = image + 11;
  for (; gif[at] !== 0; at += gif[at]! + 1) parts.push(gif.subarray(at + 1, at + 1 + gif[at]!));
  if (at + 2 !== gif.length || gif[at + 1] !== 0x3b) throw new Error("the file does not end with its trailer");
  if (parts.slice(0, -1).some((part) => part.length !== 255)) throw new Error("a sub-block is not full");
  const data = Buffer.concat(parts);
  const clear = 1 << codeSize;
  let width = codeSize + 1;
  let lengths: number[] = [];
  let before = 0;
  let pixels = 0;
  let clears = 0;
  for (let bit = 0; ; ) {
    let code = 0;
    for (let i = 0; i < width; i++, bit++) code |= ((data[bit >> 3]! >> (bit & 7)) & 1) << i;
    if (bit > data.length * 8) throw new Error("the codes have no end");
    if (code === clear + 1) {
      if (data.length * 8 - bit >= 8) throw new Error("bytes follow the end code");
      return { pixels, clears };
    }
    if (code === clear) {
      clears++;
      width = codeSize + 1;
      lengths = Array.from({ length: clear + 2 }, () => 1);
      before = 0;
      continue;
    }
    if (clears === 0 || code > lengths.length || (code === lengths.length && before === 0))
      throw new Error("unknown code");
    if (before > 0 && lengths.length < 4096) lengths.push(before + 1);
    before = lengths[code]!;
    pixels += before;
    if (lengths.length === 1 << width && width < 12) width++;
  }
}

/**
 * Returns the mean of 5 x 5 pixels around each pixel that is far enough from the edge: the look of an image from a
 * distance.
 */
export function blurred({ width, height, samples }: Picture): Float64Array {
  const out = new Float64Array(width * height * 3);
  for (let y = 2; y < height - 2; y++) {
    for (let i = 6; i < width * 3 - 6; i++) {
      let sum = 0;
      for (let dy = -2; dy <= 2; dy++)
        for (let dx = -6; dx <= 6; dx += 3) sum += samples[(y + dy) * width * 3 + i + dx]!;
      out[y * width * 3 + i] = sum / 25;
    }
  }
  return out;
}

export function rootMeanSquare(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return Math.sqrt(sum / a.length);
}

/** Returns the image with the nearest color of the file's palette for every pixel. */
export function undithered(picture: Picture, gif: Uint8Array): Picture {
  const colors = palette(gif);
  return rgb(picture.width, picture.height, (x, y) => {
    const at = (y * picture.width + x) * 3;
    const distance = (color: number[]) =>
      color.reduce((sum, sample, channel) => sum + (sample - picture.samples[at + channel]!) ** 2, 0);
    return colors.reduce((best, color) => (distance(color) < distance(best) ? color : best));
  });
}

/** Returns an image that is smooth in all three channels, with some grain, like a photograph of a sky and a wall. */
export function photograph(width: number, height: number): Picture {
  const grain = noise(7);
  return rgb(width, height, (x, y) => {
    const dark = 40 * Math.sin(x / 37) * Math.cos(y / 29);
    const jitter = (grain.next().value as number) / 64;
    return [
      60 + (150 * x) / width + dark + jitter,
      90 + (120 * y) / height + dark / 2 + jitter,
      200 - (110 * (x + y)) / (width + height) - dark + jitter,
    ];
  });
}
