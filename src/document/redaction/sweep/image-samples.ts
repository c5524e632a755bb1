// Finds the bytes behind the samples of an image, which no viewer shows (ISO 32000-1, 8.9.3).
import type { PdfFile } from "../../objects/pdf-file.ts";
import type { Dictionary, Value } from "../../objects/values.ts";

/** Maximum size in bytes of the samples: larger images are not decoded to look for bytes behind them. */
const MAX_SAMPLES = 4 * 2 ** 20;
const COMPONENTS: Readonly<Record<string, number>> = {
  DeviceGray: 1,
  CalGray: 1,
  Indexed: 1,
  Separation: 1,
  DeviceRGB: 3,
  CalRGB: 3,
  Lab: 3,
  DeviceCMYK: 4,
};
const DECODERS = /^(FlateDecode|LZWDecode|ASCIIHexDecode|ASCII85Decode|RunLengthDecode)$/;

/**
 * @param filters names of the filters of the image
 * @returns the number of bytes of all samples; undefined if it is unknown or too large
 */
export function samplesLength(file: PdfFile, image: Dictionary, filters: readonly string[]): number | undefined {
  if (file.name(image.get("Subtype")) !== "Image" || !filters.every((one) => DECODERS.test(one))) return undefined;
  const numberOf = (key: string) => file.number(image.get(key)) ?? Number.NaN;
  const isMask = file.boolean(image.get("ImageMask")) === true;
  const bits = isMask ? 1 : numberOf("BitsPerComponent") * componentsOf(file, image.get("ColorSpace"));
  const length = numberOf("Height") * Math.ceil((numberOf("Width") * bits) / 8);
  return length > 0 && length <= MAX_SAMPLES ? length : undefined;
}

function componentsOf(file: PdfFile, space: Value | undefined): number {
  const [family, first] = file.array(space) ?? [space];
  const name = file.name(family) ?? "";
  if (name === "ICCBased") return file.number(file.stream(first)?.dictionary.get("N")) ?? Number.NaN;
  if (name === "DeviceN") return file.array(first)?.length ?? Number.NaN;
  return COMPONENTS[name] ?? Number.NaN;
}
