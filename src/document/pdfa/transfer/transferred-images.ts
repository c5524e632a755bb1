// Applies transfer functions to images. If a palette or a Decode array can express the change, the stored samples stay
// (ISO 32000-1, 8.9.5.2). The number of samples never changes.
import { ImageKernel } from "../../formats/image-kernel.ts";
import { type PdfImage, readImage } from "../../images/image.ts";
import { readSamples, UnreadableImage } from "../../images/image-samples.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, PdfString, plainBody, type Value } from "../../objects/values.ts";
import { type Curve, lineOf, type Transfer } from "./transfer.ts";
import { applyTransfer, type ColorSpace, DEVICE_RGB, inkCurve, readSpace } from "./transferred-colors.ts";

const LIMITS = { decodedBytes: 2 ** 29, kernelBytes: 2 ** 30 };
const FULL = 255;
/** Maximum number of cached colors. */
const MAX_KNOWN_COLORS = 1 << 18;
const DEVICES: Readonly<Record<number, string>> = { 1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK" };

/** Decodes an image to 8-bit samples. Only for formats that no other code here decodes, such as JPEG 2000. */
export type DecodeImage = () => { readonly components: number; readonly samples: Uint8Array } | undefined;

/** @returns the image with the transfer function applied; undefined if it has no colors */
export function transferredImage(
  file: PdfFile,
  stream: PdfStream,
  transfer: Transfer,
  decode: DecodeImage,
): PdfStream | undefined {
  const { dictionary } = stream;
  const image = readImage(file, dictionary);
  if (!image || image.isStencil) return undefined;
  const isJpx = image.filters.at(-1) === "JPXDecode";
  const space = readSpace(file, dictionary.get("ColorSpace"));
  if (!isJpx && !space) return undefined;
  if (!isJpx && space!.channels === 1 && image.bits <= 8) return withPalette(stream, image, space!, transfer);
  const curves = space && curvesOf(space, transfer);
  return (
    (!isJpx && curves && withDecode(stream, image, curves)) ||
    withSamples(file, stream, image, { space, curves, transfer, decode: isJpx ? decode : undefined })
  );
}

/** Returns the curve of each channel; undefined if the color space must change. */
function curvesOf({ channels, toProcess, lastIndex }: ColorSpace, { rgb, gray, keepsInks }: Transfer) {
  const probe = new Array<number>(channels).fill(0.5);
  const isProcess = lastIndex === undefined && toProcess(probe).components === probe;
  if (isProcess && channels === 3) return rgb;
  return isProcess && channels === 4 && keepsInks ? [...rgb, gray].map(inkCurve) : undefined;
}

/** Returns the ranges of the channels; by default the full range of the color space. */
function rangesOf({ decode, bits }: PdfImage, channels: number, lastIndex: number | undefined): number[][] {
  const most = lastIndex === undefined ? 1 : 2 ** bits - 1;
  const declaredDecode = decode && decode.length >= 2 * channels ? decode : undefined;
  return Array.from({ length: channels }, (_, at) => declaredDecode?.slice(2 * at, 2 * at + 2) ?? [0, most]);
}

function withPalette(stream: PdfStream, image: PdfImage, space: ColorSpace, transfer: Transfer): PdfStream {
  const [[low, high]] = rangesOf(image, 1, space.lastIndex) as [[number, number]];
  const last = 2 ** image.bits - 1;
  const colors = Array.from({ length: last + 1 }, (_, sample) =>
    applyTransfer(transfer, space.toProcess([low + (sample * (high - low)) / last])),
  );
  const entries = colors.flatMap(({ components }) => components.map(toByte));
  const dictionary = stream.dictionary.clone();
  dictionary.delete("Decode");
  const palette = new PdfString(Uint8Array.from(entries));
  dictionary.set("ColorSpace", [Name.of("Indexed"), colors[0]!.space, last, palette]);
  return new PdfStream(dictionary, stream.body);
}

function withDecode(stream: PdfStream, image: PdfImage, curves: readonly Curve[]): PdfStream | undefined {
  const lines = curves.map(lineOf);
  const ranges = rangesOf(image, curves.length, undefined);
  const decode = lines.flatMap((line, at) => (line ? ranges[at]!.map((end) => line.start + line.slope * end) : []));
  if (decode.length < 2 * curves.length) return undefined;
  return new PdfStream(stream.dictionary.clone().set("Decode", decode), stream.body);
}

interface Change {
  readonly space: ColorSpace | undefined;
  readonly curves: readonly Curve[] | undefined;
  readonly transfer: Transfer;
  readonly decode: DecodeImage | undefined;
}

function withSamples(file: PdfFile, stream: PdfStream, image: PdfImage, change: Change): PdfStream | undefined {
  const read = change.decode ? change.decode() : samplesOf(image, stream);
  if (!read) return undefined;
  const { components: channels, samples } = read;
  const own = change.space?.channels === channels ? change.space : undefined;
  const space = own ?? readSpace(file, Name.of(DEVICES[channels] ?? ""));
  if (!space) return undefined;
  const ranges = change.decode
    ? rangesOf({ ...image, decode: undefined }, channels, space.lastIndex)
    : rangesOf(image, channels, space.lastIndex);
  const curves = curvesOf(space, change.transfer);
  const made = curves
    ? { samples: byChannel(samples, curves, ranges), space: space.toProcess(new Array(channels).fill(0)).space }
    : byPixel(samples, space, ranges, change.transfer);
  const dictionary = stream.dictionary.clone().set("ColorSpace", made.space).set("BitsPerComponent", 8);
  for (const key of ["Filter", "DecodeParms", "Decode", "DL", "SMaskInData"]) dictionary.delete(key);
  const key = file.array(dictionary.get("Mask"))?.map((value) => file.number(value) ?? 0);
  if (key) dictionary.set("Mask", file.add(keyMask(samples, image, channels, key)));
  return new PdfStream(dictionary, plainBody(made.samples));
}

export function samplesOf(image: PdfImage, { body }: PdfStream) {
  const { width, height } = image;
  try {
    using kernel = new ImageKernel();
    const pixels = readSamples(kernel, image, body, { width, height, nearest: true }, LIMITS);
    const components = pixels.channels;
    const samples = new Uint8Array(width * height * components);
    for (let y = 0; y < height; y++) {
      samples.set(kernel.view(pixels.at + y * pixels.stride, width * components), y * width * components);
    }
    return { components, samples };
  } catch (error) {
    if (error instanceof UnreadableImage) return undefined;
    throw error;
  }
}

function byChannel(samples: Uint8Array, curves: readonly Curve[], ranges: readonly number[][]): Uint8Array {
  const tables = curves.map((curve, at) => {
    const [low, high] = ranges[at] as [number, number];
    return Uint8Array.from({ length: FULL + 1 }, (_, sample) => toByte(curve(low + (sample * (high - low)) / FULL)));
  });
  return samples.map((sample, at) => tables[at % tables.length]![sample]!);
}

function byPixel(samples: Uint8Array, space: ColorSpace, ranges: readonly number[][], transfer: Transfer) {
  const { channels } = space;
  const known = new Map<string, readonly number[]>();
  let target: Value = DEVICE_RGB;
  let made = new Uint8Array(0);
  for (let at = 0, pixel = 0; at < samples.length; at += channels, pixel++) {
    const stored = samples.subarray(at, at + channels);
    const key = stored.join();
    let bytes = known.get(key);
    if (!bytes) {
      const color = applyTransfer(
        transfer,
        space.toProcess(ranges.map(([low, high], index) => low! + (stored[index]! * (high! - low!)) / FULL)),
      );
      bytes = color.components.map(toByte);
      target = color.space;
      if (known.size < MAX_KNOWN_COLORS) known.set(key, bytes);
    }
    if (made.length === 0) made = new Uint8Array((samples.length / channels) * bytes.length);
    made.set(bytes, pixel * bytes.length);
  }
  return { samples: made, space: target };
}

/** Converts a color key mask to an explicit mask, because the key refers to the original samples (8.9.6.4). */
export function keyMask(
  samples: Uint8Array,
  { width, height, bits }: PdfImage,
  channels: number,
  key: number[],
): PdfStream {
  const rowBytes = Math.ceil(width / 8);
  const mask = new Uint8Array(rowBytes * height);
  const ends = key.map((end) => (end * FULL) / (2 ** bits - 1));
  for (let pixel = 0; pixel < width * height; pixel++) {
    let isHidden = true;
    for (let channel = 0; channel < channels && isHidden; channel++) {
      const sample = samples[pixel * channels + channel]!;
      isHidden = sample >= ends[2 * channel]! - 0.5 && sample <= ends[2 * channel + 1]! + 0.5;
    }
    const x = pixel % width;
    if (isHidden) mask[Math.floor(pixel / width) * rowBytes + (x >> 3)]! |= 0x80 >> (x & 7);
  }
  const entries = { Type: Name.of("XObject"), Subtype: Name.of("Image"), Width: width, Height: height };
  return new PdfStream(Dictionary.of({ ...entries, ImageMask: true, BitsPerComponent: 1 }), plainBody(mask));
}

const toByte = (component: number) => Math.round(Math.max(0, Math.min(1, component)) * FULL);
