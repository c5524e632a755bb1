// Writes rasters as PNG (Portable Network Graphics, 3rd edition), streamed in batches of rows.

import { crc32, deflateSync } from "node:zlib";
import { CHANNELS, type ColorModel, type Raster } from "../../contract/raster.ts";
import { type DeflateKernel, OUTPUT_BYTES, startDeflate } from "../deflate/deflate-kernel.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Color types of clause 11.2.1. */
const COLOR_TYPES: Partial<Record<ColorModel, number>> = { gray: 0, rgb: 2, rgba: 6 };
/** Maximum side: lengths have 31 bits (clause 7.1). */
const MAX_SIDE = 2 ** 31 - 1;
/** Bytes of length and type, before the data of a chunk. */
const CHUNK_HEAD_BYTES = 8;
const METERS_PER_INCH = 0.0254;
/** 1/2.2, the gAMA value that accompanies sRGB (clause 11.3.2.2). */
const SRGB_GAMMA = 45455;

/**
 * Encodes a raster as PNG: 8 bits per sample, color type 0, 2 or 6, not interlaced, with resolution and color space.
 * @returns chunks, each valid until the next one is requested
 * @throws RangeError if PNG does not support the raster's color model or sides
 */
export function* encodePng(raster: Raster): Generator<Uint8Array> {
  const colorType = COLOR_TYPES[raster.colorModel];
  if (colorType === undefined) throw new RangeError(`PNG has no color model ${raster.colorModel}`);
  if (!isSide(raster.width) || !isSide(raster.height)) {
    throw new RangeError(`PNG cannot be ${raster.width} x ${raster.height} pixels`);
  }
  yield SIGNATURE;
  yield imageHeader(raster.width, raster.height, colorType);
  yield* colorSpace(raster);
  yield resolution(raster.dpi);
  yield* imageData(raster);
  yield chunk("IEND", new Uint8Array(0));
}

function isSide(pixels: number): boolean {
  return Number.isInteger(pixels) && pixels >= 1 && pixels <= MAX_SIDE;
}

/** Returns the chunk IHDR (clause 11.2.1). */
function imageHeader(width: number, height: number, colorType: number): Uint8Array {
  const data = new Uint8Array(13);
  const view = new DataView(data.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  data[8] = 8;
  data[9] = colorType;
  return chunk("IHDR", data);
}

/**
 * Yields the color chunks of clauses 11.3.2.2 to 11.3.2.5. Samples without a profile are sRGB. gAMA is for decoders
 * without sRGB support, and is sufficient for gray.
 */
function* colorSpace(raster: Raster): Generator<Uint8Array> {
  if (raster.iccProfile !== undefined) {
    const name = new TextEncoder().encode("ICC profile\0\0");
    const profile = deflateSync(raster.iccProfile, { level: 9 });
    const data = new Uint8Array(name.length + profile.length);
    data.set(name);
    data.set(profile, name.length);
    yield chunk("iCCP", data);
    return;
  }
  const gamma = new Uint8Array(4);
  new DataView(gamma.buffer).setUint32(0, SRGB_GAMMA);
  yield chunk("gAMA", gamma);
  // Rendering intent 1, relative colorimetric, is the default of document renderers.
  if (raster.colorModel !== "gray") yield chunk("sRGB", Uint8Array.of(1));
}

/** Returns the chunk pHYs (clause 11.3.4.3). */
function resolution(dpi: number): Uint8Array {
  const pixelsPerMeter = Math.round(dpi / METERS_PER_INCH);
  const data = new Uint8Array(9);
  const view = new DataView(data.buffer);
  view.setUint32(0, pixelsPerMeter);
  view.setUint32(4, pixelsPerMeter);
  data[8] = 1;
  return chunk("pHYs", data);
}

/** Returns a chunk (clause 5.3). */
function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(CHUNK_HEAD_BYTES + data.length + 4);
  bytes.set(data, CHUNK_HEAD_BYTES);
  return frameChunk(type, bytes);
}

/** Writes length, type and CRC into the space reserved around the data. */
function frameChunk(type: string, bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  view.setUint32(0, bytes.length - CHUNK_HEAD_BYTES - 4);
  for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i);
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(4, bytes.length - 4)));
  return bytes;
}

/** Yields IDAT chunks with the filtered rows as one zlib stream (clauses 9 to 11.2.3). */
function* imageData(raster: Raster): Generator<Uint8Array> {
  const pixelBytes = CHANNELS[raster.colorModel];
  const rowBytes = raster.width * pixelBytes;
  const kernel = startDeflate("filtered", rowBytes, pixelBytes);
  try {
    let waiting = 0;
    for (const band of raster.bands("top-down")) {
      for (let row = 0; row < band.rows; ) {
        const count = Math.min(band.rows - row, kernel.chunkRows - waiting);
        kernel.rows.set(band.samples.subarray(row * rowBytes, (row + count) * rowBytes), waiting * rowBytes);
        row += count;
        waiting += count;
        if (waiting < kernel.chunkRows) continue;
        kernel.encode(waiting);
        waiting = 0;
        if (kernel.size >= OUTPUT_BYTES) yield dataChunk(kernel);
      }
    }
    if (waiting > 0) kernel.encode(waiting);
    kernel.finish();
    yield dataChunk(kernel);
  } finally {
    kernel.release();
  }
}

function dataChunk(kernel: DeflateKernel): Uint8Array {
  return frameChunk("IDAT", kernel.take(CHUNK_HEAD_BYTES, 4));
}
