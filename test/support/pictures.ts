// Decodes images to numbers with third-party programs. Measures the visible distance between two images.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Number of channels: 1 for gray, 3 for RGB, 4 for RGB and alpha. */
  readonly channels: number;
  /** Interleaved 8-bit samples. */
  readonly samples: Uint8Array;
}

/**
 * Commands of netpbm and libjpeg that decode images. `-alphapam` keeps transparency; the output's header shows its
 * format.
 */
const READERS: Readonly<Record<string, readonly string[]>> = {
  png: ["pngtopam", "-alphapam"],
  opaquePng: ["pngtopam"],
  jpg: ["djpeg", "-pnm"],
  gif: ["giftopnm"],
  bmp: ["bmptopnm"],
  tif: ["tifftopnm", "-byrow"],
};

/** @param format a key of {@link READERS}, or labTif: CIELab, which libtiff's own tool converts to RGB first */
export async function decode(bytes: Uint8Array, format: string): Promise<Picture> {
  return withFile(bytes, `picture.${format}`, async (file) => {
    if (format === "labTif") {
      await run("tiff2rgba", ["-n", "-c", "none", file, `${file}.rgb`]);
      return decode(await readDocument(`${file}.rgb`), "tif");
    }
    const [program, ...args] = READERS[format]!;
    const { stdout } = await run(program!, [...args, file], { encoding: "buffer", maxBuffer: 2 ** 30 });
    return parsePnm(stdout);
  });
}

/** Returns the image of one page in RGB, rendered by poppler. */
export async function popplerPage(pdf: Uint8Array, page: number, dpi: number, args: string[] = []): Promise<Picture> {
  return withFile(pdf, "document.pdf", async (file) => {
    const options = ["-r", String(dpi), "-f", String(page), "-l", String(page), "-cropbox", ...args];
    const { stdout } = await run("pdftoppm", [...options, file], { encoding: "buffer", maxBuffer: 2 ** 30 });
    return parsePnm(stdout);
  });
}

/** Runs `use` on a temporary file with the given bytes. */
export async function withFile<T>(bytes: Uint8Array, name: string, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "picture-"));
  try {
    const file = join(folder, name);
    await writeFile(file, bytes);
    return await use(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const readDocument = (file: string): Promise<Uint8Array> =>
  readFile(file).then((buffer) => new Uint8Array(buffer));

/** Parses PGM, PPM and PAM files (netpbm's formats P5, P6, P7) with 8-bit samples. */
export function parsePnm(file: Buffer): Picture {
  const magic = file.toString("latin1", 0, 2);
  if (magic === "P7") {
    const end = file.indexOf("ENDHDR\n") + "ENDHDR\n".length;
    const header = file.toString("latin1", 0, end);
    const value = (key: string) => Number(new RegExp(`^${key} (\\d+)$`, "m").exec(header)![1]);
    return { width: value("WIDTH"), height: value("HEIGHT"), channels: value("DEPTH"), samples: file.subarray(end) };
  }
  const header = /^P([456])\s+(\d+)\s+(\d+)\s+(?:(\d+)\s)?/.exec(file.toString("latin1", 0, 64))!;
  const [width, height] = [Number(header[2]), Number(header[3])];
  if (header[1] === "4") return { width, height, channels: 1, samples: unpackBits(file, width, height) };
  return { width, height, channels: header[1] === "5" ? 1 : 3, samples: file.subarray(header[0].length) };
}

/** Decodes a PBM file: 1 is black, and each row ends at a whole byte. The rows must be at the end of the file. */
function unpackBits(file: Buffer, width: number, height: number): Uint8Array {
  const stride = Math.ceil(width / 8);
  const bits = file.subarray(file.length - stride * height);
  return Uint8Array.from({ length: width * height }, (_, index) => {
    const [row, column] = [Math.floor(index / width), index % width];
    return (bits[row * stride + (column >> 3)]! >> (7 - (column & 7))) & 1 ? 0 : 255;
  });
}

/**
 * Returns how different two images look. Averages both over cells of about `cellPixels` a side, which hides invisible
 * differences of antialiasing and hinting. Then takes the root mean square of all differences.
 * @returns 0 (equal) to 255; from about 8, the difference is visible side by side
 */
export function perceptualDistance(a: Picture, b: Picture, cellPixels = 4): number {
  const columns = Math.max(1, Math.round(Math.min(a.width, b.width) / cellPixels));
  const rows = Math.max(1, Math.round(Math.min(a.height, b.height) / cellPixels));
  const [left, right] = [averages(a, columns, rows), averages(b, columns, rows)];
  let sum = 0;
  for (let index = 0; index < left.length; index++) sum += (left[index]! - right[index]!) ** 2;
  return Math.sqrt(sum / left.length);
}

/** Returns the mean RGB of each cell of a grid over the whole image. Composes transparent pixels with white. */
function averages({ width, height, channels, samples }: Picture, columns: number, rows: number): Float64Array {
  const means = new Float64Array(columns * rows * 3);
  const counts = new Float64Array(columns * rows);
  const cellColumns = Int32Array.from({ length: width }, (_, x) =>
    Math.min(columns - 1, Math.floor((x * columns) / width)),
  );
  const [green, blue] = channels >= 3 ? [1, 2] : [0, 0];
  const alphaAt = channels === 4 ? 3 : channels === 2 ? 1 : undefined;
  let at = 0;
  for (let y = 0; y < height; y++) {
    const first = Math.min(rows - 1, Math.floor((y * rows) / height)) * columns;
    for (let x = 0; x < width; x++, at += channels) {
      const cell = first + cellColumns[x]!;
      const alpha = alphaAt === undefined ? 1 : samples[at + alphaAt]! / 255;
      const paper = 255 * (1 - alpha);
      means[cell * 3]! += samples[at]! * alpha + paper;
      means[cell * 3 + 1]! += samples[at + green]! * alpha + paper;
      means[cell * 3 + 2]! += samples[at + blue]! * alpha + paper;
      counts[cell]!++;
    }
  }
  for (let index = 0; index < means.length; index++) means[index]! /= counts[Math.floor(index / 3)]!;
  return means;
}

/** @returns the samples of one pixel */
export function pixel({ width, channels, samples }: Picture, x: number, y: number): number[] {
  const at = (y * width + x) * channels;
  return [...samples.subarray(at, at + channels)];
}
