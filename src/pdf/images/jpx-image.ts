// JPEG 2000 data as an image of plain samples, in the colours that the file or the data say (ISO 32000-1, 7.4.9). Knows no coding
// that takes their place.

import type { DecodedImage } from "../../engines/mupdf/image.ts";
import { type JpxHeader, readJpxHeader } from "../../formats/jpx/header.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, plainBody, type StreamBody, type Value } from "../objects/values.ts";
import { type PdfImage, readImage } from "./image.ts";

/** An engine that decodes images of the file by their object numbers. */
export interface ImageDecoder {
  /** What its memory may grow to. */
  readonly roomBytes: number;
  /** @returns undefined for what it cannot decode */
  decode(number: number): DecodedImage | undefined;
}

/** As {@link readImage} reads it, with the samples behind the body. */
export interface PlainImage {
  readonly image: PdfImage;
  readonly body: StreamBody;
}

/** What is known of it before it is decoded. */
export interface JpxImage {
  readonly header: JpxHeader;
  /** As it will be with plain samples. */
  readonly image: PdfImage;
}

const DEVICES = { gray: "DeviceGray", rgb: "DeviceRGB", cmyk: "DeviceCMYK" } as const;
/** Of the engine's memory, for a sample: whole numbers while wavelets are undone, and a byte afterwards. */
export const DECODING_BYTES = 6;

/**
 * @param mayBeDevice whether a colour space of the data's may become one of the device
 * @returns undefined where samples are no colours of an image by themselves: palettes, opacity, Decode, colour keys
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

/** The space of the data. */
function spaceOf(file: PdfFile, { colors, components }: JpxHeader, mayBeDevice: boolean): Value | undefined {
  if (colors === undefined) return undefined;
  if (typeof colors === "string") return mayBeDevice ? Name.of(DEVICES[colors]) : undefined;
  const bytes = colors.slice();
  const profile = new PdfStream(Dictionary.of({ N: components }), plainBody(bytes));
  return [Name.of("ICCBased"), file.add(profile)];
}

/** @returns undefined where the engine cannot decode it */
export function decodeJpx({ header, image }: JpxImage, number: number, decoder: ImageDecoder): PlainImage | undefined {
  const { width, height, components } = header;
  const decoded = decoder.decode(number);
  const isAsSaid = decoded?.width === width && decoded.height === height && decoded.components === components;
  if (!isAsSaid) return undefined;
  const bytes = decoded.samples;
  return { image, body: plainBody(bytes) };
}
