// Converts images to PDF with the operation, and reads the pages with other programs.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { Context, Input, Output } from "../../src/document/contract/operation.ts";
import { imageToPdf } from "../../src/operations/to-pdf/image-to-pdf.ts";
import type { TestSamples } from "../fixtures/pictures.ts";
import { type Picture, parsePnm, popplerPage, withFile } from "./pictures.ts";

const run = promisify(execFile);

const context: Context = {
  signal: new AbortController().signal,
  heapLimitBytes: 64 * 2 ** 20,
  log: () => {},
  defer: () => {},
};

/** @param pieceBytes size of the chunks in which the document arrives */
function inputOf(bytes: Uint8Array, pieceBytes = 1 << 20): Input {
  return {
    name: "picture",
    size: bytes.length,
    bytes: async () => bytes,
    async *stream() {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    },
  };
}

export async function pdfOf(bytes: Uint8Array, where: Partial<Context> = {}, pieceBytes?: number): Promise<Buffer> {
  const outputs: Output[] = [];
  const chunks: Buffer[] = [];
  for await (const output of imageToPdf.run([inputOf(bytes, pieceBytes)], {}, { ...context, ...where })) {
    outputs.push(output);
    for await (const chunk of output.body as AsyncIterable<Uint8Array>) chunks.push(Buffer.from(chunk));
  }
  expect(outputs.map(({ extension, type }) => [extension, type])).toEqual([["pdf", "application/pdf"]]);
  return Buffer.concat(chunks);
}

/** Expects that `qpdf --check` reports no errors or warnings. */
export async function expectSound(pdf: Uint8Array): Promise<void> {
  await withFile(pdf, "made.pdf", (file) => run("qpdf", ["--check", file]));
}

/**
 * Renders a page with poppler and with MuPDF. At the image's own resolution, one pixel of the result is one pixel of
 * the image.
 */
async function pageBy(pdf: Uint8Array, page = 1, dpi = 72): Promise<Readonly<Record<"poppler" | "mupdf", Picture>>> {
  return { poppler: await popplerPage(pdf, page, dpi), mupdf: await mupdfPage(pdf, page, dpi) };
}

function mupdfPage(pdf: Uint8Array, page: number, dpi: number): Promise<Picture> {
  return withFile(pdf, "made.pdf", async (file) => {
    const args = ["draw", "-q", "-F", "ppm", "-r", String(dpi), "-o", "-", file, String(page)];
    return parsePnm((await run("mutool", args, { encoding: "buffer", maxBuffer: 2 ** 30 })).stdout);
  });
}

/**
 * Expects that both renderers show these pixels. Values that are rounded twice can differ slightly.
 * @param expected pixels with one or three channels
 */
export async function expectPixels(
  pdf: Uint8Array,
  expected: TestSamples,
  tolerance = 1,
  page = 1,
  dpi = 72,
): Promise<void> {
  await expectSound(pdf);
  for (const [engine, picture] of Object.entries(await pageBy(pdf, page, dpi))) {
    expect([picture.width, picture.height], engine).toEqual([expected.width, expected.height]);
    let most = 0;
    for (let pixel = 0; pixel < expected.width * expected.height; pixel++) {
      for (let channel = 0; channel < 3; channel++) {
        const wanted = expected.values[pixel * expected.channels + (expected.channels === 1 ? 0 : channel)]!;
        most = Math.max(most, Math.abs(picture.samples[pixel * 3 + channel]! - wanted));
      }
    }
    expect(most, `${engine}: the largest difference`).toBeLessThanOrEqual(tolerance);
  }
}

/** Returns the image streams with their dictionaries, in file order. */
export function imagesOf(pdf: Buffer): { readonly dictionary: string; readonly data: Buffer }[] {
  const text = pdf.toString("latin1");
  return [...text.matchAll(/\d+ 0 obj\n(<<\/Type\/XObject.*?>>)\nstream\n/gs)].map(
    ({ 0: head, 1: dictionary, index }) => {
      const start = index + head.length;
      const length = /\/Length (\d+)( 0 R)?/.exec(dictionary!)!;
      const size = length[2] ? new RegExp(`\\n${length[1]} 0 obj\\n(\\d+)`).exec(text)![1] : length[1];
      return { dictionary: dictionary!, data: pdf.subarray(start, start + Number(size)) };
    },
  );
}

/** Returns the size of each page, in points. */
export function pageSizes(pdf: Buffer): [number, number][] {
  return [...pdf.toString("latin1").matchAll(/\/MediaBox\[0 0 ([\d.]+) ([\d.]+)\]/g)].map(([, width, height]) => [
    Number(width),
    Number(height),
  ]);
}

/** Returns a TIFF file rewritten by libtiff. @param options of tiffcp */
export async function byTiffcp(file: Buffer, ...options: string[]): Promise<Buffer> {
  return withFile(file, "in.tif", async (name) => {
    await run("tiffcp", [...options, name, `${name}.out`]);
    return readFile(`${name}.out`);
  });
}

/** Composes colors with white. @param channels the last one is the opacity */
export function onWhite({ channels, values, ...picture }: TestSamples): TestSamples {
  const laid: number[] = [];
  for (let at = 0; at < values.length; at += channels) {
    const opacity = values[at + channels - 1]! / 255;
    for (let index = 0; index < channels - 1; index++)
      laid.push(Math.round(values[at + index]! * opacity + 255 * (1 - opacity)));
  }
  return { ...picture, channels: channels - 1, values: laid };
}
