// Decodes pictures to numbers with third-party programs, and measures the visible distance between two pictures.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** 1 gray, 3 RGB, 4 RGB and alpha. */
  readonly channels: number;
  /** Interleaved, 8 bits. */
  readonly samples: Uint8Array;
}

/** netpbm's and libjpeg's readers. `-alphapam` keeps transparency, `-bitdepth` is told apart by the header. */
const READERS: Readonly<Record<string, readonly string[]>> = {
  png: ["pngtopam", "-alphapam"],
  opaquePng: ["pngtopam"],
  jpg: ["djpeg", "-pnm"],
  gif: ["giftopnm"],
  bmp: ["bmptopnm"],
  tif: ["tifftopnm", "-byrow"],
};

/** @param format a key of the readers, or labTif: CIELab, which libtiff's own tool turns into RGB first */
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

/** poppler's picture of one page, in RGB. */
export async function popplerPage(pdf: Uint8Array, page: number, dpi: number, args: string[] = []): Promise<Picture> {
  return withFile(pdf, "document.pdf", async (file) => {
    const options = ["-r", String(dpi), "-f", String(page), "-l", String(page), "-cropbox", ...args];
    const { stdout } = await run("pdftoppm", [...options, file], { encoding: "buffer", maxBuffer: 2 ** 30 });
    return parsePnm(stdout);
  });
}

/** Hands a program the bytes as a file, for as long as it works. */
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

/** Reads PGM, PPM and PAM (netpbm's formats P5, P6, P7) of 8 bits. */
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

/** PBM: 1 is black, rows end at whole bytes. Written for `P4\nW H\n`. */
function unpackBits(file: Buffer, width: number, height: number): Uint8Array {
  const stride = Math.ceil(width / 8);
  const bits = file.subarray(file.length - stride * height);
  return Uint8Array.from({ length: width * height }, (_, index) => {
    const [row, column] = [Math.floor(index / width), index % width];
    return (bits[row * stride + (column >> 3)]! >> (7 - (column & 7))) & 1 ? 0 : 255;
  });
}

/**
 * How different two pictures look: both are averaged over cells of about `cellPixels` a side, which lets antialiasing
 * and hinting pass that no eye sees, then the root of the mean square of all differences is taken.
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

/** Mean RGB of each cell of a grid laid over the whole picture; transparency is laid on white. */
function averages(picture: Picture, columns: number, rows: number): Float64Array {
  const { width, height, channels, samples } = picture;
  const means = new Float64Array(columns * rows * 3);
  const counts = new Float64Array(columns * rows);
  for (let y = 0; y < height; y++) {
    const row = Math.min(rows - 1, Math.floor((y * rows) / height));
    for (let x = 0; x < width; x++) {
      const cell = row * columns + Math.min(columns - 1, Math.floor((x * columns) / width));
      const at = (y * width + x) * channels;
      const alpha = channels === 4 ? samples[at + 3]! / 255 : channels === 2 ? samples[at + 1]! / 255 : 1;
      for (let channel = 0; channel < 3; channel++) {
        const sample = samples[at + (channels >= 3 ? channel : 0)]!;
        means[cell * 3 + channel]! += sample * alpha + 255 * (1 - alpha);
      }
      counts[cell]!++;
    }
  }
  return means.map((sum, index) => sum / counts[Math.floor(index / 3)]!);
}

/** @returns the samples of the pixel */
export function pixel({ width, channels, samples }: Picture, x: number, y: number): number[] {
  const at = (y * width + x) * channels;
  return [...samples.subarray(at, at + channels)];
}
