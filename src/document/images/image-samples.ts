// Reads the samples of an image into the kernel, at the requested size. Large images are read row by row, if their
// coding allows it.
import { constants, inflateSync } from "node:zlib";
import type { ImageKernel } from "../formats/image-kernel.ts";
import { JpegReader } from "../formats/jpeg/entropy/coefficients.ts";
import { UnreadableJpeg } from "../formats/jpeg/file.ts";
import { resampleJpeg } from "../formats/jpeg/resample.ts";
import { newPixels, type Pixels } from "../formats/jpeg/samples.ts";
import type { StreamBody } from "../objects/values.ts";
import type { PdfImage } from "./image.ts";

/** The target size, and the resampling method. */
export interface TargetSize {
  readonly width: number;
  readonly height: number;
  /**
   * Selects the nearest source pixel instead of the mean, for samples whose intermediate values have another meaning,
   * for example with a color key.
   */
  readonly nearest: boolean;
}

/** Limits for an image that is decoded as a whole. */
export interface SampleLimits {
  /** Maximum number of bytes of decoded samples. */
  readonly decodedBytes: number;
  /** Maximum memory of the kernel. */
  readonly kernelBytes: number;
}

/** Thrown if an image cannot be read, or exceeds the limits. The image then stays unchanged. */
export class UnreadableImage extends Error {
  override readonly name = "UnreadableImage";
}

/**
 * Reads samples with 8 bits each. Stretches samples of fewer bits to 0..255, replaces indexes by palette entries,
 * returns stencils and other bilevel images as 0 and 255, and converts a JPEG's YCbCr to RGB.
 * @throws UnreadableImage
 */
export function readSamples(
  kernel: ImageKernel,
  image: PdfImage,
  body: StreamBody,
  size: TargetSize,
  limits: SampleLimits,
): Pixels {
  const channels = image.colors?.channels ?? 1;
  if (!fits(size.width, size.height, channels, limits)) throw new UnreadableImage("too many pixels");
  const pixels = newPixels(kernel, size.width, size.height, channels);
  if (isPlainJpeg(image) && !image.colors?.palette && readJpeg(kernel, image, body.raw(), pixels, size, limits)) {
    return pixels;
  }
  readRows(kernel, image, body, pixels, size, limits);
  return pixels;
}

/** Reports whether the memory suffices for the samples and, during encoding, for their planes and coefficients. */
export const fits = (width: number, height: number, channels: number, { kernelBytes }: SampleLimits): boolean =>
  width * height * channels * 4 <= kernelBytes;

/** Reports whether the data is a JPEG without other filters. */
export const isPlainJpeg = ({ filters, bits }: PdfImage) =>
  filters.length === 1 && filters[0] === "DCTDecode" && bits === 8;

/**
 * Returns the color transform of a JPEG (ISO 32000-1, table 13). Adobe's marker takes precedence over DecodeParms; the
 * default depends on the number of components.
 */
export function transformOf({ file, frame }: JpegReader, image: PdfImage): number {
  return file.adobeTransform ?? image.parameters.get("ColorTransform") ?? (frame.components.length === 3 ? 1 : 0);
}

/** @returns false if the JPEG is irregular; the engine's decoder might accept it */
function readJpeg(
  kernel: ImageKernel,
  image: PdfImage,
  bytes: Uint8Array,
  pixels: Pixels,
  size: TargetSize,
  limits: SampleLimits,
): boolean {
  try {
    const reader = new JpegReader(kernel, bytes);
    const { components, width, height } = reader.frame;
    const isTransformed = transformOf(reader, image) !== 0 && components.length === 3;
    if (components.length !== pixels.channels || width !== image.width || height !== image.height) return false;
    if (components.length === 4 && transformOf(reader, image) !== 0) return false;
    const factors = components.map(() => ({ across: 1, down: 1 }));
    const planes = resampleJpeg(kernel, reader, size.width, size.height, factors, limits.kernelBytes);
    for (let y = 0; y < size.height; y++) {
      const rows = planes.map(({ at, stride }) => at + y * stride) as [number, number, number];
      const to = pixels.at + y * pixels.stride;
      if (isTransformed) kernel.exports.toRgb(...rows, to, size.width);
      else {
        for (const [index, row] of rows.entries()) {
          kernel.exports.interleave(row, to + index, size.width, pixels.channels);
        }
      }
    }
    return true;
  } catch (error) {
    if (error instanceof UnreadableJpeg) return false;
    throw error;
  }
}

function readRows(
  kernel: ImageKernel,
  image: PdfImage,
  body: StreamBody,
  pixels: Pixels,
  size: TargetSize,
  limits: SampleLimits,
): void {
  const { exports } = kernel;
  const { width, height, bits, colors } = image;
  const stored = colors?.palette ? 1 : pixels.channels;
  const rowBytes = Math.ceil((width * stored * bits) / 8);
  if (rowBytes * height > limits.decodedBytes) throw new UnreadableImage("too many samples");
  const rows = rowsOf(kernel, image, body, rowBytes, stored);
  const packed = exports.allocate(rowBytes + 64);
  const unpacked = exports.allocate(width * stored + 64);
  const whole = colors?.palette ? exports.allocate(width * pixels.channels + 64) : unpacked;
  const palette = colors?.palette ? putPalette(kernel, image) : 0;
  const take = taker(kernel, image, pixels, size);
  for (let y = 0; y < height; y++) {
    rows.read(packed, y);
    exports.unpack(packed, unpacked, width * stored, bits, colors?.palette ? 0 : 1);
    if (colors?.palette) exports.lookUp(unpacked, whole, width, palette, pixels.channels);
    take(whole, y);
  }
}

/** Returns a function that resamples the source rows, one call per row, into `pixels`. */
function taker(kernel: ImageKernel, image: PdfImage, pixels: Pixels, size: TargetSize) {
  const { exports } = kernel;
  const { channels, at, stride } = pixels;
  const [scaleX, scaleY] = [image.width / size.width, image.height / size.height];
  if (!size.nearest) {
    const area = exports.newArea(
      channels,
      image.width,
      image.height,
      size.width,
      size.height,
      scaleX,
      scaleY,
      at,
      stride,
    );
    return (row: number) => exports.addAreaRow(area, row);
  }
  let next = 0;
  return (row: number, y: number) => {
    while (next < size.height && Math.floor((next + 0.5) * scaleY) === y) {
      const source = kernel.view(row, image.width * channels);
      const target = kernel.view(at + next * stride, stride);
      for (let x = 0; x < size.width; x++) {
        const from = Math.floor((x + 0.5) * scaleX) * channels;
        for (let channel = 0; channel < channels; channel++) {
          target[x * channels + channel] = source[from + channel]!;
        }
      }
      next++;
    }
  };
}

/** Writes 256 palette entries. Missing entries repeat the last entry, as in viewers. */
function putPalette(kernel: ImageKernel, { colors, decode, bits }: PdfImage): number {
  const { channels } = colors!;
  const palette = colors!.palette!;
  const last = Math.max(0, Math.floor(palette.length / channels) - 1);
  const most = 2 ** bits - 1;
  const [low = 0, high = most] = decode && decode.length >= 2 ? decode : [];
  const at = kernel.exports.allocate(256 * channels + 64);
  const entries = kernel.view(at, 256 * channels);
  for (let index = 0; index < 256; index++) {
    const mapped = Math.round(low + (Math.min(index, most) * (high - low)) / most);
    const entry = Math.min(last, Math.max(0, mapped)) * channels;
    entries.set(palette.subarray(entry, entry + channels), index * channels);
  }
  return at;
}

interface Rows {
  /** Writes the next row. Missing bytes of the last row are zero. */
  read(at: number, y: number): void;
}

function rowsOf(kernel: ImageKernel, image: PdfImage, body: StreamBody, rowBytes: number, stored: number): Rows {
  const predictor = isPlainFlate(image) ? (image.parameters.get("Predictor") ?? 1) : 1;
  if (predictor > 1) return predictedRows(kernel, image, body, rowBytes, stored, predictor);
  const decoded = decodedBytes(body, rowBytes * image.height);
  mustReach(decoded, rowBytes, image.height);
  return { read: (at, y) => copyRow(kernel, decoded, at, y * rowBytes, rowBytes) };
}

/**
 * Checks that all rows but the last are complete, because viewers differ in how they display missing rows.
 * @throws UnreadableImage
 */
export function mustReach(samples: Uint8Array, rowBytes: number, height: number): void {
  if (samples.length <= rowBytes * (height - 1)) throw new UnreadableImage("rows are missing");
}

const isPlainFlate = ({ filters }: PdfImage) => filters.length === 1 && filters[0] === "FlateDecode";

/** Maximum number of surplus bytes after the last row; these are harmless. */
export const SURPLUS_BYTES = 1 << 20;

function decodedBytes(body: StreamBody, bytes: number): Uint8Array {
  try {
    return body.decoded(bytes + SURPLUS_BYTES);
  } catch (error) {
    throw new UnreadableImage("it cannot be decoded", { cause: error });
  }
}

/** Reads rows with predictors (7.4.4.4). */
function predictedRows(
  kernel: ImageKernel,
  { parameters, height, bits }: PdfImage,
  body: StreamBody,
  rowBytes: number,
  stored: number,
  predictor: number,
): Rows {
  const columns = parameters.get("Columns") ?? 1;
  const colors = parameters.get("Colors") ?? 1;
  const sampleBits = parameters.get("BitsPerComponent") ?? 8;
  const isLikeImage = Math.ceil((columns * colors * sampleBits) / 8) === rowBytes;
  // The engine decodes samples that have TIFF prediction and are not bytes, because they are rare.
  const isKnown = predictor >= 10 || (predictor === 2 && bits === 8);
  if (!isLikeImage || !isKnown) {
    const decoded = decodedBytes(body, rowBytes * height);
    mustReach(decoded, rowBytes, height);
    return { read: (at, y) => copyRow(kernel, decoded, at, y * rowBytes, rowBytes) };
  }
  const lead = predictor >= 10 ? 1 : 0;
  const inflated = inflateRows(body.raw(), (rowBytes + lead) * height);
  mustReach(inflated, rowBytes + lead, height);
  const pixelBytes = Math.max(1, (colors * sampleBits) >> 3);
  const above = kernel.exports.allocate(rowBytes + 64);
  return {
    read(at, y) {
      const start = y * (rowBytes + lead);
      copyRow(kernel, inflated, at, start + lead, rowBytes);
      if (lead === 0) kernel.exports.undifference(at, rowBytes, stored);
      else if (!kernel.exports.unfilter(inflated[start] ?? 0, at, above, rowBytes, pixelBytes)) {
        throw new UnreadableImage("a row has an unknown filter");
      }
      kernel.view(above, rowBytes).set(kernel.view(at, rowBytes));
    },
  };
}

function copyRow(kernel: ImageKernel, from: Uint8Array, at: number, start: number, bytes: number): void {
  const row = from.subarray(start, start + bytes);
  const target = kernel.view(at, bytes);
  target.set(row);
  target.fill(0, row.length);
}

/** Inflates data. Truncated data yields the bytes before its end. */
function inflateRows(bytes: Uint8Array, size: number): Uint8Array {
  try {
    return inflateSync(bytes, { maxOutputLength: size + SURPLUS_BYTES, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    throw new UnreadableImage("it cannot be inflated", { cause: error });
  }
}
