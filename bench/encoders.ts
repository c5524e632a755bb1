// `npm run bench:encoders`: compares this project's encoders with @jsquash/png and @jsquash/jpeg (mozjpeg) in one
// process. Each page is rendered once, and all encoders encode the same pixels. Times are CPU times. Memory is measured
// in a separate process for each encoder.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import encodeMozjpeg, { init as initMozjpeg } from "@jsquash/jpeg/encode.js";
import encodeJsquashPng, { init as initJsquashPng } from "@jsquash/png/encode.js";
import * as mupdf from "mupdf";
import type { Raster } from "../src/document/contract/raster.ts";
import { encodeJpeg } from "../src/document/formats/jpeg/write.ts";
import { encodePng } from "../src/document/formats/png/write.ts";
import { corpusDir, corpusPlace } from "../test/support/corpus.ts";
import { median, row } from "./measuring/measure.ts";
import { JPEG_QUALITY } from "./measuring/peers.ts";

const DPI = 300;
const ROUNDS = process.argv.includes("--quick") ? 3 : 7;
/** A page of text, a scan, a page with photographs. */
const PAGES: readonly (readonly [file: string, page: number])[] = [
  ["pdf/pdf2image-memory-error-test-400p.pdf", 20],
  ["pdf/Seige_of_Vicksburg_Sample_OCR.pdf", 1],
  ["pdf/validAvoir_FR_type380_BASICWL.pdf", 1],
];

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Three bytes per pixel. */
  readonly rgb: Uint8Array;
}

interface Encoder {
  readonly format: "PNG" | "JPEG";
  readonly isOurs: boolean;
  /** @returns the size of the file */
  encode(pixels: Pixels): number | Promise<number>;
}

const images = new WeakMap<Pixels, ImageData>();
/**
 * mozjpeg settings for the same kind of file as ours: sequential, with the quantization tables of the JPEG standard.
 */
const LIKE_OURS = { quality: JPEG_QUALITY, progressive: false, quant_table: 0 };
const ENCODERS: Readonly<Record<string, Encoder>> = {
  "our PNG": { format: "PNG", isOurs: true, encode: (pixels) => sizeOf(encodePng(rasterOf(pixels))) },
  "@jsquash/png": {
    format: "PNG",
    isOurs: false,
    encode: async (pixels) => (await encodeJsquashPng(imageData(pixels))).byteLength,
  },
  "our JPEG": {
    format: "JPEG",
    isOurs: true,
    encode: (pixels) => sizeOf(encodeJpeg(rasterOf(pixels), { quality: JPEG_QUALITY })),
  },
  "@jsquash/jpeg sequential": {
    format: "JPEG",
    isOurs: false,
    encode: async (pixels) => (await encodeMozjpeg(imageData(pixels), LIKE_OURS)).byteLength,
  },
  "@jsquash/jpeg": {
    format: "JPEG",
    isOurs: false,
    encode: async (pixels) => (await encodeMozjpeg(imageData(pixels), { quality: JPEG_QUALITY })).byteLength,
  },
};

await initJsquashPng(compiled("@jsquash/png/codec/pkg/squoosh_png_bg.wasm"));
// The package accepts a module, which its type declaration omits.
await (initMozjpeg as (module: WebAssembly.Module) => Promise<void>)(
  compiled("@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm"),
);
const peak = process.argv.indexOf("--peak");
if (peak > 0) await tellPeak(process.argv.slice(peak + 1));
else await compareAll();

function compiled(name: string): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(createRequire(import.meta.url).resolve(name)));
}

async function compareAll(): Promise<void> {
  if (corpusDir === undefined) {
    console.error(`The corpus of real documents is not at ${corpusPlace}: set CORPUS_DIR.`);
    process.exit(1);
  }
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    console.log(`${DPI} dpi, JPEG of quality ${JPEG_QUALITY}, median of ${ROUNDS}; ratios are ours / theirs`);
    for (const [name, page] of PAGES) await compare(join(corpusDir, name), page, join(folder, "pixels"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function compare(file: string, page: number, place: string): Promise<void> {
  const pixels = drawn(file, page);
  writeFileSync(place, pixels.rgb);
  console.log(`\n${basename(file)}: ${pixels.width} x ${pixels.height}`);
  console.log(row(["encoder", "CPU ms", "bytes", "MiB more", "time", "bytes", "memory"]));
  const cpuMs = new Map<string, number[]>(Object.keys(ENCODERS).map((name) => [name, []]));
  const bytes = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, { encode }] of Object.entries(ENCODERS)) {
      const started = process.cpuUsage();
      bytes.set(name, await encode(pixels));
      const { user, system } = process.cpuUsage(started);
      cpuMs.get(name)!.push((user + system) / 1000);
    }
  }
  const figures = Object.entries(ENCODERS).map(([name, { format, isOurs }]) => {
    const memory = peakOf(name, pixels, place);
    return { name, format, isOurs, values: [median(cpuMs.get(name)!), bytes.get(name)!, memory] };
  });
  for (const { name, format, isOurs, values } of figures) {
    const ours = figures.find((one) => one.format === format && one.isOurs)!.values;
    const ratios = isOurs ? [] : values.map((value, index) => (ours[index]! / value).toFixed(2));
    console.log(row([name, ...values.map((value) => value.toFixed(0)), ...ratios]));
  }
}

function drawn(file: string, page: number): Pixels {
  const document = mupdf.Document.openDocument(readFileSync(file), "application/pdf");
  const scale = mupdf.Matrix.scale(DPI / 72, DPI / 72);
  const pixmap = document.loadPage(page - 1).toPixmap(scale, mupdf.ColorSpace.DeviceRGB, false);
  const pixels = { width: pixmap.getWidth(), height: pixmap.getHeight(), rgb: Uint8Array.from(pixmap.getPixels()) };
  for (const one of [pixmap, document]) one.destroy();
  return pixels;
}

/** @returns the growth of a new process's memory while it encodes, in MiB */
function peakOf(name: string, { width, height }: Pixels, place: string): number {
  const args = [import.meta.filename, "--peak", name, String(width), String(height), place];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

async function tellPeak([name, width, height, place]: readonly string[]): Promise<void> {
  const rgb = readFileSync(place!);
  const before = process.resourceUsage().maxRSS;
  await ENCODERS[name!]!.encode({ width: Number(width), height: Number(height), rgb });
  console.log(((process.resourceUsage().maxRSS - before) / 1024).toFixed(1));
}

/** Yields bands of 64 rows, as the renderer does. */
function rasterOf({ width, height, rgb }: Pixels): Raster {
  return {
    width,
    height,
    dpi: DPI,
    colorModel: "rgb",
    *bands() {
      for (let top = 0; top < height; top += 64) {
        const rows = Math.min(64, height - top);
        yield { top, rows, samples: Uint8Array.from(rgb.subarray(top * width * 3, (top + rows) * width * 3)) };
      }
    },
  };
}

function sizeOf(chunks: Iterable<Uint8Array>): number {
  let size = 0;
  for (const { length } of chunks) size += length;
  return size;
}

/**
 * Converts pixels to four bytes each, the only format that the packages accept. Runs once per page, so the median
 * excludes it.
 */
function imageData(pixels: Pixels): ImageData {
  const { width, height, rgb } = pixels;
  const known = images.get(pixels);
  if (known) return known;
  const data = new Uint8ClampedArray(width * height * 4);
  for (let from = 0, to = 0; from < rgb.length; from += 3, to += 4) {
    data[to] = rgb[from]!;
    data[to + 1] = rgb[from + 1]!;
    data[to + 2] = rgb[from + 2]!;
    data[to + 3] = 255;
  }
  const image: ImageData = { width, height, data, colorSpace: "srgb" };
  images.set(pixels, image);
  return image;
}
