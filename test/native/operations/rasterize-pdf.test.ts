// Contract: docs/api.md#image-endpoints
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EngineFailure, OutOfRange } from "../../../src/document/contract/failure.ts";
import type { Context, Input, Output } from "../../../src/document/contract/operation.ts";
import { parsePages } from "../../../src/document/contract/pages.ts";
import type { ColorModel } from "../../../src/document/contract/raster.ts";
import { type RasterFormat, type RasterizeParams, rasterizePdf } from "../../../src/operations/rasterize-pdf.ts";
import { corpusDir } from "../../support/corpus.ts";
import { HOSTILE_PDFS, onePage, pdfOf, stream } from "../../support/hostile-pdfs.ts";
import { decode, popplerPage } from "../../support/pictures.ts";

const context: Context = {
  signal: new AbortController().signal,
  heapLimitBytes: 88 * 1024 * 1024,
  log: () => {},
  defer: () => {},
};

function inputOf(bytes: Uint8Array): Input {
  return {
    name: "a.pdf",
    size: bytes.length,
    bytes: async () => bytes,
    async *stream() {
      yield bytes;
    },
  };
}

function paramsOf(format: RasterFormat, more: Partial<RasterizeParams> = {}): RasterizeParams {
  return { format, colorModel: "rgb", dpi: 72, pages: parsePages("1-last")!, ...more };
}

async function read(output: Output): Promise<Uint8Array> {
  if (output.body instanceof Uint8Array) return output.body;
  const chunks: Buffer[] = [];
  for await (const chunk of output.body) chunks.push(Buffer.from(chunk));
  const whole = Buffer.concat(chunks);
  const head = output.headerPatch?.();
  if (head) whole.set(head, 0);
  return new Uint8Array(whole);
}

async function rasterize(bytes: Uint8Array, params: RasterizeParams, where: Context = context) {
  const files: { extension: string; type: string; bytes: Uint8Array }[] = [];
  for await (const output of rasterizePdf.run([inputOf(bytes)], params, where)) {
    files.push({ extension: output.extension, type: output.type, bytes: await read(output) });
  }
  return files;
}

/** Returns pages of 10 x 10 points, each in its own gray. */
function grays(...values: number[]): Uint8Array {
  const kids = values.map((_, index) => `${index * 2 + 3} 0 R`).join(" ");
  const pages = values.flatMap((gray, index) => [
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 10 10]/Contents ${index * 2 + 4} 0 R>>`,
    stream(`${gray / 255} g 0 0 10 10 re f`),
  ]);
  return pdfOf(["<</Type/Catalog/Pages 2 0 R>>", `<</Type/Pages/Kids[${kids}]/Count ${values.length}>>`, ...pages]);
}

describe("outputs", () => {
  test("one for each page, in the order that is asked for, repeats too", async () => {
    const files = await rasterize(grays(0, 100, 200), paramsOf("bmp", { pages: parsePages("last-2,1,1")! }));
    const decoded = await Promise.all(files.map(({ bytes }) => decode(bytes, "bmp")));
    const expected = [200, 100, 0, 0];
    expect(decoded).toHaveLength(expected.length);
    for (const [index, { samples }] of decoded.entries()) {
      expect(Math.abs(samples[0]! - expected[index]!)).toBeLessThanOrEqual(1);
    }
  });

  const formats: [RasterFormat, ColorModel, string, string][] = [
    ["png", "rgb", "image/png", "opaquePng"],
    ["jpg", "rgb", "image/jpeg", "jpg"],
    ["gif", "rgb", "image/gif", "gif"],
    ["bmp", "rgb", "image/bmp", "bmp"],
    ["tif", "rgb", "image/tiff", "tif"],
    ["png", "gray", "image/png", "opaquePng"],
    ["tif", "gray", "image/tiff", "tif"],
  ];
  test.each(formats)("%s in %s shows the page", async (format, colorModel, type, reader) => {
    const [file] = await rasterize(onePage("0 g 0 0 306 792 re f"), paramsOf(format, { colorModel, dpi: 36 }));
    expect([file!.extension, file!.type]).toEqual([format, type]);
    const { width, height, channels, samples } = await decode(file!.bytes, reader);
    expect([width, height]).toEqual([306, 396]);
    const row = 200 * width * channels;
    expect(samples[row + 10 * channels]!).toBeLessThan(8);
    expect(samples[row + 290 * channels]!).toBeGreaterThan(247);
  });

  test("the next page is begun only when the one before has been read", async () => {
    const outputs = rasterizePdf.run([inputOf(grays(0, 200))], paramsOf("bmp"), context)[Symbol.asyncIterator]();
    const first = (await outputs.next()).value as Output;
    await outputs.next();
    await expect(read(first)).rejects.toThrow("closed");
    await outputs.return?.();
  });
});

describe("refusals", () => {
  const refused: [string, Uint8Array, Partial<RasterizeParams>, string, string][] = [
    ["a page that is not there", grays(0), { pages: parsePages("2")! }, "pages", "2"],
    ["a page of 14,400 points at 2400 dpi", onePage("", "", [], "", "0 0 14400 14400"), { dpi: 2400 }, "dpi", "2400"],
  ];
  test.each(refused)("%s is out of range", async (_, bytes, params, parameter, value) => {
    const outcome = rasterize(bytes, paramsOf("png", params));
    await expect(outcome).rejects.toMatchObject({ name: "OutOfRange", parameter, value });
  });

  test("a page of a billion points is too large: no resolution would help", async () => {
    const bytes = onePage("", "", [], "/UserUnit 75000", "0 0 14400 3");
    await expect(rasterize(bytes, paramsOf("png", { dpi: 12 }))).rejects.toMatchObject({ reason: "too-large" });
  });

  test.each(["jpg", "gif"] as const)("%s stops at 65,535 pixels a side, before anything is drawn", async (format) => {
    const long = onePage("", "", [], "", "0 0 2 1970");
    await expect(rasterize(long, paramsOf(format, { dpi: 2400 }))).rejects.toEqual(new OutOfRange("dpi", "2400"));
    expect(await rasterize(long, paramsOf("png", { dpi: 2400 }))).toHaveLength(1);
  });

  test("a job that is aborted ends with the reason", async () => {
    const aborting = new AbortController();
    const reason = new Error("the client went away");
    const outputs = rasterizePdf.run([inputOf(grays(0, 200))], paramsOf("bmp"), {
      ...context,
      signal: aborting.signal,
    });
    const iterator = outputs[Symbol.asyncIterator]();
    await read((await iterator.next()).value as Output);
    aborting.abort(reason);
    await expect(iterator.next()).rejects.toBe(reason);
  });

  test("after a job that ran into its bounds the next one works", async () => {
    const hostile = HOSTILE_PDFS.find(({ name }) => name === "a pattern with steps of a thousandth")!;
    await expect(rasterize(hostile.bytes(), paramsOf("png"))).rejects.toMatchObject({ reason: "too-complex" });
    expect(await rasterize(grays(0), paramsOf("png"))).toHaveLength(1);
  });

  test("a heap too small for the page is too-large", async () => {
    const tight = { ...context, heapLimitBytes: 24 * 1024 * 1024 };
    const deep = HOSTILE_PDFS.find(({ name }) => name === "forms that call the next ten times, ten deep")!;
    await expect(rasterize(deep.bytes(), paramsOf("png"), tight)).rejects.toMatchObject({ reason: "too-large" });
  });
});

/** Images in which poppler and MuPDF differ for a known reason. */
const DIFFERENT: Readonly<Record<string, string>> = {
  "test3.pdf": "poppler here has no Japanese font",
  "ColorDodge.pdf": "the dodged backdrop of 0 stays 0 in PDF 2.0",
};
/**
 * Maximum mean difference of samples, of images reduced to a quarter. Poppler thickens thin lines, which causes
 * differences of up to 7.
 */
const BOUND = 8;

describe.skipIf(corpusDir === undefined)("real documents look as poppler draws them, or are refused", () => {
  const refusals: Readonly<Record<string, string>> = {
    "637.pdf": "damaged",
    "actually_an_rtf.pdf": "not-a-pdf",
    "enc-XI-R6-V5-U-view-O-master.pdf": "password-protected",
  };
  const folder = join(corpusDir ?? "", "pdf");
  const names = corpusDir === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith(".pdf"));

  test.each(names)("%s", async (name) => {
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    const job = rasterize(bytes, paramsOf("png", { pages: parsePages("1")! }));
    if (refusals[name] !== undefined) {
      await expect(job).rejects.toBeInstanceOf(EngineFailure);
      await expect(job).rejects.toMatchObject({ reason: refusals[name] });
      return;
    }
    const ours = await decode((await job)[0]!.bytes, "opaquePng");
    const theirs = await popplerPage(bytes, 1, 72);
    expect(Math.abs(ours.width - theirs.width)).toBeLessThanOrEqual(1);
    expect(Math.abs(ours.height - theirs.height)).toBeLessThanOrEqual(1);
    const distance = meanDifference(ours, theirs);
    if (DIFFERENT[name] === undefined) expect(distance).toBeLessThan(BOUND);
    else expect(distance).toBeGreaterThan(0);
  });
});

interface Reducible {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly samples: Uint8Array;
}

function meanDifference(one: Reducible, other: Reducible): number {
  const width = Math.floor(Math.min(one.width, other.width) / 4);
  const height = Math.floor(Math.min(one.height, other.height) / 4);
  let sum = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < 3; channel++)
        sum += Math.abs(cell(one, x, y, channel) - cell(other, x, y, channel));
    }
  }
  return sum / (width * height * 3);
}

/** Returns the mean of 4 x 4 pixels; a gray image has the same value in all channels. */
function cell({ width, channels, samples }: Reducible, x: number, y: number, channel: number): number {
  let sum = 0;
  for (let dy = 0; dy < 4; dy++) {
    for (let dx = 0; dx < 4; dx++)
      sum += samples[((y * 4 + dy) * width + x * 4 + dx) * channels + Math.min(channel, channels - 1)]!;
  }
  return sum / 16;
}
