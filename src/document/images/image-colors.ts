// Reads the color space of an image (ISO 32000-1, 8.6): the number of samples per pixel, and their kind. Converts no
// colors: samples stay in their color space.
import type { PdfFile } from "../objects/pdf-file.ts";
import { type Dictionary, Name, PdfStream, PdfString, type Value } from "../objects/values.ts";

export interface ImageColors {
  /** Samples per pixel; for an indexed image, per palette entry. */
  readonly channels: number;
  /** `rgb`: JPEG can code the samples as YCbCr. `other`: the samples have no known relation to each other. */
  readonly kind: "gray" | "rgb" | "cmyk" | "other";
  /** The color space to write. For an indexed image, the color space of its palette entries. */
  readonly space: Value;
  /** The palette entries of an indexed image, concatenated. */
  readonly palette?: Uint8Array;
}

/** Maximum depth of nested color spaces, such as Indexed, ICCBased and its alternate. */
const MAX_DEPTH = 4;
const MAX_LOOKUP_BYTES = 1 << 20;
const MAX_CHANNELS = 32;

/** Full names, and their abbreviations in inline images (table 93). */
const DEVICE = new Map<string, Pick<ImageColors, "channels" | "kind">>([
  ["DeviceGray", { channels: 1, kind: "gray" }],
  ["G", { channels: 1, kind: "gray" }],
  ["CalGray", { channels: 1, kind: "gray" }],
  ["DeviceRGB", { channels: 3, kind: "rgb" }],
  ["RGB", { channels: 3, kind: "rgb" }],
  ["CalRGB", { channels: 3, kind: "rgb" }],
  ["DeviceCMYK", { channels: 4, kind: "cmyk" }],
  ["CMYK", { channels: 4, kind: "cmyk" }],
  ["Lab", { channels: 3, kind: "other" }],
]);

/** @returns undefined if the value is not a valid color space for images */
export function readColors(file: PdfFile, space: Value | undefined): ImageColors | undefined {
  return read(file, space, 0);
}

function read(file: PdfFile, space: Value | undefined, depth: number): ImageColors | undefined {
  if (space === undefined || depth > MAX_DEPTH) return undefined;
  const value = file.resolve(space);
  const family = Array.isArray(value) ? file.name(value[0]) : value instanceof Name ? value.text : undefined;
  if (family === undefined) return undefined;
  const device = DEVICE.get(family);
  if (device) return { ...device, space };
  if (!Array.isArray(value)) return undefined;
  switch (family) {
    case "ICCBased":
      return readIccBased(file, space, file.dictionary(value[1]), depth);
    case "Separation":
      return { channels: 1, kind: "gray", space };
    case "DeviceN": {
      const channels = file.array(value[1])?.length ?? 0;
      return channels > 0 && channels <= MAX_CHANNELS ? { channels, kind: "other", space } : undefined;
    }
    case "Indexed":
    case "I":
      return readIndexed(file, value, depth);
    default:
      return undefined;
  }
}

function readIccBased(
  file: PdfFile,
  space: Value,
  profile: Dictionary | undefined,
  depth: number,
): ImageColors | undefined {
  const channels = profile && file.number(profile.get("N"));
  const alternate = read(file, profile?.get("Alternate"), depth + 1);
  if (channels === 1) return { channels, kind: "gray", space };
  if (channels === 3) return { channels, kind: alternate?.kind === "other" ? "other" : "rgb", space };
  return channels === 4 ? { channels, kind: "cmyk", space } : undefined;
}

function readIndexed(file: PdfFile, [, baseSpace, , lookup]: readonly Value[], depth: number): ImageColors | undefined {
  const base = read(file, baseSpace, depth + 1);
  if (!base || base.palette) return undefined;
  const bytes = lookupBytes(file.resolve(lookup));
  return bytes && { ...base, palette: bytes };
}

function lookupBytes(lookup: Value | PdfStream): Uint8Array | undefined {
  if (lookup instanceof PdfString) return lookup.bytes;
  if (!(lookup instanceof PdfStream)) return undefined;
  try {
    return lookup.body.decoded(MAX_LOOKUP_BYTES);
  } catch {
    return undefined;
  }
}
