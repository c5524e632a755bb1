// Writes PNG (Portable Network Graphics, 3rd edition), streamed in batches of rows.

import { crc32, deflateSync } from "node:zlib";
import type { ColorModel, Raster } from "../../contract/raster.ts";
import { type DeflateKernel, OUTPUT_BYTES, startDeflate } from "../deflate/deflate-kernel.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Color types of rasters. */
const COLOR_TYPES: Partial<Record<ColorModel, PngHeader["colorType"]>> = { gray: 0, rgb: 2, rgba: 6 };
/** Maximum side: lengths have 31 bits (clause 7.1). */
const MAX_SIDE = 2 ** 31 - 1;
/** Bytes of length and type, before the data of a chunk. */
const CHUNK_HEAD_BYTES = 8;
const METERS_PER_INCH = 0.0254;
/** 1/2.2, the gAMA value that accompanies sRGB (clause 11.3.2.2). */
const SRGB_GAMMA = 45455;

/** Color types (clause 11.2.1), with their samples per pixel. */
const SAMPLES = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

/** The properties of a PNG, which precede its pixels. */
export interface PngHeader {
  readonly width: number;
  readonly height: number;
  /** Gray 0, RGB 2, palette 3, gray with alpha 4, RGB with alpha 6. */
  readonly colorType: keyof typeof SAMPLES;
  /** Bits per sample. Pixels of 1, 2 and 4 bits are gray or indexes. */
  readonly bits: 1 | 2 | 4 | 8 | 16;
  /** Red, green and blue of each index. */
  readonly palette?: Uint8Array;
  /** Opacity of each index. @default all are opaque */
  readonly paletteOpacity?: Uint8Array;
  /** @default sRGB */
  readonly iccProfile?: Uint8Array | undefined;
  /** Dots per inch. @default unknown */
  readonly dpi?: number;
}

/**
 * Encodes a raster as PNG: 8 bits per sample, color type 0, 2 or 6, not interlaced, with resolution and color space.
 * @returns chunks, each valid until the next one is requested
 * @throws RangeError if PNG does not support the raster's color model or sides
 */
export function* encodePng(raster: Raster): Generator<Uint8Array> {
  const colorType = COLOR_TYPES[raster.colorModel];
  if (colorType === undefined) throw new RangeError(`PNG has no color model ${raster.colorModel}`);
  const { width, height, dpi, iccProfile } = raster;
  const encoder = new PngEncoder({ width, height, colorType, bits: 8, dpi, iccProfile });
  try {
    yield* encoder.start();
    for (const { samples } of raster.bands("top-down")) yield* encoder.add(samples);
    yield* encoder.end();
  } finally {
    encoder.release();
  }
}

/** Encodes rows as they arrive. Chunks are valid until the next one is requested. */
export class PngEncoder {
  readonly #header: PngHeader;
  readonly #rowBytes: number;
  readonly #kernel: DeflateKernel;
  #waiting = 0;

  /** @throws RangeError if PNG does not support the sides */
  constructor(header: PngHeader) {
    const { width, height, colorType, bits } = header;
    if (!isSide(width) || !isSide(height)) throw new RangeError(`PNG cannot be ${width} x ${height} pixels`);
    const pixelBits = SAMPLES[colorType] * bits;
    this.#header = header;
    this.#rowBytes = Math.ceil((width * pixelBits) / 8);
    this.#kernel = startDeflate("filtered", this.#rowBytes, Math.ceil(pixelBits / 8));
  }

  /** Yields everything before the pixels. */
  *start(): Generator<Uint8Array> {
    const { palette, paletteOpacity, dpi } = this.#header;
    yield SIGNATURE;
    yield imageHeader(this.#header);
    yield* colorSpace(this.#header);
    if (palette) yield chunk("PLTE", palette);
    if (paletteOpacity) yield chunk("tRNS", paletteOpacity);
    if (dpi !== undefined) yield resolution(dpi);
  }

  /** Adds whole rows, and yields chunks IDAT; all of them together are one zlib stream (clauses 9 to 11.2.3). */
  *add(samples: Uint8Array): Generator<Uint8Array> {
    const kernel = this.#kernel;
    const rowBytes = this.#rowBytes;
    const rows = samples.length / rowBytes;
    for (let row = 0; row < rows; ) {
      const count = Math.min(rows - row, kernel.chunkRows - this.#waiting);
      kernel.rows.set(samples.subarray(row * rowBytes, (row + count) * rowBytes), this.#waiting * rowBytes);
      row += count;
      this.#waiting += count;
      if (this.#waiting < kernel.chunkRows) continue;
      kernel.encode(this.#waiting);
      this.#waiting = 0;
      if (kernel.size >= OUTPUT_BYTES) yield dataChunk(kernel);
    }
  }

  *end(): Generator<Uint8Array> {
    if (this.#waiting > 0) this.#kernel.encode(this.#waiting);
    this.#kernel.finish();
    yield dataChunk(this.#kernel);
    yield chunk("IEND", new Uint8Array(0));
  }

  /** Releases the kernel. Nothing can be added afterwards. */
  release(): void {
    this.#kernel.release();
  }
}

function isSide(pixels: number): boolean {
  return Number.isInteger(pixels) && pixels >= 1 && pixels <= MAX_SIDE;
}

/** Returns the chunk IHDR (clause 11.2.1). */
function imageHeader({ width, height, bits, colorType }: PngHeader): Uint8Array {
  const data = new Uint8Array(13);
  const view = new DataView(data.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  data[8] = bits;
  data[9] = colorType;
  return chunk("IHDR", data);
}

/**
 * Yields the color chunks of clauses 11.3.2.2 to 11.3.2.5. Samples without a profile are sRGB. gAMA is for decoders
 * without sRGB support, and is sufficient for gray.
 */
function* colorSpace({ iccProfile, colorType }: PngHeader): Generator<Uint8Array> {
  if (iccProfile !== undefined) {
    const name = new TextEncoder().encode("ICC profile\0\0");
    const profile = deflateSync(iccProfile, { level: 9 });
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
  if (colorType !== 0 && colorType !== 4) yield chunk("sRGB", Uint8Array.of(1));
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

function dataChunk(kernel: DeflateKernel): Uint8Array {
  return frameChunk("IDAT", kernel.take(CHUNK_HEAD_BYTES, 4));
}
