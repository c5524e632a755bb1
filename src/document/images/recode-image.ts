// Recodes an image at a smaller size or in another coding. Its color space stays, except that gray RGB becomes
// DeviceGray.

import { deflateSync } from "node:zlib";
import { encodeCcitt } from "../formats/ccitt/write.ts";
import { type Address, ImageKernel } from "../formats/image-kernel.ts";
import { encodeJbig2 } from "../formats/jbig2/write.ts";
import { JpegReader } from "../formats/jpeg/entropy/coefficients.ts";
import { UnreadableJpeg } from "../formats/jpeg/file.ts";
import { resampleJpeg } from "../formats/jpeg/resample.ts";
import { encodePixels, encodePlanes, type Pixels } from "../formats/jpeg/samples.ts";
import { JPEG_MAX_SIDE } from "../formats/jpeg/write.ts";
import { Dictionary, Name, PdfString, type StreamBody, type Value } from "../objects/values.ts";
import { encodeFlate, takeCensus } from "./flate-image.ts";
import { type PdfImage, SAMPLE_ENTRIES } from "./image.ts";
import {
  fits,
  isPlainJpeg,
  mustReach,
  readSamples,
  type SampleLimits,
  SURPLUS_BYTES,
  type TargetSize,
  transformOf,
  UnreadableImage,
} from "./image-samples.ts";

export interface RecodeOptions {
  /** In pixels, at most the size of the image. */
  readonly width: number;
  readonly height: number;
  /** JPEG qualities for photographs. @default lossless coding, possibly of fewer pixels */
  readonly jpeg?: {
    readonly photo: number;
    /** For images with flat areas. */
    readonly drawing: number;
    /** For gray soft masks. */
    readonly mask: number;
  };
  /** Soft masks cannot have palettes, and inline images cannot use JBIG2. */
  readonly role: "image" | "soft-mask" | "inline";
  /** The coding of bilevel images. @default "jbig2" */
  readonly bilevel?: "jbig2" | "ccitt";
  readonly limits: SampleLimits;
}

export interface RecodedImage {
  /** The dictionary of the image, with new entries for its samples. */
  readonly dictionary: Dictionary;
  readonly bytes: Uint8Array;
}

/**
 * Minimum fraction of pixels in a drawing that equal their left neighbor. Above `FLAT`, an image with at most 256
 * colors is not a photograph.
 */
const DRAWING = 0.55;
const FLAT = 0.9;
/** An image with at most this many colors is always a drawing. */
const FEW_COLORS = 16;
/** Minimum JPEG quality at which chrominance is not subsampled. */
const FINE = 80;
/** Lossless data is preferred if its size is at most this multiple of the JPEG's size. */
const HARDLY_MORE = 1.25;

/** @returns undefined if the image cannot be read reliably, or exceeds the limits */
export function recodeImage(image: PdfImage, body: StreamBody, options: RecodeOptions): RecodedImage | undefined {
  using kernel = new ImageKernel();
  try {
    return (
      recodeJpeg(kernel, image, body, options) ??
      (image.bits === 1 && isBilevel(image)
        ? recodeBilevel(kernel, image, body, options)
        : recodeSamples(kernel, image, body, options))
    );
  } catch (error) {
    if (error instanceof UnreadableImage || error instanceof WebAssembly.RuntimeError) return undefined;
    throw error;
  }
}

/** Minimum fraction of pixels in a flat image that equal their left neighbor. */
const MOSTLY_FLAT = 0.6;

/** Reports whether the image has mostly flat areas, like a drawing, whose edges would blur when downsampled. */
export function isFlat(image: PdfImage, body: StreamBody, limits: SampleLimits): boolean {
  using kernel = new ImageKernel();
  try {
    const { width, height } = image;
    const census = takeCensus(kernel, readSamples(kernel, image, body, { width, height, nearest: false }, limits));
    return census.flat > MOSTLY_FLAT;
  } catch (error) {
    if (error instanceof UnreadableImage || error instanceof WebAssembly.RuntimeError) return false;
    throw error;
  }
}

/** Reports whether a one-bit image is bilevel. It then stays bilevel, even if its colors are not black and white. */
const isBilevel = ({ isStencil, colors }: PdfImage) => isStencil || (colors?.channels === 1 && !colors.palette);

/** Recodes a JPEG as JPEG by resampling its components. */
function recodeJpeg(
  kernel: ImageKernel,
  image: PdfImage,
  body: StreamBody,
  { width, height, jpeg, role, limits }: RecodeOptions,
): RecodedImage | undefined {
  if (!jpeg || !isPlainJpeg(image) || image.colors?.palette || image.hasColorKey || image.matte) return undefined;
  try {
    const reader = new JpegReader(kernel, body.raw());
    const { frame } = reader;
    const channels = frame.components.length;
    if (channels !== image.colors?.channels || channels === 2) return undefined;
    if (frame.width !== image.width || frame.height !== image.height) return undefined;
    if (!fits(width, height, channels, limits)) return undefined;
    const transform = transformOf(reader, image);
    const isFine = jpeg.photo >= FINE && reader.grid.across === 1 && reader.grid.down === 1;
    // Components 1 and 2 of YCbCr and YCCK are chrominance.
    const factors = frame.components.map((_, index) => {
      const isDivided = transform !== 0 && !isFine && channels >= 3 && index % 3 === 0;
      return isDivided ? { across: 2, down: 2 } : { across: 1, down: 1 };
    });
    const planes = resampleJpeg(kernel, reader, width, height, factors, limits.kernelBytes);
    const quality = role === "soft-mask" ? jpeg.mask : jpeg.photo;
    const adobe = channels === 1 || (channels === 3 && transform === 1) ? undefined : transform;
    const bytes = encodePlanes(kernel, width, height, planes, { quality, subsampled: true }, adobe);
    return result(image, width, height, bytes, { BitsPerComponent: 8, Filter: Name.of("DCTDecode") }, true);
  } catch (error) {
    if (error instanceof UnreadableJpeg || error instanceof RangeError) return undefined;
    throw error;
  }
}

function recodeBilevel(
  kernel: ImageKernel,
  image: PdfImage,
  body: StreamBody,
  { width, height, role, bilevel = "jbig2", limits }: RecodeOptions,
): RecodedImage {
  const rowBytes = Math.ceil(width / 8);
  // JBIG2 and fax encoders use 1 for black, but the PDF filters decode black to 0 (7.4.6, 7.4.7).
  const isInverted = role !== "inline";
  const bits =
    (width === image.width && height === image.height ? bitsAsTheyAre(kernel, image, body, isInverted, limits) : 0) ||
    resampledBits(kernel, image, body, { width, height, nearest: image.hasColorKey }, isInverted, limits);
  // Inline images cannot use JBIG2 (table 94).
  if (role === "inline") {
    const deflated = deflateSync(kernel.view(bits, rowBytes * height), { level: 9 });
    return result(image, width, height, deflated, { BitsPerComponent: 1, Filter: Name.of("FlateDecode") }, true);
  }
  if (bilevel === "ccitt") {
    const coded = encodeCcitt(kernel, bits, width, height);
    const parameters = Dictionary.of({ K: -1, Columns: width, Rows: height });
    const entries = { BitsPerComponent: 1, Filter: Name.of("CCITTFaxDecode"), DecodeParms: parameters };
    return result(image, width, height, coded, entries, true);
  }
  const bytes = encodeJbig2(kernel, bits, width, height);
  return result(image, width, height, bytes, { BitsPerComponent: 1, Filter: Name.of("JBIG2Decode") }, true);
}

function resampledBits(
  kernel: ImageKernel,
  image: PdfImage,
  body: StreamBody,
  size: TargetSize,
  isInverted: boolean,
  limits: SampleLimits,
): Address {
  const { exports } = kernel;
  const pixels = readSamples(kernel, image, body, size, limits);
  const rowBytes = Math.ceil(size.width / 8);
  const bits = exports.allocate(rowBytes * size.height);
  for (let y = 0; y < size.height; y++) {
    exports.threshold(pixels.at + y * pixels.stride, bits + y * rowBytes, size.width, isInverted ? 1 : 0);
  }
  return bits;
}

/** @returns the address of the bits; 0 if the data has a predictor */
function bitsAsTheyAre(
  kernel: ImageKernel,
  { width, height, parameters, filters }: PdfImage,
  body: StreamBody,
  isInverted: boolean,
  limits: SampleLimits,
): Address {
  const size = Math.ceil(width / 8) * height;
  if ((filters.includes("FlateDecode") || filters.includes("LZWDecode")) && parameters.has("Predictor")) return 0;
  if (size > limits.decodedBytes) throw new UnreadableImage("too many samples");
  let decoded: Uint8Array;
  try {
    decoded = body.decoded(size + SURPLUS_BYTES);
  } catch (error) {
    throw new UnreadableImage("it cannot be decoded", { cause: error });
  }
  mustReach(decoded, Math.ceil(width / 8), height);
  const bits = kernel.exports.allocate(size + 16);
  const view = kernel.view(bits, size);
  view.set(decoded.subarray(0, size));
  if (!isInverted) return bits;
  const words = new Uint32Array(view.buffer, bits, size >> 2);
  for (let index = 0; index < words.length; index++) words[index] = ~words[index]!;
  for (let index = words.length * 4; index < size; index++) view[index] = ~view[index]!;
  return bits;
}

function recodeSamples(
  kernel: ImageKernel,
  image: PdfImage,
  body: StreamBody,
  { width, height, jpeg, role, limits }: RecodeOptions,
): RecodedImage {
  const nearest = image.hasColorKey;
  // A color key refers to the stored samples, so these are read without the palette.
  const asStored = nearest && image.colors?.palette ? withoutPalette(image) : image;
  const read = readSamples(kernel, asStored, body, { width, height, nearest }, limits);
  if (nearest) return colorKeyed(kernel, image, read);
  const census = takeCensus(kernel, read);
  const mayDropColors = census.isGray && isDeviceRgb(image.colors?.space);
  const pixels = mayDropColors ? grayOf(kernel, read) : read;
  const grayCensus = mayDropColors ? takeCensus(kernel, pixels) : census;
  const space: Value | undefined = mayDropColors ? Name.of("DeviceGray") : image.colors?.space;
  const canBeJpeg = jpeg && Math.max(pixels.width, pixels.height) <= JPEG_MAX_SIDE;
  const isPhoto = canBeJpeg && isPhotograph(census, isPlainJpeg(image), image) && role !== "soft-mask";
  const isSoft = canBeJpeg && role === "soft-mask" && !census.colors && census.flat < DRAWING;
  // JPEG encoding runs first, because the lossless encoder modifies the samples.
  const lossy =
    isPhoto || isSoft
      ? photograph(kernel, image, pixels, space, jpegQuality(jpeg, role, census.flat), census.flat >= DRAWING)
      : undefined;
  if (lossy && !census.colors && census.flat < DRAWING) return lossy;
  const lossless = flate(kernel, image, pixels, grayCensus, space, role);
  return lossy && lossy.bytes.length * HARDLY_MORE < lossless.bytes.length ? lossy : lossless;
}

function isPhotograph(
  { flat, colorCount }: { readonly flat: number; readonly colorCount: number },
  wasJpeg: boolean,
  { colors, matte }: PdfImage,
): boolean {
  if (matte || !colors || colors.kind === "other") return false;
  return wasJpeg || (colorCount > FEW_COLORS && (flat < FLAT || colorCount > 256));
}

const jpegQuality = (jpeg: NonNullable<RecodeOptions["jpeg"]>, role: RecodeOptions["role"], flat: number) =>
  role === "soft-mask" ? jpeg.mask : flat >= DRAWING ? jpeg.drawing : jpeg.photo;

function photograph(
  kernel: ImageKernel,
  image: PdfImage,
  pixels: Pixels,
  space: Value | undefined,
  quality: number,
  isDrawing: boolean,
): RecodedImage {
  const isRgb = pixels.channels === 3 && image.colors?.kind === "rgb";
  const bytes = encodePixels(kernel, pixels, { quality, subsampled: !isDrawing }, isRgb);
  const entries = { BitsPerComponent: 8, ColorSpace: space, Filter: Name.of("DCTDecode") };
  return result(image, pixels.width, pixels.height, bytes, entries, !image.colors?.palette);
}

function flate(
  kernel: ImageKernel,
  image: PdfImage,
  pixels: Pixels,
  census: ReturnType<typeof takeCensus>,
  space: Value | undefined,
  role: RecodeOptions["role"],
): RecodedImage {
  // Decode applies to the original samples; a new palette would apply it to the indexes.
  const mayIndex = role !== "soft-mask" && !image.matte && (!image.decode || image.colors?.palette !== undefined);
  const coded = encodeFlate(kernel, pixels, census, mayIndex);
  const indexed = coded.palette && indexedSpace(space ?? null, coded.palette, pixels.channels);
  const parameters = {
    Predictor: 15,
    Colors: coded.channels,
    Columns: pixels.width,
    BitsPerComponent: coded.bits,
  };
  const entries = {
    BitsPerComponent: coded.bits,
    ColorSpace: indexed ?? space,
    Filter: Name.of("FlateDecode"),
    DecodeParms: coded.predicted ? Dictionary.of(parameters) : undefined,
  };
  return result(image, pixels.width, pixels.height, coded.bytes, entries, !image.colors?.palette);
}

function indexedSpace(base: Value, palette: Uint8Array, channels: number): Value {
  return [Name.of("Indexed"), base, palette.length / channels - 1, new PdfString(palette)];
}

/** Encodes a selection of the original pixels, so that the color key stays valid (8.9.6.4). */
function colorKeyed(kernel: ImageKernel, image: PdfImage, pixels: Pixels): RecodedImage {
  const { bits, colors, decode, dictionary } = image;
  if (bits === 16 || (colors?.palette && decode)) throw new UnreadableImage("a rare kind of color key");
  const stretched = 255 / (2 ** bits - 1);
  let mask = dictionary.get("Mask");
  if (colors?.palette) {
    const all = kernel.view(pixels.at, pixels.stride * pixels.height);
    for (let index = 0; index < all.length; index++) all[index]! /= stretched;
  } else if (Array.isArray(mask)) {
    mask = mask.map((key) => (typeof key === "number" ? key * stretched : key));
  }
  const census = { flat: 0, colors: undefined, colorCount: 257, isGray: false, indices: 0 };
  const { bytes } = encodeFlate(kernel, pixels, census, false);
  const parameters = { Predictor: 15, Colors: pixels.channels, Columns: pixels.width, BitsPerComponent: 8 };
  const entries = {
    BitsPerComponent: 8,
    Filter: Name.of("FlateDecode"),
    DecodeParms: Dictionary.of(parameters),
    Mask: mask,
  };
  return result(image, pixels.width, pixels.height, bytes, entries, true);
}

function withoutPalette(image: PdfImage): PdfImage {
  return { ...image, colors: { channels: 1, kind: "gray", space: Name.of("DeviceGray") } };
}

function grayOf(kernel: ImageKernel, { at, width, height, channels, stride }: Pixels): Pixels {
  const gray = { at: kernel.exports.allocate(stride * height), width, height, channels: 1, stride: stride / channels };
  kernel.exports.planeOf(at, gray.at, gray.stride * height, channels);
  return gray;
}

const isDeviceRgb = (space: Value | undefined) => space instanceof Name && ["DeviceRGB", "RGB"].includes(space.text);

/** @param keepsDecode true if Decode still applies to the new samples */
function result(
  image: PdfImage,
  width: number,
  height: number,
  bytes: Uint8Array,
  entries: Readonly<Record<string, Value | undefined>>,
  keepsDecode: boolean,
): RecodedImage {
  const dictionary = image.dictionary.clone();
  for (const key of SAMPLE_ENTRIES) dictionary.delete(key);
  dictionary.set("Width", width).set("Height", height);
  const space = image.isStencil ? undefined : image.colors && spaceAsIs(image);
  if (space !== undefined) dictionary.set("ColorSpace", space);
  for (const [key, value] of Object.entries(entries)) if (value !== undefined) dictionary.set(key, value);
  if (keepsDecode && image.decode) dictionary.set("Decode", [...image.decode]);
  if (image.isStencil) dictionary.set("ImageMask", true);
  return { dictionary, bytes };
}

function spaceAsIs({ dictionary, colors }: PdfImage): Value {
  return dictionary.get("ColorSpace") ?? dictionary.get("CS") ?? colors!.space;
}
