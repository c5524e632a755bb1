// Tests GIF files by reading them with other programs.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { Band, ColorModel, Raster } from "../../../../../src/document/contract/raster.ts";
import { encodeGif, GIF_MAX_SIDE } from "../../../../../src/document/formats/gif/write.ts";

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly colorModel: "rgb" | "gray";
  readonly samples: Uint8Array;
}

const channels = (picture: Picture) => (picture.colorModel === "rgb" ? 3 : 1);

/** Yields pseudorandom numbers that are the same in every run (Marsaglia's xorshift). */
function* noise(seed = 1): Generator<number> {
  for (let state = seed; ; ) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield state >>> 24;
  }
}

function rgb(width: number, height: number, pixel: (x: number, y: number) => ArrayLike<number>): Picture {
  const samples = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) samples.set(pixel(x, y), (y * width + x) * 3);
  return { width, height, colorModel: "rgb", samples };
}

function gray(width: number, height: number, pixel: (x: number, y: number) => number): Picture {
  const samples = Uint8Array.from({ length: width * height }, (_, i) => pixel(i % width, Math.floor(i / width)));
  return { width, height, colorModel: "gray", samples };
}

/**
 * Returns a raster whose bands share one buffer. The bands are not always word-aligned, and each band overwrites the
 * previous one.
 */
function raster(picture: Picture, heights: readonly number[] = [64]): Raster {
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

function encode(picture: Picture, heights?: readonly number[]): Buffer {
  return Buffer.concat(Array.from(encodeGif(raster(picture, heights)), (chunk) => chunk.slice()));
}

/** Returns netpbm's reading of a file, as RGB. */
function decode(gif: Uint8Array): Picture {
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

function expectExact(picture: Picture): Buffer {
  const gif = encode(picture);
  const got = decode(gif);
  expect([got.width, got.height]).toEqual([picture.width, picture.height]);
  expect(Buffer.compare(got.samples, asRgb(picture).samples)).toBe(0);
  return gif;
}

const entries = (gif: Uint8Array) => 2 << (gif[10]! & 7);

function palette(gif: Uint8Array): number[][] {
  return Array.from({ length: entries(gif) }, (_, i) => [...gif.subarray(13 + i * 3, 16 + i * 3)]);
}

/**
 * Reads all blocks and codes of a GIF (GIF89a, clause 22 and Appendix F). @throws Error if the file violates the format
 */
function walk(gif: Buffer): { pixels: number; clears: number } {
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
function blurred({ width, height, samples }: Picture): Float64Array {
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

function rootMeanSquare(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return Math.sqrt(sum / a.length);
}

/** Returns the image with the nearest color of the file's palette for every pixel. */
function undithered(picture: Picture, gif: Uint8Array): Picture {
  const colors = palette(gif);
  return rgb(picture.width, picture.height, (x, y) => {
    const at = (y * picture.width + x) * 3;
    const distance = (color: number[]) =>
      color.reduce((sum, sample, channel) => sum + (sample - picture.samples[at + channel]!) ** 2, 0);
    return colors.reduce((best, color) => (distance(color) < distance(best) ? color : best));
  });
}

/** Returns an image that is smooth in all three channels, with some grain, like a photograph of a sky and a wall. */
function photograph(width: number, height: number): Picture {
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

describe("pictures of few colors", () => {
  test.each([1, 2, 3, 4, 5, 16, 17, 128, 129, 255, 256])(
    "of %i colors keep every pixel and get the smallest palette",
    (count) => {
      const picks = noise(count);
      const picture = rgb(83, 61, (x, y) => {
        const pick = y < 4 ? (y * 83 + x) % count : (picks.next().value as number) % count;
        return [pick * 7, 255 - pick, (pick * 31) ^ 85];
      });
      const gif = expectExact(picture);
      expect(entries(gif)).toBe(2 ** Math.max(1, Math.ceil(Math.log2(count))));
      expect(walk(gif).pixels).toBe(83 * 61);
    },
  );

  test("of one more color than a palette holds are told from pictures of as many", () => {
    const colors = (count: number) => rgb(count, 3, (x) => [x & 255, x >> 8, 99]);
    expectExact(colors(256));
    const got = decode(encode(colors(257)));
    expect(rootMeanSquare(got.samples, colors(257).samples)).toBeLessThan(1);
  });
});

describe("gray pictures", () => {
  test("of all 256 levels keep every pixel", () => {
    const levels = noise();
    const picture = gray(256, 40, (x, y) => (y === 0 ? x : (levels.next().value as number)));
    const gif = expectExact(picture);
    expect(palette(gif)).toEqual(Array.from({ length: 256 }, (_, level) => [level, level, level]));
  });

  test("of fewer levels get a smaller palette", () => {
    expect(entries(expectExact(gray(50, 50, (x, y) => ((x ^ y) & 1) * 255)))).toBe(2);
    expect(entries(expectExact(gray(50, 50, (x) => (x % 17) * 15)))).toBe(32);
    expect(entries(expectExact(gray(5, 5, () => 77)))).toBe(2);
  });
});

describe("pictures of many colors", () => {
  test("look from further away more like the original than the nearest colors would", () => {
    const picture = photograph(300, 240);
    const gif = encode(picture);
    const got = decode(gif);
    expect(rootMeanSquare(got.samples, picture.samples)).toBeLessThan(6);
    const seen = blurred(picture);
    const dithered = rootMeanSquare(blurred(got), seen);
    expect(dithered).toBeLessThan(1.5);
    expect(dithered).toBeLessThan(0.8 * rootMeanSquare(blurred(undithered(picture, gif)), seen));
  });

  test("show gradients without bands, even those that change only every twelfth row", () => {
    const column = rgb(360, 700, (x, y) => [
      x / 3 + 40,
      30 + Math.floor(y / 12) * 3,
      220 - Math.floor(y / 12) - (x >> 2),
    ]);
    const got = decode(encode(column));
    expect(rootMeanSquare(blurred(got), blurred(column))).toBeLessThan(1.5);
  });

  /** Antialiased gray strokes on white on the left, a photograph on the right. */
  const page = (() => {
    const photo = photograph(200, 200);
    const stroke = [255, 170, 40, 0, 0, 0, 90, 215, 255, 255, 255];
    return rgb(400, 200, (x, y) => {
      if (x >= 200) return photo.samples.subarray((y * 200 + x - 200) * 3, (y * 200 + x - 200) * 3 + 3);
      const level = y % 20 < 14 ? stroke[(x + (y >> 2)) % stroke.length]! : 255;
      return [level, level, level];
    });
  })();

  test("keep letters beside a photograph free of dither: one color in, one color out, black and white exact", () => {
    const got = decode(encode(page));
    const answers = new Map<number, Set<string>>();
    for (let y = 0; y < 200; y++) {
      for (let x = 0; x < 199; x++) {
        const at = (y * 400 + x) * 3;
        const level = page.samples[at]!;
        const answer = got.samples.subarray(at, at + 3);
        answers.set(level, (answers.get(level) ?? new Set()).add(answer.join()));
        for (const sample of answer) expect(Math.abs(sample - level)).toBeLessThan(20);
      }
    }
    expect([...answers.values()].every((colors) => colors.size === 1)).toBe(true);
    expect([...(answers.get(0) ?? [])]).toEqual(["0,0,0"]);
    expect([...(answers.get(255) ?? [])]).toEqual(["255,255,255"]);
  });

  test("keep the colors of large areas exactly", () => {
    const photo = photograph(300, 300);
    const colors = [
      [254, 254, 253],
      [253, 254, 254],
      [13, 110, 201],
      [201, 13, 110],
    ];
    const picture = rgb(300, 300, (x, y) =>
      y < 60 ? colors[Math.floor(x / 75)]! : photo.samples.subarray((y * 300 + x) * 3, (y * 300 + x) * 3 + 3),
    );
    const got = decode(encode(picture));
    expect(Buffer.compare(got.samples.subarray(0, 59 * 900), picture.samples.subarray(0, 59 * 900))).toBe(0);
  });

  test("keep plain areas plain, though there be more of them than the palette has colors", () => {
    const tint = (x: number, y: number) => {
      const tile = Math.floor(y / 12) * 25 + Math.floor(x / 12);
      return [(tile * 83) & 255, (tile * 29) & 255, (tile * 151) & 255];
    };
    const got = decode(encode(rgb(300, 300, tint)));
    const at = (x: number, y: number) => got.samples.subarray((y * 300 + x) * 3, (y * 300 + x) * 3 + 3).join();
    for (let y = 0; y < 300; y++) {
      for (let x = 0; x < 300; x++) expect(at(x, y)).toBe(at(x - (x % 12), y - (y % 12)));
    }
  });

  test("use the palette even where all colors are nearly the same", () => {
    const grain = noise(3);
    const next = () => grain.next().value as number;
    const picture = rgb(200, 200, () => [240 + (next() & 7), 230 + (next() & 7), 220 + (next() & 7)]);
    const gif = encode(picture);
    expect(new Set(palette(gif).map(String)).size).toBeGreaterThan(250);
    expect(rootMeanSquare(decode(gif).samples, picture.samples)).toBeLessThan(1.5);
  });

  test("are judged by a part of their rows when they are huge", () => {
    const samples = new Uint8Array(6000 * 3000 * 3);
    for (let y = 0, at = 0; y < 3000; y++) {
      for (let x = 0; x < 6000; x++) {
        samples[at++] = x >> 5;
        samples[at++] = y >> 4;
        samples[at++] = (x + y) >> 6;
      }
    }
    const got = decode(encode({ width: 6000, height: 3000, colorModel: "rgb", samples }, [128]));
    expect(rootMeanSquare(got.samples, samples)).toBeLessThan(6);
  });

  test.each([[[1]], [[7]], [[64]], [[1000]], [[3, 1, 1, 50, 2]]])(
    "give the same bytes in bands of %j rows",
    (heights) => {
      expect(Buffer.compare(encode(page, heights), encode(page, [200]))).toBe(0);
      const few = gray(123, 97, (x, y) => (x * y) % 9);
      expect(Buffer.compare(encode(few, heights), encode(few, [97]))).toBe(0);
    },
  );
});

describe("the file", () => {
  test.each([
    [1, 1],
    [1, 300],
    [300, 1],
    [2, 3],
    [17, 5],
    [GIF_MAX_SIDE, 1],
    [1, GIF_MAX_SIDE],
  ])("of %i x %i pixels is read back, of few and of many colors", (width, height) => {
    expectExact(gray(width, height, (x, y) => (x + y) % 7));
    const many = rgb(width, height, (x, y) => [(x + y) & 255, ((x + y) >> 3) & 255, ((x ^ y) >> 1) & 255]);
    const gif = encode(many);
    expect(walk(gif).pixels).toBe(width * height);
    expect(rootMeanSquare(decode(gif).samples, many.samples)).toBeLessThan(8);
  });

  test("of noise clears its dictionary again and again and ends with the end code", () => {
    for (const mask of [1, 3, 15, 255]) {
      const levels = noise(mask);
      const picture = gray(400, 400, () => (levels.next().value as number) & mask);
      const { pixels, clears } = walk(expectExact(picture));
      expect(pixels).toBe(400 * 400);
      expect(clears).toBeGreaterThan(3);
    }
  });

  test("ends properly wherever the codes grow or the sub-blocks fill", () => {
    const levels = noise(11);
    const samples = Uint8Array.from({ length: 5000 }, () => levels.next().value as number);
    for (let width = 1; width < 5000; width += width < 600 ? 1 : 97) {
      const line = gray(width, 1, (x) => samples[x]!);
      expect(walk(encode(line)).pixels).toBe(width);
    }
  });

  test("says GIF89a, its size and one picture in one global palette", () => {
    const gif = encode(rgb(300, 2, (x) => [x & 3, 0, 0]));
    expect(gif.subarray(0, 6).toString("latin1")).toBe("GIF89a");
    expect([gif.readUInt16LE(6), gif.readUInt16LE(8)]).toEqual([300, 2]);
    expect([...gif.subarray(10, 13)]).toEqual([0xf1, 0, 0]);
    expect([...gif.subarray(25, 35)]).toEqual([0x2c, 0, 0, 0, 0, 300 & 255, 300 >> 8, 2, 0, 0]);
  });

  test("comes in chunks of about 64 KiB", () => {
    const levels = noise(5);
    const picture = gray(700, 700, () => levels.next().value as number);
    const sizes = Array.from(encodeGif(raster(picture)), (chunk) => chunk.length);
    expect(Math.max(...sizes)).toBe(65536);
    expect(sizes.filter((size) => size === 65536).length).toBeGreaterThanOrEqual(7);
  });
});

describe("what GIF cannot hold is refused", () => {
  test.each<ColorModel>(["rgba", "cmyk", "lab"])("%s", (colorModel) => {
    const other: Raster = { ...raster(gray(1, 1, () => 0)), colorModel };
    expect(() => encodeGif(other).next()).toThrow(RangeError);
  });

  test.each([
    [GIF_MAX_SIDE + 1, 1],
    [1, GIF_MAX_SIDE + 1],
    [0, 1],
    [1, 0],
  ])("%i x %i pixels", (width, height) => {
    const other: Raster = { ...raster(gray(1, 1, () => 0)), width, height };
    expect(() => encodeGif(other).next()).toThrow(RangeError);
  });
});
