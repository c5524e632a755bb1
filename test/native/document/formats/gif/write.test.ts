// Tests GIF files by reading them with other programs.
import { describe, expect, test } from "vitest";
import type { ColorModel, Raster } from "../../../../../src/document/contract/raster.ts";
import { encodeGif, GIF_MAX_SIDE } from "../../../../../src/document/formats/gif/write.ts";
import {
  blurred,
  decode,
  encode,
  entries,
  expectExact,
  gray,
  noise,
  palette,
  photograph,
  raster,
  rgb,
  rootMeanSquare,
  undithered,
  walk,
} from "./made-pictures.ts";

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
