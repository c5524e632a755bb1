// Separates the colors of JPEG 2000 data from opacity and other channels, as the image dictionary requires (ISO
// 32000-1, 7.4.9 and table 89).
import type { DecodedImage } from "../engines/mupdf/image.ts";
import { type JpxChannels, type JpxSpace, readJpxChannels, withPlainChannels } from "../formats/jpx/channels.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import {
  Dictionary,
  Name,
  type PdfObject,
  PdfStream,
  plainBody,
  type Reference,
  type Value,
} from "../objects/values.ts";
import { readColors } from "./image-colors.ts";

/** Decodes data whose channels are all colors. */
export type DecodeChannels = (
  bytes: Uint8Array,
  size: { readonly width: number; readonly height: number },
  channels: number,
) => DecodedImage | undefined;

const DEVICES = { gray: "DeviceGray", rgb: "DeviceRGB", cmyk: "DeviceCMYK", ycc: "DeviceRGB" } as const;
const BY_COUNT: Readonly<Record<number, keyof typeof DEVICES>> = { 1: "gray", 3: "rgb", 4: "cmyk" };
/** Entries that the data overrides, or that describe its coding. */
const REPLACED = ["Filter", "DecodeParms", "DL", "Decode", "SMaskInData"];
const PREBLENDED = 2;

/** A JPEG 2000 image with channels other than colors. */
export interface OpaqueJpx {
  readonly channels: JpxChannels;
  /** The channel that is the soft mask. */
  readonly mask: number | undefined;
}

/** @returns undefined for other images, and for data with only color channels */
export function readOpacity(file: PdfFile, { dictionary, body }: PdfStream): OpaqueJpx | undefined {
  const filters = file.array(dictionary.get("Filter")) ?? [dictionary.get("Filter") ?? null];
  if (filters.length !== 1 || file.name(filters[0]) !== "JPXDecode") return undefined;
  const channels = readJpxChannels(body.raw(), readColors(file, dictionary.get("ColorSpace"))?.channels);
  if (!channels || (channels.colors.length === channels.count && channels.isPlain)) return undefined;
  const isMask = (file.number(dictionary.get("SMaskInData")) ?? 0) > 0;
  return { channels, mask: isMask ? channels.opacity : undefined };
}

/**
 * Returns an image of uncompressed samples. If the data contains a soft mask, it replaces all other masks of the image.
 * @param add adds an object to the document
 * @returns undefined if the data cannot be decoded
 */
export function withoutOpacity(
  file: PdfFile,
  { dictionary, body }: PdfStream,
  { channels, mask }: OpaqueJpx,
  decode: DecodeChannels,
  add: (object: PdfObject) => Reference,
): PdfStream | undefined {
  const { colors, count, space, bits } = channels;
  const decoded = decode(withPlainChannels(body.raw(), channels), channels, count);
  if (decoded?.components !== count) return undefined;
  const { width, height, samples } = decoded;
  const plain = dictionary.clone().set("Width", width).set("Height", height).set("BitsPerComponent", 8);
  for (const key of REPLACED) plain.delete(key);
  const picked = colors.map((channel) => channelOf(samples, count, channel));
  if (readColors(file, dictionary.get("ColorSpace"))?.channels !== colors.length) {
    const own = spaceOf(space, colors.length, add);
    if (own === undefined) return undefined;
    plain.set("ColorSpace", own);
  }
  if (space === "ycc" && picked.length === 3) toRgb(picked);
  const key = file.array(dictionary.get("Mask"));
  if (key)
    plain.set(
      "Mask",
      key.map((value) => Math.floor((file.number(value) ?? 0) / 2 ** Math.max(0, bits - 8))),
    );
  if (mask !== undefined) {
    const opacity = channelOf(samples, count, mask);
    if (file.number(dictionary.get("SMaskInData")) === PREBLENDED) divide(picked, opacity);
    plain.delete("Mask");
    plain.set("SMask", add(grayImage(width, height, opacity)));
  }
  return new PdfStream(plain, plainBody(interleaved(picked)));
}

/** Returns the color space of the data; by default, the device color space with the same number of colors. */
function spaceOf(
  space: JpxSpace | undefined,
  colors: number,
  add: (object: PdfObject) => Reference,
): Value | undefined {
  if (space instanceof Uint8Array) {
    const profile = new PdfStream(Dictionary.of({ N: colors }), plainBody(space.slice()));
    return [Name.of("ICCBased"), add(profile)];
  }
  const device = space ?? BY_COUNT[colors];
  return device && Name.of(DEVICES[device]);
}

const grayImage = (width: number, height: number, samples: Uint8Array): PdfStream =>
  new PdfStream(
    Dictionary.of({
      Type: Name.of("XObject"),
      Subtype: Name.of("Image"),
      Width: width,
      Height: height,
      ColorSpace: Name.of("DeviceGray"),
      BitsPerComponent: 8,
    }),
    plainBody(samples),
  );

function channelOf(samples: Uint8Array, count: number, channel: number): Uint8Array {
  const picked = new Uint8Array(samples.length / count);
  for (let at = 0, from = channel; at < picked.length; at++, from += count) picked[at] = samples[from]!;
  return picked;
}

function interleaved(channels: readonly Uint8Array[]): Uint8Array {
  if (channels.length === 1) return channels[0]!;
  const samples = new Uint8Array(channels.length * channels[0]!.length);
  channels.forEach((channel, index) => {
    for (let at = 0, to = index; at < channel.length; at++, to += channels.length) samples[to] = channel[at]!;
  });
  return samples;
}

/** Divides the colors by the opacity that they were premultiplied with. */
function divide(colors: readonly Uint8Array[], opacity: Uint8Array): void {
  for (const color of colors) {
    for (let at = 0; at < color.length; at++) {
      if (opacity[at]! > 0) color[at] = Math.min(255, Math.round((color[at]! * 255) / opacity[at]!));
    }
  }
}

/** Converts luminance and chrominance to RGB in place (ISO 15444-1, J.14). */
function toRgb([first, second, third]: Uint8Array[]): void {
  for (let at = 0; at < first!.length; at++) {
    const [y, blue, red] = [first![at]!, second![at]! - 128, third![at]! - 128];
    const bounded = (value: number) => Math.min(255, Math.max(0, Math.round(value)));
    first![at] = bounded(y + 1.402 * red);
    second![at] = bounded(y - 0.344136 * blue - 0.714136 * red);
    third![at] = bounded(y + 1.772 * blue);
  }
}
