// Rasters as PNG (Portable Network Graphics, 3rd edition), streamed a batch of rows at a time. It knows nothing of documents.

import { crc32, deflateSync } from "node:zlib";
import { CHANNELS, type ColorModel, type Raster } from "./raster.ts";
import { BLANK, DIFFERENCES, RowDeflater, SAMPLES } from "./row-deflater.ts";
import {
  chooseFilter,
  type Filter,
  isSameRow,
  makeRow,
  NONE,
  PAETH,
  type Row,
  SUB,
  subtractAbove,
  subtractLeft,
  subtractPaeth,
  UP,
} from "./row-filter.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Clause 11.2.1. */
const COLOR_TYPES: Partial<Record<ColorModel, number>> = { gray: 0, rgb: 2, rgba: 6 };
/** Clause 7.1: lengths are 31 bits. */
const MAX_SIDE = 2 ** 31 - 1;
/** A data chunk is written when it has this much. */
const CHUNK_BYTES = 64 * 1024;
/** Length and type before the data of a chunk. */
const CHUNK_HEAD_BYTES = 8;
/** A choice is for so many rows of a band: about a line of text at 300 dpi. */
const ROWS_PER_FILTER = 64;
const METERS_PER_INCH = 0.0254;
/** 1/2.2 as clause 11.3.2.2 gives it for use beside sRGB. */
const SRGB_GAMMA = 45455;

/**
 * A picture as PNG: 8 bits a sample, colour type 0, 2 or 6, not interlaced, with its resolution and its colour space.
 * @returns chunks that are valid until the next one is asked for
 * @throws RangeError if PNG has not the raster's color model or its sides
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

/** Clause 11.2.1. */
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
 * Clauses 11.3.2.2 to 11.3.2.5. Samples without a profile are sRGB; gAMA says it to decoders that know no sRGB, and is all that gray
 * needs.
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
  // Rendering intent 1, relative colorimetric: what renderers of documents use unless told otherwise.
  if (raster.colorModel !== "gray") yield chunk("sRGB", Uint8Array.of(1));
}

/** Clause 11.3.4.3. */
function resolution(dpi: number): Uint8Array {
  const pixelsPerMeter = Math.round(dpi / METERS_PER_INCH);
  const data = new Uint8Array(9);
  const view = new DataView(data.buffer);
  view.setUint32(0, pixelsPerMeter);
  view.setUint32(4, pixelsPerMeter);
  data[8] = 1;
  return chunk("pHYs", data);
}

/** Clause 5.3. */
function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(CHUNK_HEAD_BYTES + data.length + 4);
  bytes.set(data, CHUNK_HEAD_BYTES);
  return framed(type, bytes);
}

/** Puts length, type and checksum around the data that lies between their places. */
function framed(type: string, bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  view.setUint32(0, bytes.length - CHUNK_HEAD_BYTES - 4);
  for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i);
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(4, bytes.length - 4)));
  return bytes;
}

/** Clauses 9 to 11.2.3: filtered rows as one zlib stream, cut into data chunks. */
function* imageData(raster: Raster): Generator<Uint8Array> {
  const pixelBytes = CHANNELS[raster.colorModel];
  const sampleBytes = raster.width * pixelBytes;
  const deflater = new RowDeflater({
    rowBytes: 1 + sampleBytes,
    leadBytes: 1,
    pixelBytes,
    start: CHUNK_HEAD_BYTES,
  });
  const filtered = makeRow(sampleBytes);
  let row = makeRow(sampleBytes);
  let above = makeRow(sampleBytes);
  let filter: Filter = NONE;
  let chosenFor = 0;
  deflater.begin();
  for (const band of raster.bands("top-down")) {
    for (let y = 0; y < band.rows; y++) {
      if (chosenFor-- === 0) {
        chosenFor = Math.min(ROWS_PER_FILTER, band.rows - y) - 1;
        filter = chooseFilter(band.samples, y, chosenFor + 1, sampleBytes, pixelBytes) ?? filter;
      }
      row.bytes.set(band.samples.subarray(y * sampleBytes, (y + 1) * sampleBytes));
      filterRow(row, above, filter, filtered, deflater);
      const swap = above;
      above = row;
      row = swap;
      if (deflater.waiting < deflater.batchRows) continue;
      deflater.deflate();
      if (deflater.size >= CHUNK_BYTES) yield framed("IDAT", deflater.take(4));
    }
  }
  deflater.finish();
  yield framed("IDAT", deflater.take(4));
}

function filterRow(row: Row, above: Row, filter: Filter, filtered: Row, deflater: RowDeflater): void {
  const to = deflater.rows;
  const at = deflater.position;
  if (isSameRow(row, above)) {
    // Nothing is shorter than a row of zeros, whatever the rows around it do.
    to[at] = UP;
    to.fill(0, at + 1, at + deflater.rowBytes);
    deflater.rowDone(BLANK);
    return;
  }
  to[at] = filter;
  if (filter === NONE) {
    to.set(row.bytes, at + 1);
  } else {
    if (filter === SUB) subtractLeft(row, deflater.pixelBytes, filtered);
    else if (filter === UP) subtractAbove(row, above, filtered);
    else if (filter === PAETH) subtractPaeth(row, above, deflater.pixelBytes, filtered);
    to.set(filtered.bytes, at + 1);
  }
  deflater.rowDone(filter === NONE ? SAMPLES : DIFFERENCES);
}
