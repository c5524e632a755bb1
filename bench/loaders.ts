// `node scripts/bootstrap.mjs bench/loaders.ts FOLDER`: the TIFF and BMP files of a folder as PDF pages, by this
// project's readers and by MuPDF's loaders, in turn in one process. A file `x.truth` beside `x.tif` holds its right
// pixels: width and height in 32 bits each, low byte first, then RGB. `--peak ours FILE` or `--peak mupdf FILE` reads
// one file and prints the memory of the process.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import * as mupdf from "mupdf";
import { imageToPdf } from "../src/operations/to-pdf/image-to-pdf.ts";
import { inputOf } from "../test/support/operations.ts";
import { row } from "./measure.ts";

const ROUNDS = 2;
/** Mean difference of a sample from the right one; JPEG is not exact. */
const MOST_DIFFERENCE = 3;
const HEAP_BYTES = 48 * 2 ** 20;

interface Made {
  readonly bytes: number;
  readonly pages: number;
  /** Size of the first page. */
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
  readonly points: number;
}

const peak = process.argv.indexOf("--peak");
if (peak > 0) {
  const [who, file] = process.argv.slice(peak + 1) as [string, string];
  const started = process.cpuUsage();
  const bytes = readFileSync(file);
  const size = who === "ours" ? await pdfSize(bytes) : deflatedSamples(bytes);
  const { user, system } = process.cpuUsage(started);
  const memory = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`${who}: ${size} bytes stored, ${((user + system) / 1e6).toFixed(2)} s of CPU, ${memory} MiB`);
} else {
  console.log(row(["picture", "ours", "MuPDF", "ours ms", "MuPDF ms", "ours B", "MuPDF B"]));
  for (const file of readdirSync(process.argv[2]!).sort()) {
    if (/\.(?:tif|bmp)$/.test(file)) await compare(join(process.argv[2]!, file), file);
  }
}

async function compare(file: string, name: string): Promise<void> {
  const bytes = readFileSync(file);
  const verdicts: string[] = ["", ""];
  const stored = ["", ""];
  const cpuMs = [0, 0];
  const truth = file.replace(/\.\w+$/, ".truth");
  const right = existsSync(truth) ? readFileSync(truth) : undefined;
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, read] of [readByUs, readByMupdf].entries()) {
      const started = process.cpuUsage();
      try {
        const made = await read(bytes);
        const { user, system } = process.cpuUsage(started);
        cpuMs[index]! += (user + system) / 1000;
        verdicts[index] = `${verdictOf(made(), right)}`;
        stored[index] = String(made().bytes);
      } catch (error) {
        verdicts[index] = "refused";
        if (round === 0) console.error(`${name}: ${String(error).slice(0, 100)}`);
      }
    }
  }
  console.log(row([name, ...verdicts, ...cpuMs.map((ms) => (ms / ROUNDS).toFixed(1)), ...stored]));
}

function verdictOf({ width, height, rgb, pages, points }: Made, right: Buffer | undefined): string {
  const about = `${pages > 1 ? ` ${pages}p` : ""} ${points.toFixed(0)}pt`;
  if (!right) return `?${about}`;
  if (right.readUInt32LE(0) !== width || right.readUInt32LE(4) !== height) return `size${about}`;
  let sum = 0;
  for (let at = 0; at < rgb.length; at++) sum += Math.abs(rgb[at]! - right[at + 8]!);
  const mean = sum / rgb.length;
  return `${mean <= MOST_DIFFERENCE ? "right" : `off ${mean.toFixed(0)}`}${about}`;
}

async function pdfOf(bytes: Uint8Array): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  await eachChunk(bytes, (chunk) => chunks.push(chunk.slice()));
  return Buffer.concat(chunks);
}

async function pdfSize(bytes: Uint8Array): Promise<number> {
  let size = 0;
  await eachChunk(bytes, ({ length }) => {
    size += length;
  });
  return size;
}

async function eachChunk(bytes: Uint8Array, take: (chunk: Uint8Array) => void): Promise<void> {
  const context = { signal: new AbortController().signal, heapLimitBytes: HEAP_BYTES, defer: () => {}, log: () => {} };
  for await (const { body } of imageToPdf.run([inputOf(bytes)], {}, context)) {
    if (body instanceof Uint8Array) take(body);
    else for await (const chunk of body) take(chunk);
  }
}

async function readByUs(bytes: Uint8Array): Promise<() => Made> {
  const pdf = await pdfOf(bytes);
  return () => drawn(pdf, "application/pdf", pdf.length, bytes);
}

/** Decodes every page and deflates its samples, which is what a PDF of them takes. */
async function readByMupdf(bytes: Uint8Array): Promise<() => Made> {
  const size = deflatedSamples(bytes);
  return () => drawn(bytes, typeOf(bytes), size, bytes);
}

function typeOf(bytes: Uint8Array): string {
  return bytes[0] === 0x42 ? "image/bmp" : "image/tiff";
}

function deflatedSamples(bytes: Uint8Array): number {
  const image = new mupdf.Image(bytes);
  const pixmap = image.toPixmap();
  const size = deflateSync(pixmap.getPixels(), { level: 6 }).length;
  pixmap.destroy();
  image.destroy();
  return size;
}

/** Draws the first page at the resolution of the picture. */
function drawn(bytes: Uint8Array, type: string, size: number, picture: Uint8Array): Made {
  const document = mupdf.Document.openDocument(bytes, type);
  const page = document.loadPage(0);
  const [x0, y0, x1, y1] = page.getBounds();
  const pixels = pixelsOf(picture);
  const isTurned = x1 - x0 < y1 - y0 !== pixels.width < pixels.height;
  const scale = (isTurned ? pixels.height : pixels.width) / (x1 - x0);
  const across = (isTurned ? pixels.width : pixels.height) / (y1 - y0);
  const pixmap = page.toPixmap(mupdf.Matrix.scale(scale, across), mupdf.ColorSpace.DeviceRGB, false);
  const rgb = Uint8Array.from(pixmap.getPixels());
  const made = {
    bytes: size,
    pages: document.countPages(),
    width: pixmap.getWidth(),
    height: pixmap.getHeight(),
    rgb,
    points: x1 - x0,
  };
  for (const one of [pixmap, page, document]) one.destroy();
  return made;
}

/** Reads the sides out of a header. */
function pixelsOf(bytes: Uint8Array): { readonly width: number; readonly height: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes[0] === 0x42)
    return {
      width: view.getUint16(14, true) === 12 ? view.getUint16(18, true) : view.getInt32(18, true),
      height: view.getUint16(14, true) === 12 ? view.getUint16(20, true) : Math.abs(view.getInt32(22, true)),
    };
  const little = bytes[0] === 0x49;
  const isBig = view.getUint16(2, little) === 43;
  let at = isBig ? Number(view.getBigUint64(8, little)) : view.getUint32(4, little);
  const count = isBig ? Number(view.getBigUint64(at, little)) : view.getUint16(at, little);
  at += isBig ? 8 : 2;
  const sides = [0, 0];
  for (let index = 0; index < count; index++, at += isBig ? 20 : 12) {
    const tag = view.getUint16(at, little);
    const place = at + (isBig ? 12 : 8);
    if (tag !== 256 && tag !== 257) continue;
    sides[tag - 256] =
      view.getUint16(at + 2, little) === 3 ? view.getUint16(place, little) : view.getUint32(place, little);
  }
  return { width: sides[0]!, height: sides[1]! };
}
