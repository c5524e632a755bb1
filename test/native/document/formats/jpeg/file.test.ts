// Tests the JPEG codec as a stream: input in bands, output in chunks, the markers before the scan, and rejected input.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { CHANNELS, type Raster } from "../../../../../src/document/contract/raster.ts";
import { encodeJpeg, JPEG_MAX_SIDE } from "../../../../../src/document/formats/jpeg/write.ts";
import { withFile } from "../../../../support/pictures.ts";
import { randomOf } from "../../../../support/random.ts";
import {
  cjpeg,
  concatenate,
  encode,
  noise,
  paint,
  photograph,
  rasterOf,
  segmentOf,
  segmentsOf,
} from "../jpeg-pictures.ts";

const run = promisify(execFile);
/** Compares without toEqual, which takes minutes to describe the differences of long arrays. */
const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

describe("bands and chunks", () => {
  test.each([1, 3, 4])("heights of bands do not matter, %i channels", (channels) => {
    const picture = photograph(203, 149, channels);
    for (const quality of [75, 98]) {
      const whole = concatenate(encodeJpeg(rasterOf(picture, [149]), { quality }));
      for (const heights of [[1], [3], [7], [8], [15], [16], [17], [64], [1, 40, 2, 16, 13]]) {
        const jpeg = concatenate(encodeJpeg(rasterOf(picture, heights), { quality }));
        expect(same(jpeg, whole), `bands of ${heights}`).toBe(true);
      }
    }
  });

  test("chunks are of 64 KiB or a little more, but for the header and the last", () => {
    const sizes = Array.from(encodeJpeg(rasterOf(noise(600, 400, 3)), { quality: 95 }), ({ length }) => length);
    expect(sizes.length).toBeGreaterThan(4);
    for (const size of sizes.slice(1, -1)) {
      expect(size).toBeGreaterThanOrEqual(65536);
      expect(size).toBeLessThan(65536 + 8192);
    }
  });

  test.each([
    [2550, "rgb", 1024 * 1024],
    [JPEG_MAX_SIDE, "rgb", 4 * 1024 * 1024],
    [JPEG_MAX_SIDE, "cmyk", 4 * 1024 * 1024],
  ] as const)("%i pixels of %s need little memory", (width, colorModel, limit) => {
    const picture = paint(width, 20, CHANNELS[colorModel], (x) => x);
    // A chunk is a view of the kernel's whole memory.
    const memory = Array.from(encodeJpeg(rasterOf(picture), { quality: 80 }), (chunk) => chunk.buffer.byteLength);
    expect(Math.max(...memory)).toBeLessThanOrEqual(limit);
  });

  test("pictures that are encoded in turns do not meet", () => {
    const pictures = [noise(300, 300, 3), noise(310, 290, 1), photograph(250, 300, 4), noise(299, 301, 3)];
    const alone = pictures.map((picture, index) => encode(picture, 95 + index));
    const inTurns = pictures.map(() => [] as Uint8Array[]);
    const running = pictures.map((picture, index) => encodeJpeg(rasterOf(picture), { quality: 95 + index }));
    for (let active = running.length; active > 0; ) {
      active = 0;
      running.forEach((generator, index) => {
        const { done, value } = generator.next();
        if (done) return;
        active++;
        inTurns[index]!.push(value.slice());
      });
    }
    expect(inTurns.map((chunks, index) => same(concatenate(chunks), alone[index]!))).toEqual([true, true, true, true]);
  });

  test("a picture given up halfway, or whose raster fails, spoils none after it", () => {
    const picture = noise(400, 300, 3);
    const expected = encode(picture, 90);
    for (let round = 0; round < 5; round++) {
      let chunks = 0;
      for (const _ of encodeJpeg(rasterOf(noise(500, 300, 3)), { quality: 40 + round })) if (++chunks === 2) break;
      const failing = rasterOf(picture, [9], {
        *bands() {
          yield { top: 0, rows: 9, samples: picture.samples.subarray(0, 9 * 400 * 3) };
          throw new Error("the renderer stopped");
        },
      });
      expect(() => concatenate(encodeJpeg(failing, { quality: 90 }))).toThrow("the renderer stopped");
      expect(same(encode(picture, 90), expected)).toBe(true);
    }
  });

  test("a raster that ends too early is an error, not a short picture", () => {
    const raster = rasterOf(photograph(40, 40, 3), [10], { height: 50 });
    expect(() => concatenate(encodeJpeg(raster, { quality: 80 }))).toThrow("40 rows of 50");
  });
});

describe("the header", () => {
  const picture = (channels: number) => photograph(60, 40, channels);

  test("is baseline, 4:2:0 below quality 90 and 4:4:4 from there on", () => {
    const frame = (channels: number, quality: number) => segmentOf(encode(picture(channels), quality), 0xc0)!;
    const sampling = (sof: Uint8Array) => Array.from({ length: sof[5]! }, (_, index) => sof[7 + 3 * index]);
    expect(sampling(frame(3, 89))).toEqual([0x22, 0x11, 0x11]);
    expect(sampling(frame(3, 90))).toEqual([0x11, 0x11, 0x11]);
    expect(sampling(frame(1, 50))).toEqual([0x11]);
    expect(sampling(frame(4, 50))).toEqual([0x11, 0x11, 0x11, 0x11]);
  });

  test("has cjpeg's quantizers", async () => {
    const quantizers = (jpeg: Uint8Array) =>
      segmentsOf(jpeg)
        .filter(({ marker }) => marker === 0xdb)
        .map(({ data }) => [...data]);
    for (let quality = 1; quality <= 100; quality += 3) {
      expect(quantizers(encode(picture(3), quality))).toEqual(quantizers(await cjpeg(picture(3), quality)));
    }
  });

  test.each([50, 95])("has Huffman codes for every symbol, none of them all ones, quality %i", (quality) => {
    const jpeg = encode(picture(3), quality);
    const tables = segmentsOf(jpeg).filter(({ marker }) => marker === 0xc4);
    expect(tables.map(({ data }) => data[0])).toEqual([0x00, 0x10, 0x01, 0x11]);
    for (const { data } of tables) {
      const lengths = new Map<number, number>();
      let symbol = 17;
      for (let length = 1; length <= 16; length++) {
        for (let left = data[length]!; left > 0; left--) lengths.set(data[symbol++]!, length);
      }
      const isAc = data[0]! >= 0x10;
      const acSymbols = Array.from({ length: 160 }, (_, index) => (Math.floor(index / 10) << 4) | ((index % 10) + 1));
      const expected = isAc ? [0, 0xf0, ...acSymbols] : Array.from({ length: 12 }, (_, index) => index);
      expect([...lengths.keys()].sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b));
      // A Kraft sum below one shows that the code of all ones is unused (T.81 annex C).
      expect([...lengths.values()].reduce((sum, length) => sum + 2 ** -length, 0)).toBeLessThan(1);
      // The kernel writes up to three runs of 16 zeros, a coefficient and the end of the block in one step.
      if (isAc) expect(3 * lengths.get(0xf0)! + 16 + 10 + lengths.get(0)!).toBeLessThanOrEqual(63);
    }
  });

  test.each([72, 300, 2400])("says %i dots per inch", async (dpi) => {
    for (const channels of [1, 3]) {
      const jfif = segmentOf(
        concatenate(encodeJpeg(rasterOf(picture(channels), [9], { dpi }), { quality: 80 })),
        0xe0,
      )!;
      expect(text(jfif.subarray(0, 5))).toBe("JFIF\0");
      expect([...jfif.subarray(7, 12)]).toEqual([1, dpi >> 8, dpi & 255, dpi >> 8, dpi & 255]);
    }
  });

  test.each([1, 3, 4])("gives MuPDF the size on paper, %i channels", async (channels) => {
    const jpeg = concatenate(encodeJpeg(rasterOf(photograph(200, 100, channels), [9], { dpi: 144 }), { quality: 80 }));
    const boxes = await withFile(jpeg, "picture.jpg", (file) => run("mutool", ["draw", "-F", "trace", file]));
    expect(boxes.stdout).toContain('mediabox="0 0 100 50"');
  });

  test("carries a profile in pieces, which libjpeg puts together again", async () => {
    const byte = randomOf(5);
    for (const length of [300, 65519, 65520, 200_000]) {
      const iccProfile = Uint8Array.from({ length }, () => 256 * byte());
      for (const channels of [1, 3, 4]) {
        const jpeg = concatenate(encodeJpeg(rasterOf(picture(channels), [9], { iccProfile }), { quality: 80 }));
        expect(segmentsOf(jpeg).filter(({ marker }) => marker === 0xe2).length).toBe(Math.ceil(length / 65519));
        const extracted = await withFile(jpeg, "picture.jpg", async (file) => {
          await run("djpeg", ["-icc", `${file}.icc`, "-outfile", `${file}.ppm`, file]);
          return readFile(`${file}.icc`);
        });
        expect(extracted.equals(iccProfile)).toBe(true);
      }
    }
    const tooLarge = rasterOf(picture(3), [9], { iccProfile: new Uint8Array(65519 * 255 + 1) });
    expect(() => concatenate(encodeJpeg(tooLarge, { quality: 80 }))).toThrow(RangeError);
  });
});

describe("what cannot be a JPEG is refused", () => {
  const first = (raster: Raster, quality: number) => () => encodeJpeg(raster, { quality }).next();
  const raster = rasterOf(photograph(10, 10, 3));

  test.each(["rgba", "lab"] as const)("color model %s", (colorModel) => {
    expect(first({ ...raster, colorModel }, 80)).toThrow(RangeError);
  });
  test.each([0, 101, Number.NaN])("quality %d", (quality) => {
    expect(first(raster, quality)).toThrow(RangeError);
  });
  test.each([0, JPEG_MAX_SIDE + 1])("a side of %i pixels", (side) => {
    expect(first({ ...raster, width: side }, 80)).toThrow(RangeError);
    expect(first({ ...raster, height: side }, 80)).toThrow(RangeError);
  });
});
