// Reads JPEG 2000 data as an image of uncompressed samples, in the color space of the dictionary or of the data (ISO
// 32000-1, 7.4.9).

import type { DecodedImage } from "../engines/mupdf/image.ts";
import { type JpxHeader, readJpxHeader } from "../formats/jpx/header.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, plainBody, type StreamBody, type Value } from "../objects/values.ts";
import { type PdfImage, readImage } from "./image.ts";

/** Decodes images of the file by object number. */
export interface ImageDecoder {
  /** Maximum memory of the decoder, in bytes. */
  readonly roomBytes: number;
  /** @returns undefined if the image cannot be decoded */
  decode(number: number): DecodedImage | undefined;
}

/** The properties of an image, as {@link readImage} returns them, and its uncompressed samples. */
export interface PlainImage {
  readonly image: PdfImage;
  readonly body: StreamBody;
}

/** The properties of an image before it is decoded. */
export interface JpxImage {
  readonly header: JpxHeader;
  /** The properties of the decoded image. */
  readonly image: PdfImage;
}

const DEVICES = { gray: "DeviceGray", rgb: "DeviceRGB", cmyk: "DeviceCMYK" } as const;
/** Engine memory per sample: an integer for the wavelet transform, and a byte for the result. */
export const DECODING_BYTES = 6;

/**
 * @param mayBeDevice true if gray, RGB or CMYK in the data can become a device color space
 * @returns undefined for another image, and if a palette, opacity, Decode or a color key changes the meaning of samples
 */
export function readJpxImage(
  file: PdfFile,
  { dictionary, body }: PdfStream,
  mayBeDevice: boolean,
): JpxImage | undefined {
  const filters = file.array(dictionary.get("Filter")) ?? [dictionary.get("Filter") ?? null];
  if (filters.length !== 1 || file.name(filters[0]) !== "JPXDecode") return undefined;
  if (dictionary.has("Decode") || (file.number(dictionary.get("SMaskInData")) ?? 0) !== 0) return undefined;
  if (file.array(dictionary.get("Mask")) || file.boolean(dictionary.get("ImageMask"))) return undefined;
  const header = readJpxHeader(body.raw());
  if (!header) return undefined;
  const plain = dictionary.clone();
  for (const key of ["Filter", "DecodeParms", "SMaskInData", "DL"]) plain.delete(key);
  const space = dictionary.get("ColorSpace") ?? spaceOf(file, header, mayBeDevice);
  if (space === undefined) return undefined;
  plain.set("ColorSpace", space).set("BitsPerComponent", 8);
  const image = readImage(file, plain);
  const isWhole = image?.width === header.width && image.height === header.height;
  if (!image || !isWhole || image.colors?.palette || image.colors?.channels !== header.components) return undefined;
  return { header, image };
}

/** Returns the color space of the data. */
function spaceOf(file: PdfFile, { colors, components }: JpxHeader, mayBeDevice: boolean): Value | undefined {
  if (colors === undefined) return undefined;
  if (typeof colors === "string") return mayBeDevice ? Name.of(DEVICES[colors]) : undefined;
  const bytes = colors.slice();
  const profile = new PdfStream(Dictionary.of({ N: components }), plainBody(bytes));
  return [Name.of("ICCBased"), file.add(profile)];
}

/** @returns undefined if the engine cannot decode the image */
export function decodeJpx({ header, image }: JpxImage, number: number, decoder: ImageDecoder): PlainImage | undefined {
  const { width, height, components } = header;
  const decoded = decoder.decode(number);
  const isAsSaid = decoded?.width === width && decoded.height === height && decoded.components === components;
  if (!isAsSaid) return undefined;
  const bytes = decoded.samples;
  return { image, body: plainBody(bytes) };
}
