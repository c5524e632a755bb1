// Reads the properties of an image from its dictionary (ISO 32000-1, 8.9.5), with the full keys of image XObjects or
// the abbreviated keys of inline images.
import type { PdfFile } from "../objects/pdf-file.ts";
import { type Dictionary, PdfStream, Reference, type Value } from "../objects/values.ts";
import { type ImageColors, readColors } from "./image-colors.ts";

export interface PdfImage {
  readonly dictionary: Dictionary;
  readonly width: number;
  readonly height: number;
  /** Bits per sample: 1, 2, 4, 8 or 16. */
  readonly bits: number;
  /** True for a stencil mask, whose bits mark the painted area (8.9.6.2). */
  readonly isStencil: boolean;
  /** Undefined for a stencil mask, and for JPEG 2000 data that defines its own color space. */
  readonly colors: ImageColors | undefined;
  /** The names of the filters, in decoding order. */
  readonly filters: readonly string[];
  /** The numeric DecodeParms of the last filter. */
  readonly parameters: ReadonlyMap<string, number>;
  /** The Decode array, if present. */
  readonly decode: readonly number[] | undefined;
  /** True if a color key mask makes ranges of samples transparent (8.9.6.4). */
  readonly hasColorKey: boolean;
  readonly softMask: Reference | undefined;
  readonly stencilMask: Reference | undefined;
  /** True for a soft mask with Matte, the color with which its image was preblended (11.6.5.3). */
  readonly matte: boolean;
}

/** Abbreviations in inline images (tables 93 and 94). */
const SHORT: Readonly<Record<string, string>> = {
  BitsPerComponent: "BPC",
  ColorSpace: "CS",
  Decode: "D",
  DecodeParms: "DP",
  Filter: "F",
  Height: "H",
  ImageMask: "IM",
  Width: "W",
};
const FILTERS: Readonly<Record<string, string>> = {
  AHx: "ASCIIHexDecode",
  A85: "ASCII85Decode",
  LZW: "LZWDecode",
  Fl: "FlateDecode",
  RL: "RunLengthDecode",
  CCF: "CCITTFaxDecode",
  DCT: "DCTDecode",
};
const BITS = [1, 2, 4, 8, 16];
/** Maximum width or height in pixels. */
const MAX_SIDE = 1 << 20;

/** The entries that describe the samples, to be replaced together with them. */
export const SAMPLE_ENTRIES = [
  ...Object.entries(SHORT).flat(),
  "DL",
  "L",
  "Length",
  "FDecodeParms",
  "FFilter",
  "SMaskInData",
];

/**
 * @param spaces named color spaces for an inline image
 * @returns undefined if the image is invalid or unsupported
 */
export function readImage(file: PdfFile, dictionary: Dictionary, spaces?: Dictionary): PdfImage | undefined {
  const get = (key: string) => dictionary.get(key) ?? (spaces ? dictionary.get(SHORT[key]!) : undefined);
  const [width, height] = [file.number(get("Width")), file.number(get("Height"))];
  if (!isSide(width) || !isSide(height)) return undefined;
  // An F entry means that the data is in an external file.
  if (!spaces && dictionary.get("F") !== undefined) return undefined;
  const filters = listOf(file, get("Filter")).map((filter) => longFilter(file.name(filter)));
  const isStencil = file.boolean(get("ImageMask")) === true;
  const isOneBit = isStencil || ["CCITTFaxDecode", "JBIG2Decode"].includes(filters.at(-1) ?? "");
  const isEightBit = ["DCTDecode", "RunLengthDecode"].includes(filters.at(-1) ?? "");
  const bits = file.number(get("BitsPerComponent")) ?? (isOneBit ? 1 : isEightBit ? 8 : 0);
  const isJpx = filters.at(-1) === "JPXDecode";
  if (!BITS.includes(isOneBit ? 1 : bits) && !isJpx) return undefined;
  const colors = isStencil ? undefined : readColors(file, spaceOf(file, dictionary, spaces));
  if (!isStencil && !colors && !isJpx) return undefined;
  const decode = (file.array(get("Decode")) ?? []).map((number) => file.number(number) ?? Number.NaN);
  const mask = dictionary.get("Mask");
  const softMask = dictionary.get("SMask");
  return {
    dictionary,
    width,
    height,
    bits: isOneBit ? 1 : bits,
    isStencil,
    colors,
    filters,
    parameters: numbersOf(file, file.dictionary(listOf(file, get("DecodeParms"))[Math.max(0, filters.length - 1)])),
    decode: decode.length > 0 && decode.every(Number.isFinite) ? decode : undefined,
    hasColorKey: file.array(mask) !== undefined,
    softMask: isStream(file, softMask) ? softMask : undefined,
    stencilMask: isStream(file, mask) ? mask : undefined,
    matte: dictionary.has("Matte"),
  };
}

const isSide = (side: number | undefined): side is number =>
  side !== undefined && Number.isInteger(side) && side >= 1 && side <= MAX_SIDE;

const isStream = (file: PdfFile, value: Value | undefined): value is Reference =>
  value instanceof Reference && file.resolve(value) instanceof PdfStream;

function listOf(file: PdfFile, value: Value | undefined): readonly (Value | undefined)[] {
  return value === undefined ? [] : (file.array(value) ?? [value]);
}

function numbersOf(file: PdfFile, dictionary: Dictionary | undefined): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const [key, value] of dictionary ?? []) {
    const number = file.number(value);
    if (number !== undefined) numbers.set(key, number);
  }
  return numbers;
}

/** Returns the color space that a dictionary states, an inline image also by its name in the resources. */
export const spaceOf = (file: PdfFile, dictionary: Dictionary, spaces?: Dictionary): Value | undefined =>
  named(file, dictionary.get("ColorSpace") ?? (spaces && dictionary.get("CS")), spaces);

const longFilter = (name = "") => FILTERS[name] ?? name;

/** Returns the color space that an inline image names in the resources (8.9.7). */
function named(file: PdfFile, space: Value | undefined, spaces: Dictionary | undefined): Value | undefined {
  const name = spaces && file.name(space);
  return (name !== undefined && spaces?.get(name)) || space;
}
