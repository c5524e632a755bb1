// Limits the resolution of the images in a PDF, and inspects the result with other programs: poppler's list of images,
// and drawings by two readers.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { type LimitImagesParams, limitImages } from "../../../../src/operations/limit-images.ts";
import { decode, type Picture, perceptualDistance, popplerPage, withFile } from "../../../support/pictures.ts";

const run = promisify(execFile);
export const MIB = 2 ** 20;

export async function limited(pdf: Uint8Array, params: LimitImagesParams, heapMiB = 512): Promise<Uint8Array> {
  const input = {
    name: "a.pdf",
    size: pdf.length,
    bytes: async () => pdf,
    async *stream() {
      yield pdf;
    },
  };
  const context = {
    signal: new AbortController().signal,
    heapLimitBytes: heapMiB * MIB,
    defer: () => {},
    log: () => {},
  };
  for await (const { body } of limitImages.run([input], params, context)) {
    if (body instanceof Uint8Array) return body;
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk.slice());
    return new Uint8Array(Buffer.concat(chunks));
  }
  throw new Error("no output");
}

interface Listed {
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly components: number;
  readonly bits: number;
  readonly coding: string;
  readonly dpi: number;
}

export async function listed(pdf: Uint8Array): Promise<Listed[]> {
  const { stdout } = await withFile(pdf, "a.pdf", (file) => run("pdfimages", ["-list", file]));
  const lines = stdout.trim().split("\n").slice(2);
  return lines.map((line) => {
    const columns = line.trim().split(/\s+/);
    const [, , type, width, height, , components, bits, coding] = columns as string[];
    const dpi = Math.max(...columns.slice(-4, -2).map(Number));
    const numbers = {
      width: Number(width),
      height: Number(height),
      components: Number(components),
      bits: Number(bits),
    };
    return { type: type!, ...numbers, coding: coding!, dpi };
  });
}

async function mutoolPage(pdf: Uint8Array): Promise<Picture> {
  return withFile(pdf, "a.pdf", async (file) => {
    await run("mutool", ["draw", "-q", "-r", "72", "-o", `${file}.png`, file, "1"]);
    return decode(await readFile(`${file}.png`), "opaquePng");
  });
}

export async function distances(before: Uint8Array, after: Uint8Array): Promise<number> {
  const pictures = await Promise.all([
    popplerPage(before, 1, 72),
    popplerPage(after, 1, 72),
    mutoolPage(before),
    mutoolPage(after),
  ]);
  return Math.max(perceptualDistance(pictures[0], pictures[1], 4), perceptualDistance(pictures[2], pictures[3], 4));
}

/** Returns smooth shades and an edge, from 0 to 1, for samples of any kind. */
export const shade = (x: number, y: number, channel: number) =>
  0.5 +
  0.3 * Math.sin(x / 37 + channel) +
  0.2 * Math.cos(y / 53 - channel) -
  (Math.hypot(x - 250, y - 200) < 90 ? 0.3 : 0);

/** Shapes with clear edges, as in bilevel images. Dithered shades would be averaged away. */
export const shapes = (x: number, y: number) => (Math.hypot(x - 310, y - 310) % 120 < 60 ? 1 : 0);
