// Writes rasters as Windows bitmaps (BITMAPFILEHEADER and BITMAPINFOHEADER), streamed from the last row to the first.

import { CHANNELS, type ColorModel, type Raster } from "../../contract/raster.ts";

const FILE_HEADER_BYTES = 14;
/** Every reader supports this header. Later headers would only add a color space, which few readers use. */
const INFO_HEADER_BYTES = 40;
const GRAY_LEVELS = 256;
const CHUNK_BYTES = 128 * 1024;
/** Maximum of biWidth and biHeight, which are signed. */
const MAX_SIDE = 2 ** 31 - 1;
const METERS_PER_INCH = 0.0254;

/** Maximum of bfSize. */
export const MAX_BMP_BYTES = 2 ** 32 - 1;

/**
 * Returns the size of the file that {@link encodeBmp} would write, in bytes. The result can exceed {@link
 * MAX_BMP_BYTES}.
 * @throws RangeError if BMP does not support the color model
 */
export function bmpSizeBytes(raster: Pick<Raster, "width" | "height" | "colorModel">): number {
  return dataOffset(raster.colorModel) + raster.height * strideBytes(raster);
}

/**
 * Encodes a raster as uncompressed BMP, bottom row first: 24 bits for rgb, 8 bits with a gray palette for gray.
 * @returns chunks, each valid until the next one is requested
 * @throws RangeError if BMP does not support the raster's color model or sides, or the file would exceed {@link
 * MAX_BMP_BYTES}
 */
export function* encodeBmp(raster: Raster): Generator<Uint8Array> {
  const size = bmpSizeBytes(raster);
  if (!isSide(raster.width) || !isSide(raster.height) || size > MAX_BMP_BYTES) {
    throw new RangeError(`BMP cannot be ${raster.width} x ${raster.height} pixels`);
  }
  yield headers(raster, size);
  yield* rows(raster);
}

function isSide(pixels: number): boolean {
  return Number.isInteger(pixels) && pixels >= 1 && pixels <= MAX_SIDE;
}

/** Returns the bytes per row, padded to whole words. */
function strideBytes(raster: Pick<Raster, "width" | "colorModel">): number {
  return Math.ceil((raster.width * CHANNELS[raster.colorModel]) / 4) * 4;
}

function dataOffset(colorModel: ColorModel): number {
  if (colorModel === "rgb") return FILE_HEADER_BYTES + INFO_HEADER_BYTES;
  if (colorModel === "gray") return FILE_HEADER_BYTES + INFO_HEADER_BYTES + 4 * GRAY_LEVELS;
  throw new RangeError(`BMP has no color model ${colorModel}`);
}

function headers(raster: Raster, size: number): Uint8Array {
  const start = dataOffset(raster.colorModel);
  const pixelsPerMeter = Math.round(raster.dpi / METERS_PER_INCH);
  const bytes = new Uint8Array(start);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0x4d42, true);
  view.setUint32(2, size, true);
  view.setUint32(10, start, true);
  view.setUint32(14, INFO_HEADER_BYTES, true);
  view.setInt32(18, raster.width, true);
  // A positive height means bottom-up rows.
  view.setInt32(22, raster.height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 8 * CHANNELS[raster.colorModel], true);
  view.setUint32(34, raster.height * strideBytes(raster), true);
  view.setInt32(38, pixelsPerMeter, true);
  view.setInt32(42, pixelsPerMeter, true);
  if (raster.colorModel === "gray") {
    view.setUint32(46, GRAY_LEVELS, true);
    for (let level = 0; level < GRAY_LEVELS; level++) {
      bytes.fill(level, start - 4 * (GRAY_LEVELS - level), start - 4 * (GRAY_LEVELS - level) + 3);
    }
  }
  return bytes;
}

function* rows(raster: Raster): Generator<Uint8Array> {
  const rowBytes = raster.width * CHANNELS[raster.colorModel];
  const stride = strideBytes(raster);
  const rowsPerChunk = Math.max(1, Math.floor(CHUNK_BYTES / stride));
  const words = new Int32Array((rowsPerChunk * stride) / 4);
  const bytes = new Uint8Array(words.buffer);
  // A band can start at any address. Each row is copied to an aligned buffer, which can be read as words.
  const rowWords = new Int32Array(Math.ceil(rowBytes / 4));
  const row = new Uint8Array(rowWords.buffer, 0, rowBytes);
  let filled = 0;
  for (const band of raster.bands("bottom-up")) {
    for (let y = band.rows - 1; y >= 0; y--) {
      const samples = band.samples.subarray(y * rowBytes, (y + 1) * rowBytes);
      if (raster.colorModel === "gray") {
        bytes.set(samples, filled);
      } else {
        row.set(samples);
        swapRedAndBlue(rowWords, row, words, bytes, filled);
      }
      filled += stride;
      if (filled < bytes.length) continue;
      yield bytes;
      filled = 0;
    }
  }
  if (filled > 0) yield bytes.subarray(0, filled);
}

/**
 * Swaps red and blue, because bitmaps store blue first. Converts four pixels (three words) at a time, and the last
 * pixels of the row one by one.
 */
function swapRedAndBlue(
  from: Int32Array,
  row: Uint8Array,
  toWords: Int32Array,
  toBytes: Uint8Array,
  start: number,
): void {
  const length = row.length;
  const whole = length - (length % 12);
  let to = start >> 2;
  for (let i = 0; i < whole >> 2; i += 3, to += 3) {
    const first = from[i]!; // R0 G0 B0 R1, lowest byte first
    const second = from[i + 1]!; // G1 B1 R2 G2
    const third = from[i + 2]!; // B2 R3 G3 B3
    toWords[to] = ((first >>> 16) & 0xff) | (first & 0xff00) | ((first & 0xff) << 16) | ((second & 0xff00) << 16);
    toWords[to + 1] =
      (second & 0xff) | ((first >>> 16) & 0xff00) | ((third & 0xff) << 16) | (second & (0xff000000 | 0));
    toWords[to + 2] =
      ((second >>> 16) & 0xff) | ((third >>> 16) & 0xff00) | (third & 0xff0000) | ((third & 0xff00) << 16);
  }
  for (let i = whole; i < length; i += 3) {
    toBytes[start + i] = row[i + 2]!;
    toBytes[start + i + 1] = row[i + 1]!;
    toBytes[start + i + 2] = row[i]!;
  }
}
