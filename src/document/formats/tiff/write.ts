// Writes TIFF (TIFF 6.0, with Deflate of Adobe's Photoshop technical notes), streamed strip by strip.

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
} from "./writing/directory.ts";

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
/** Resolution of images whose resolution is unknown; a TIFF must state one. */
const DEFAULT_DPI = 72;
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

/** The properties of a TIFF, which are written after its pixels. */
export interface TiffHeader extends Pick<Raster, "width" | "height" | "colorModel"> {
  readonly dpi?: number;
  readonly iccProfile?: Uint8Array | undefined;
  /** True if the last sample of each pixel is its opacity, in addition to the samples of the color model. */
  readonly hasOpacity?: boolean;
}

const samplesOf = ({ colorModel, hasOpacity = false }: TiffHeader): number => CHANNELS[colorModel] + Number(hasOpacity);

/**
 * Encodes a raster as TIFF: 8 bits per sample, interleaved, Deflate strips, with horizontal differencing if it makes
 * the file smaller. Writes BigTIFF if the file could exceed 4 GiB. Lab is CIELab with signed a and b; the alpha of rgba
 * is unassociated.
 * @throws RangeError if TIFF does not support the raster's sides
 */
export function encodeTiff(raster: Raster): TiffFile {
  const encoder = new TiffEncoder(raster);
  return {
    head: () => encoder.head(),
    body: (function* () {
      try {
        yield* encoder.start();
        for (const { samples } of raster.bands("top-down")) yield* encoder.add(samples);
        yield* encoder.end();
      } finally {
        encoder.release();
      }
    })(),
  };
}

function isSide(pixels: number): boolean {
  return Number.isInteger(pixels) && pixels >= 1 && pixels <= MAX_SIDE;
}

/** Encodes rows as they arrive. Chunks are valid until the next one is requested. */
export class TiffEncoder {
  readonly #header: TiffHeader;
  readonly #isBig: boolean;
  readonly #rowBytes: number;
  readonly #rowsPerStrip: number;
  readonly #offsets: number[] = [];
  readonly #byteCounts: number[] = [];
  /**
   * The whole file has one predictor, chosen by content: the first strips are encoded both with and without horizontal
   * differencing.
   */
  #best: StripEncoder;
  #rival: StripEncoder | undefined;
  #rowsDone = 0;
  #offset: number;
  #directoryOffset: number | undefined;

  /**
   * @param offset position of the first strip in the file. @default after the header
   * @throws RangeError if TIFF does not support the sides
   */
  constructor(header: TiffHeader, offset?: number) {
    const { width, height } = header;
    if (!isSide(width) || !isSide(height)) throw new RangeError(`TIFF cannot be ${width} x ${height} pixels`);
    this.#header = header;
    this.#rowBytes = width * samplesOf(header);
    this.#isBig = this.#rowBytes * height > CLASSIC_RAW_BYTES;
    this.#offset = offset ?? headerBytes(this.#isBig);
    // The kernel compresses a strip in one call, so its row limit applies.
    this.#rowsPerStrip = Math.min(height, MAX_CHUNK_ROWS, Math.max(1, Math.floor(STRIP_BYTES / this.#rowBytes)));
    this.#best = new StripEncoder(header, HORIZONTAL_DIFFERENCING);
    this.#rival = new StripEncoder(header, NO_PREDICTION);
  }

  /** Returns the final header. @throws Error before {@link end} */
  head(): Uint8Array {
    if (this.#directoryOffset === undefined) throw new Error("the body has not ended");
    return fileHeader(this.#isBig, this.#directoryOffset);
  }

  *start(): Generator<Uint8Array> {
    yield fileHeader(this.#isBig, 0);
  }

  /** Adds whole rows. */
  *add(samples: Uint8Array): Generator<Uint8Array> {
    const rowBytes = this.#rowBytes;
    const rows = samples.length / rowBytes;
    for (let row = 0; row < rows; ) {
      const count = Math.min(rows - row, this.#rowsPerStrip - (this.#rowsDone % this.#rowsPerStrip));
      const part = samples.subarray(row * rowBytes, (row + count) * rowBytes);
      this.#best.add(part);
      this.#rival?.add(part);
      row += count;
      this.#rowsDone += count;
      const isLast = this.#rowsDone === this.#header.height;
      if (this.#rowsDone % this.#rowsPerStrip === 0 || isLast) yield* this.#endStrip(isLast);
    }
  }

  *#endStrip(isLast: boolean): Generator<Uint8Array> {
    const rival = this.#rival;
    if (rival === undefined) {
      yield this.#placed(this.#best.endStrip());
      return;
    }
    this.#best.holdStrip();
    rival.holdStrip();
    if (!isLast && !isTold(this.#best, rival, this.#rowsDone * this.#rowBytes)) return;
    const isRivalSmaller = rival.heldBytes < this.#best.heldBytes;
    (isRivalSmaller ? this.#best : rival).release();
    if (isRivalSmaller) this.#best = rival;
    this.#rival = undefined;
    for (const strip of this.#best.held.splice(0)) yield this.#placed(strip);
  }

  #placed(strip: Uint8Array): Uint8Array {
    this.#offsets.push(this.#offset);
    this.#byteCounts.push(strip.length);
    this.#offset += strip.length;
    return strip;
  }

  /** Yields the directory. */
  *end(): Generator<Uint8Array> {
    // A directory starts at a word boundary (section 2).
    if (this.#offset % 2 === 1) {
      yield new Uint8Array(1);
      this.#offset++;
    }
    this.#directoryOffset = this.#offset;
    yield directory(this.#isBig, this.fields(), this.#offset);
  }

  /** Position in the file after the last strip. */
  get offset(): number {
    return this.#offset;
  }

  /** Returns the fields of the directory, after the last row. */
  fields(): Field[] {
    const strips = { rowsPerStrip: this.#rowsPerStrip, offsets: this.#offsets, byteCounts: this.#byteCounts };
    return fields(this.#header, this.#best.predictor, strips);
  }

  /** Releases the kernels. Nothing can be added afterwards. */
  release(): void {
    this.#best.release();
    this.#rival?.release();
  }
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

  constructor(header: TiffHeader, predictor: number) {
    const pixelBytes = samplesOf(header);
    this.predictor = predictor;
    this.#rowBytes = header.width * pixelBytes;
    this.#isLab = header.colorModel === "lab";
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
  header: TiffHeader,
  predictor: number,
  { rowsPerStrip, offsets, byteCounts }: Record<"offsets" | "byteCounts", number[]> & { rowsPerStrip: number },
): Field[] {
  const samples = samplesOf(header);
  const { colorModel, dpi = DEFAULT_DPI } = header;
  const resolution = Number.isInteger(dpi) ? [dpi, 1] : [Math.round(dpi * 10000), 10000];
  const all: Field[] = [
    { tag: 256, type: LONG, values: [header.width] },
    { tag: 257, type: LONG, values: [header.height] },
    { tag: 258, type: SHORT, values: new Array<number>(samples).fill(8) },
    { tag: 259, type: SHORT, values: [ADOBE_DEFLATE] },
    { tag: 262, type: SHORT, values: [PHOTOMETRIC[colorModel]] },
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
  if (colorModel === "lab") all.push({ tag: 318, type: RATIONAL, values: WHITE_POINT });
  if (colorModel === "cmyk") all.push({ tag: 332, type: SHORT, values: [1] });
  if (colorModel === "rgba" || header.hasOpacity) all.push({ tag: 338, type: SHORT, values: [2] });
  if (header.iccProfile !== undefined) all.push({ tag: 34675, type: UNDEFINED, values: header.iccProfile });
  return all;
}
