// Writes rasters as TIFF (TIFF 6.0, with Deflate of Adobe's Photoshop technical notes), streamed strip by strip.

import { CHANNELS, type ColorModel, type Raster } from "../../contract/raster.ts";
import { type DeflateKernel, MAX_CHUNK_ROWS, startDeflate } from "../deflate/deflate-kernel.ts";
import {
  directory,
  type Field,
  fileHeader,
  headerBytes,
  LONG,
  OFFSET,
  RATIONAL,
  SHORT,
  UNDEFINED,
} from "./write-directory.ts";

/** PhotometricInterpretation (section 8); rgba is RGB with an extra sample. */
const PHOTOMETRIC: Readonly<Record<ColorModel, number>> = { gray: 1, rgb: 2, rgba: 2, cmyk: 5, lab: 8 };
const ADOBE_DEFLATE = 8;
/** Values of Predictor (section 14). */
const NO_PREDICTION = 1;
const HORIZONTAL_DIFFERENCING = 2;
/** Maximum uncompressed bytes of a strip, unless one row is larger. */
const STRIP_BYTES = 256 * 1024;
/**
 * The predictor is chosen after `TELLING_RAW_BYTES` of samples, if they were compressed to at least `TELLING_BYTES`.
 * Samples alone do not suffice, because blank paper compresses to very few bytes.
 */
const TELLING_RAW_BYTES = 4 * 1024 * 1024;
const TELLING_BYTES = 32 * 1024;
/** Maximum bytes of compressed strips held until the predictor is chosen. */
const MAX_HELD_BYTES = 384 * 1024;
const MAX_SIDE = 2 ** 32 - 1;
/**
 * Maximum uncompressed bytes of classic TIFF, whose offsets have 32 bits. Compression can enlarge strips by less than
 * one percent; the remaining bytes are enough for the directory.
 */
const CLASSIC_RAW_BYTES = Math.floor(2 ** 32 / 1.01) - 2 ** 22;
/** Chromaticity of D50, the white of ICC's profile connection space, times 10^4. */
const WHITE_POINT = [3457, 10000, 3585, 10000];

export interface TiffFile {
  /**
   * The whole file, except that the header lacks the offset of the directory. Chunks are valid until the next one is
   * requested.
   */
  readonly body: Iterable<Uint8Array>;
  /** Returns the final header. @throws Error before `body` has ended */
  head(): Uint8Array;
}

/**
 * Encodes a raster as TIFF: 8 bits per sample, interleaved, Deflate strips, with horizontal differencing if it makes
 * the file smaller. Writes BigTIFF if the file could exceed 4 GiB. Lab is CIELab with signed a and b; the alpha of rgba
 * is unassociated.
 * @throws RangeError if TIFF does not support the raster's sides
 */
export function encodeTiff(raster: Raster): TiffFile {
  if (!isSide(raster.width) || !isSide(raster.height)) {
    throw new RangeError(`TIFF cannot be ${raster.width} x ${raster.height} pixels`);
  }
  const big = raster.width * raster.height * CHANNELS[raster.colorModel] > CLASSIC_RAW_BYTES;
  let directoryOffset: number | undefined;
  return {
    body: encode(raster, big, (offset) => {
      directoryOffset = offset;
    }),
    head() {
      if (directoryOffset === undefined) throw new Error("the body has not ended");
      return fileHeader(big, directoryOffset);
    },
  };
}

function isSide(pixels: number): boolean {
  return Number.isInteger(pixels) && pixels >= 1 && pixels <= MAX_SIDE;
}

function* encode(raster: Raster, big: boolean, tellDirectory: (offset: number) => void): Generator<Uint8Array> {
  const rowBytes = raster.width * CHANNELS[raster.colorModel];
  // The kernel compresses a strip in one call, so its row limit applies.
  const rowsPerStrip = Math.min(raster.height, MAX_CHUNK_ROWS, Math.max(1, Math.floor(STRIP_BYTES / rowBytes)));
  const offsets: number[] = [];
  const byteCounts: number[] = [];
  let offset = headerBytes(big);
  const placed = (strip: Uint8Array): Uint8Array => {
    offsets.push(offset);
    byteCounts.push(strip.length);
    offset += strip.length;
    return strip;
  };
  yield fileHeader(big, 0);
  // The whole file has one predictor, chosen by content: the first strips are encoded both with and without horizontal
  // differencing.
  let best = new StripEncoder(raster, HORIZONTAL_DIFFERENCING);
  let rival: StripEncoder | undefined = new StripEncoder(raster, NO_PREDICTION);
  try {
    for (const band of raster.bands("top-down")) {
      for (let row = 0; row < band.rows; ) {
        const count = Math.min(band.rows - row, rowsPerStrip - ((band.top + row) % rowsPerStrip));
        const samples = band.samples.subarray(row * rowBytes, (row + count) * rowBytes);
        best.add(samples);
        rival?.add(samples);
        row += count;
        const rowsDone = band.top + row;
        const isLast = rowsDone === raster.height;
        if (rowsDone % rowsPerStrip !== 0 && !isLast) continue;
        if (rival === undefined) {
          yield placed(best.endStrip());
          continue;
        }
        best.holdStrip();
        rival.holdStrip();
        if (!isLast && !isTold(best, rival, rowsDone * rowBytes)) continue;
        if (rival.heldBytes < best.heldBytes) [best, rival] = [rival, best];
        rival.release();
        rival = undefined;
        for (const strip of best.held.splice(0)) yield placed(strip);
      }
    }
  } finally {
    best.release();
    rival?.release();
  }
  // A directory starts at a word boundary (section 2).
  if (offset % 2 === 1) {
    yield new Uint8Array(1);
    offset++;
  }
  tellDirectory(offset);
  yield directory(big, fields(raster, rowsPerStrip, best.predictor, offsets, byteCounts), offset);
}

/** Reports whether enough of the raster was encoded to choose the predictor, or the held bytes reached their limit. */
function isTold(one: StripEncoder, other: StripEncoder, rawBytes: number): boolean {
  const held = Math.max(one.heldBytes, other.heldBytes);
  return held >= MAX_HELD_BYTES || (held >= TELLING_BYTES && rawBytes >= TELLING_RAW_BYTES);
}

/** Encodes strips with one predictor. */
class StripEncoder {
  readonly predictor: number;
  /** Strips held until the predictor is chosen. `heldBytes`: their total size. */
  readonly held: Uint8Array[] = [];
  heldBytes = 0;
  readonly #kernel: DeflateKernel;
  readonly #rowBytes: number;
  readonly #isLab: boolean;
  #waitingBytes = 0;
  #hasEnded = false;

  constructor(raster: Raster, predictor: number) {
    const pixelBytes = CHANNELS[raster.colorModel];
    this.predictor = predictor;
    this.#rowBytes = raster.width * pixelBytes;
    this.#isLab = raster.colorModel === "lab";
    this.#kernel = startDeflate(predictor === NO_PREDICTION ? "samples" : "differences", this.#rowBytes, pixelBytes);
  }

  /** Adds whole rows of a strip. */
  add(samples: Uint8Array): void {
    const { rows } = this.#kernel;
    rows.set(samples, this.#waitingBytes);
    if (this.#isLab) makeSigned(rows.subarray(this.#waitingBytes, this.#waitingBytes + samples.length));
    this.#waitingBytes += samples.length;
  }

  /** Returns the strip of the rows added since the last strip; valid until the next strip ends. */
  endStrip(): Uint8Array {
    if (this.#hasEnded) this.#kernel.begin();
    this.#kernel.encode(this.#waitingBytes / this.#rowBytes);
    this.#kernel.finish();
    this.#hasEnded = true;
    this.#waitingBytes = 0;
    return this.#kernel.take();
  }

  holdStrip(): void {
    const strip = Uint8Array.from(this.endStrip());
    this.held.push(strip);
    this.heldBytes += strip.length;
  }

  /** Releases the kernel. Nothing can be added afterwards. */
  release(): void {
    this.#kernel.release();
  }
}

/** Makes a and b signed (section 23); the raster stores them offset by 128. */
function makeSigned(samples: Uint8Array): void {
  for (let i = 1; i < samples.length; i += 3) {
    samples[i]! ^= 0x80;
    samples[i + 1]! ^= 0x80;
  }
}

/**
 * Returns the fields of sections 3 to 8, 14 (Predictor), 16 (InkSet), 18 (ExtraSamples), 20 and 23 (WhitePoint); ICC.1
 * annex B.4 defines tag 34675.
 */
function fields(
  raster: Raster,
  rowsPerStrip: number,
  predictor: number,
  offsets: number[],
  byteCounts: number[],
): Field[] {
  const samples = CHANNELS[raster.colorModel];
  const resolution = Number.isInteger(raster.dpi) ? [raster.dpi, 1] : [Math.round(raster.dpi * 10000), 10000];
  const all: Field[] = [
    { tag: 256, type: LONG, values: [raster.width] },
    { tag: 257, type: LONG, values: [raster.height] },
    { tag: 258, type: SHORT, values: new Array<number>(samples).fill(8) },
    { tag: 259, type: SHORT, values: [ADOBE_DEFLATE] },
    { tag: 262, type: SHORT, values: [PHOTOMETRIC[raster.colorModel]] },
    { tag: 273, type: OFFSET, values: offsets },
    { tag: 274, type: SHORT, values: [1] },
    { tag: 277, type: SHORT, values: [samples] },
    { tag: 278, type: LONG, values: [rowsPerStrip] },
    { tag: 279, type: OFFSET, values: byteCounts },
    { tag: 282, type: RATIONAL, values: resolution },
    { tag: 283, type: RATIONAL, values: resolution },
    { tag: 284, type: SHORT, values: [1] },
    { tag: 296, type: SHORT, values: [2] },
    { tag: 317, type: SHORT, values: [predictor] },
  ];
  if (raster.colorModel === "lab") all.push({ tag: 318, type: RATIONAL, values: WHITE_POINT });
  if (raster.colorModel === "cmyk") all.push({ tag: 332, type: SHORT, values: [1] });
  if (raster.colorModel === "rgba") all.push({ tag: 338, type: SHORT, values: [2] });
  if (raster.iccProfile !== undefined) all.push({ tag: 34675, type: UNDEFINED, values: raster.iccProfile });
  return all;
}
