// JPEG files as libjpeg-turbo, MuPDF and poppler read them, and beside libjpeg-turbo's own (cjpeg, baseline, not optimised).
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { PDFDocument } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { encodeJpeg, JPEG_MAX_SIDE } from "../../../src/codecs/jpeg.ts";
import { type Band, CHANNELS, type ColorModel, type Raster } from "../../../src/codecs/raster.ts";
import { decode, type Picture, pixel, popplerPage, withFile } from "../../support/pictures.ts";

const run = promisify(execFile);
const BINARY = { encoding: "buffer", maxBuffer: 2 ** 30 } as const;

/** The same numbers every time (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Paint = (x: number, y: number, channel: number) => number;

function paint(width: number, height: number, channels: number, color: Paint): Picture {
  const samples = new Uint8ClampedArray(width * height * channels);
  let at = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < channels; channel++) samples[at++] = color(x, y, channel);
    }
  }
  return { width, height, channels, samples: new Uint8Array(samples.buffer) };
}

/** Soft shades, a little grain and hard edges, as photographs have them. */
function photograph(width: number, height: number, channels: number): Picture {
  const grain = random(7);
  return paint(width, height, channels, (x, y, channel) => {
    const shade = 128 + 70 * Math.sin(x / 23 + channel) + 50 * Math.cos(y / 31 - channel * 2 + x / 90);
    const edge = (x - width / 2) ** 2 + (y - height / 2) ** 2 < (width / 4) ** 2 ? 60 - 50 * channel : 0;
    return shade + edge + 12 * (grain() - 0.5);
  });
}

/** Black strokes with soft edges on white paper, and a box of one colour. */
function textPage(width: number, height: number, channels: number): Picture {
  return paint(width, height, channels, (x, y, channel) => {
    if (x > width - 50 && y > height - 50) return [30, 90, 200][channel]!;
    const line = y % 40 < 12 && y > 40 && x > 20 && x < width - 60;
    return line ? 255 - 255 * Math.min(1, Math.max(0, 1.2 - Math.abs(Math.sin((x * (3 + (y % 40))) / 19)) * 2)) : 255;
  });
}

function noise(width: number, height: number, channels: number): Picture {
  const value = random(99);
  return paint(width, height, channels, () => 256 * value());
}

const MODELS: Readonly<Record<number, ColorModel>> = { 1: "gray", 3: "rgb", 4: "cmyk" };

/** @param bandHeights used in turns */
function rasterOf(picture: Picture, bandHeights: readonly number[] = [50], more: Partial<Raster> = {}): Raster {
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
        // A copy that is spoilt afterwards: bands are only lent.
        const lent = samples.slice(top * stride, (top + rows) * stride);
        yield { top, rows, samples: lent };
        lent.fill(0x55);
        top += rows;
      }
    },
    ...more,
  };
}

function concatenate(chunks: Iterable<Uint8Array>): Uint8Array {
  return new Uint8Array(Buffer.concat(Array.from(chunks, (chunk) => chunk.slice())));
}

const encode = (picture: Picture, quality: number) => concatenate(encodeJpeg(rasterOf(picture), { quality }));

/** What libjpeg-turbo makes of the same picture with the same choices. */
async function cjpeg(picture: Picture, quality: number): Promise<Uint8Array> {
  const { width, height, channels, samples } = picture;
  const header = Buffer.from(`P${channels === 1 ? 5 : 6}\n${width} ${height}\n255\n`);
  const sampling = ["-sample", quality < 90 ? "2x2" : "1x1"];
  const options = ["-baseline", "-quality", String(quality), ...(channels === 1 ? [] : sampling)];
  return withFile(Buffer.concat([header, samples]), "picture.pnm", async (file) => {
    const { stdout } = await run("cjpeg", [...options, file], BINARY);
    return new Uint8Array(stdout);
  });
}

/** Decibels. */
function psnr(a: Picture, b: Picture): number {
  expect([b.width, b.height, b.channels]).toEqual([a.width, a.height, a.channels]);
  let sum = 0;
  for (let index = 0; index < a.samples.length; index++) sum += (a.samples[index]! - b.samples[index]!) ** 2;
  return sum === 0 ? 99 : 10 * Math.log10((255 * 255 * a.samples.length) / sum);
}

interface Segment {
  readonly marker: number;
  readonly data: Uint8Array;
}

/** The marker segments up to SOS. */
function segmentsOf(jpeg: Uint8Array): Segment[] {
  const segments: Segment[] = [];
  for (let at = 2; jpeg[at + 1] !== 0xda; ) {
    const length = (jpeg[at + 2]! << 8) | jpeg[at + 3]!;
    segments.push({ marker: jpeg[at + 1]!, data: jpeg.subarray(at + 4, at + 2 + length) });
    at += 2 + length;
  }
  return segments;
}

const segmentOf = (jpeg: Uint8Array, wanted: number) => segmentsOf(jpeg).find(({ marker }) => marker === wanted)?.data;
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

const QUALITIES = [1, 10, 50, 75, 89, 90, 96, 97, 100];
/** Decibels by which a picture may be worse than cjpeg's. */
const MARGIN = 0.15;
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
    // Without black, a decoder that multiplies inks gives back three of them; without the others, black.
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
          // So few pixels that single roundings count.
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

  test.each([
    [9, JPEG_MAX_SIDE],
    [JPEG_MAX_SIDE, 9],
  ])("%i x %i, the largest side", async (width, height) => {
    const picture = paint(width, height, 3, (x, y, channel) => ((x + y) >> 7) * (channel + 1) * 5);
    const decoded = await decode(encode(picture, 90), "jpg");
    expect(psnr(picture, decoded)).toBeGreaterThan(35);
  });
});

describe("extreme samples", () => {
  test("the largest coefficients there are come back", async () => {
    // Black or white by the sign of each cosine of the transform: every basis function at its loudest.
    const sign = (position: number, frequency: number) => Math.cos(((2 * position + 1) * frequency * Math.PI) / 16) > 0;
    const basis: Paint = (x, y) => (sign(x & 7, x >> 3) === sign(y & 7, y >> 3) ? 255 : 0);
    for (const channels of [1, 3]) {
      const picture = paint(64, 64, channels, basis);
      expect(psnr(picture, await decode(encode(picture, 100), "jpg"))).toBeGreaterThan(50);
      expect(psnr(picture, await decode(encode(picture, 96), "jpg"))).toBeGreaterThan(40);
    }
  });

  test("pictures of one colour have that colour everywhere", async () => {
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

describe("bands and chunks", () => {
  test.each([1, 3, 4])("heights of bands do not matter, %i channels", (channels) => {
    const picture = photograph(203, 149, channels);
    for (const quality of [75, 98]) {
      const whole = concatenate(encodeJpeg(rasterOf(picture, [149]), { quality }));
      for (const heights of [[1], [3], [7], [8], [15], [16], [17], [64], [1, 40, 2, 16, 13]]) {
        expect(concatenate(encodeJpeg(rasterOf(picture, heights), { quality })), `bands of ${heights}`).toEqual(whole);
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
    [2550, "rgb", 256 * 1024],
    [JPEG_MAX_SIDE, "rgb", 4 * 1024 * 1024],
    [JPEG_MAX_SIDE, "cmyk", 4 * 1024 * 1024],
  ] as const)("%i pixels of %s need little memory", (width, colorModel, limit) => {
    const picture = paint(width, 20, CHANNELS[colorModel], (x) => x);
    // A chunk is a view of all the memory there is.
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
    expect(inTurns.map(concatenate)).toEqual(alone);
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
      expect(encode(picture, 90)).toEqual(expected);
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

  test("has cjpeg's quantisers", async () => {
    const quantisers = (jpeg: Uint8Array) =>
      segmentsOf(jpeg)
        .filter(({ marker }) => marker === 0xdb)
        .map(({ data }) => [...data]);
    for (let quality = 1; quality <= 100; quality += 3) {
      expect(quantisers(encode(picture(3), quality))).toEqual(quantisers(await cjpeg(picture(3), quality)));
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
    const byte = random(5);
    for (const length of [300, 65519, 65520, 200_000]) {
      const iccProfile = Uint8Array.from({ length }, () => 256 * byte());
      for (const channels of [1, 3, 4]) {
        const jpeg = concatenate(encodeJpeg(rasterOf(picture(channels), [9], { iccProfile }), { quality: 80 }));
        expect(segmentsOf(jpeg).filter(({ marker }) => marker === 0xe2).length).toBe(Math.ceil(length / 65519));
        const extracted = await withFile(jpeg, "picture.jpg", async (file) => {
          await run("djpeg", ["-icc", `${file}.icc`, "-outfile", `${file}.ppm`, file]);
          const { stdout } = await run("cat", [`${file}.icc`], BINARY);
          return stdout;
        });
        expect(extracted.equals(iccProfile)).toBe(true);
      }
    }
    const tooLarge = rasterOf(picture(3), [9], { iccProfile: new Uint8Array(65519 * 255 + 1) });
    expect(() => concatenate(encodeJpeg(tooLarge, { quality: 80 }))).toThrow(RangeError);
  });
});

describe("CMYK", () => {
  // Columns of 40 pixels: paper, the four inks, and cyan with yellow.
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
    expect(text(segmentOf(jpeg, 0xee)!)).toBe("Adobe\0d\0\0\0\0\0");
    expect(markers).toContain(0xe1);
    expect(markers).not.toContain(0xe0);
  });

  test("shows its colours in libjpeg", async () => {
    expect(columns(await decode(jpeg, "jpg"))).toEqual(EXPECTED);
  });

  test("shows its colours in MuPDF", async () => {
    const png = await withFile(jpeg, "picture.jpg", async (file) => {
      const { stdout } = await run("mutool", ["draw", "-q", "-r", "300", "-F", "png", "-o", "-", file], BINARY);
      return stdout;
    });
    const shown = await decode(png, "opaquePng");
    expect([shown.width, shown.height]).toEqual([240, 40]);
    expect(columns(shown)).toEqual(EXPECTED);
  });

  test("shows its colours in a PDF in poppler", async () => {
    const document = await PDFDocument.create();
    const page = document.addPage([240, 40]);
    page.drawImage(await document.embedJpg(jpeg), { width: 240, height: 40 });
    expect(columns(await popplerPage(await document.save(), 1, 72))).toEqual(EXPECTED);
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
