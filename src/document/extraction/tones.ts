// Chooses how the samples of an image become pixels of a file: unchanged, as indexes of a palette, or converted to RGB.
import { MAX_PROFILE_BYTES, profileOf, readHeader } from "../formats/icc/header.ts";
import { UnreadableImage } from "../images/image-samples.ts";
import { Dictionary, Name } from "../objects/values.ts";
import type { OpenPdf } from "../pages/open-pdf.ts";
import type { ImageSource } from "./image-source.ts";
import { packedRowBytes, storedChannels } from "./packed-rows.ts";

/** The colors of a file, and how rows of packed samples become its rows. */
export interface Tones {
  /** Samples per pixel of the file: 1 gray or index, 3 RGB, 4 CMYK. */
  readonly channels: 1 | 3 | 4;
  /** Bits per sample of the file. */
  readonly bits: 1 | 2 | 4 | 8 | 16;
  /** Red, green and blue of each index. */
  readonly palette?: Uint8Array;
  readonly iccProfile?: Uint8Array | undefined;
  /** Converts whole rows; can change them in place. */
  convert(rows: Uint8Array): Uint8Array;
}

const FAMILIES: Readonly<Record<string, "gray" | "rgb" | "cmyk">> = {
  ...{ DeviceGray: "gray", G: "gray", CalGray: "gray" },
  ...{ DeviceRGB: "rgb", RGB: "rgb", CalRGB: "rgb" },
  ...{ DeviceCMYK: "cmyk", CMYK: "cmyk" },
};
const CHANNELS = { gray: 1, rgb: 3, cmyk: 4 } as const;
const PROFILED = { gray: "GRAY", rgb: "RGB ", cmyk: "CMYK" } as const;
const BITS = [1, 2, 4, 8, 16] as const;

/**
 * @param isPlain true if the file needs one sample of 8 or 16 bits for each color, because opacity follows them
 * @throws UnreadableImage
 */
export function tonesOf(pdf: OpenPdf, source: ImageSource, isPlain: boolean): Tones {
  const { image } = source;
  const kept = image.isStencil ? { kind: "gray" as const } : keptColors(pdf, source);
  const bits = BITS.find((one) => one === image.bits);
  if (bits === undefined) throw new UnreadableImage(`${image.bits} bits per sample`);
  if (image.colors?.palette || (!kept && storedChannels(image) === 1 && bits <= 8)) {
    return indexed(pdf, source, kept, isPlain);
  }
  if (!kept) return { channels: 3, bits: 8, convert: (rows) => toRgb(pdf, source, rows, image.width, image.decode) };
  const channels = CHANNELS[kept.kind];
  const about = { channels, iccProfile: kept.profile };
  const decoding = decodingOf(image.decode, channels);
  const isPacked = channels === 1 && !isPlain;
  if (decoding !== "other" && channels < 4 && (bits >= 8 || isPacked)) {
    return { ...about, bits, convert: decoding === "inverse" ? inverted : (rows) => rows };
  }
  if (decoding !== "other" && bits === 8) {
    return { ...about, bits, convert: decoding === "inverse" ? inverted : (rows) => rows };
  }
  const tables = Array.from({ length: channels }, (_, at) => table(Math.min(bits, 8), image.decode?.slice(2 * at)));
  return { ...about, bits: 8, convert: (rows) => mapped(unpacked(source, rows), tables) };
}

/** Returns the kind of colors that a file can have unconverted, with their profile; of an indexed image, of its palette. */
function keptColors({ file }: OpenPdf, { image }: ImageSource) {
  const { space, kind } = image.colors!;
  const value = file.resolve(space);
  const family = Array.isArray(value) ? file.name(value[0]) : file.name(space);
  const device = FAMILIES[family ?? ""];
  if (device) return { kind: device };
  if (family !== "ICCBased" || kind === "other" || !Array.isArray(value)) return undefined;
  const profile = profileIn(() => file.stream(value[1])?.body.decoded(MAX_PROFILE_BYTES));
  if (!profile) return { kind };
  return readHeader(profile)?.space === PROFILED[kind] ? { kind, profile } : undefined;
}

function profileIn(read: () => Uint8Array | undefined): Uint8Array | undefined {
  try {
    return profileOf(read() ?? new Uint8Array(0));
  } catch {
    return undefined;
  }
}

/** Returns tones with a palette: of an indexed image, or of the values of one sample that must be converted. */
function indexed(pdf: OpenPdf, source: ImageSource, kept: ReturnType<typeof keptColors>, isPlain: boolean): Tones {
  const { image } = source;
  const count = 2 ** image.bits;
  const isKept = image.colors?.palette && kept && kept.kind !== "cmyk";
  const palette = isKept
    ? ownPalette(image.colors.palette, CHANNELS[kept.kind], count, image.decode)
    : toRgb(pdf, source, ramp(image.bits), count, image.decode);
  const iccProfile = isKept && kept.kind === "rgb" ? kept.profile : undefined;
  if (!isPlain) return { channels: 1, bits: image.bits as 8, palette, iccProfile, convert: (rows) => rows };
  return { channels: 3, bits: 8, iccProfile, convert: (rows) => lookedUp(unpacked(source, rows), palette) };
}

/** Returns red, green and blue of each index. Missing entries repeat the last one, as in viewers. */
function ownPalette(
  entries: Uint8Array,
  channels: number,
  count: number,
  [low = 0, high = count - 1]: readonly number[] = [],
): Uint8Array {
  const last = Math.max(0, Math.floor(entries.length / channels) - 1);
  const palette = new Uint8Array(3 * count);
  for (let index = 0; index < count; index++) {
    const mapped = Math.round(low + (index * (high - low)) / (count - 1));
    const from = Math.min(last, Math.max(0, mapped)) * channels;
    for (let color = 0; color < 3; color++) palette[3 * index + color] = entries[from + (color % channels)] ?? 0;
  }
  return palette;
}

/** Returns one row with all values of a sample, packed. */
function ramp(bits: number): Uint8Array {
  const row = new Uint8Array(Math.ceil((2 ** bits * bits) / 8));
  for (let value = 0; value < 2 ** bits; value++) {
    const at = value * bits;
    row[at >> 3]! |= value << (8 - bits - (at & 7));
  }
  return row;
}

/** @throws UnreadableImage */
function toRgb(
  { source }: OpenPdf,
  { image, space }: ImageSource,
  rows: Uint8Array,
  width: number,
  decode: readonly number[] | undefined,
): Uint8Array {
  const rowBytes = Math.ceil((width * storedChannels(image) * image.bits) / 8);
  const properties = Dictionary.of({
    ...{ Type: Name.of("XObject"), Subtype: Name.of("Image"), Width: width, Height: rows.length / rowBytes },
    ...{ BitsPerComponent: image.bits, ColorSpace: space, Decode: decode?.slice() },
  });
  const rgb = source.colors.toRgb(properties, rows);
  if (!rgb) throw new UnreadableImage("its colors cannot be converted");
  return rgb;
}

type Decoding = "default" | "inverse" | "other";

function decodingOf(decode: readonly number[] | undefined, channels: number): Decoding {
  if (!decode || decode.length < 2 * channels) return "default";
  const all = (low: number) => decode.slice(0, 2 * channels).every((one, index) => one === (low + index) % 2);
  return all(0) ? "default" : all(1) ? "inverse" : "other";
}

function inverted(rows: Uint8Array): Uint8Array {
  for (let at = 0; at < rows.length; at++) rows[at] = ~rows[at]!;
  return rows;
}

/** Returns the sample of 8 bits for each value (8.9.5.2). */
export function table(bits: number, [low = 0, high = 1]: readonly number[] = []): Uint8Array {
  const most = 2 ** bits - 1;
  const sampleOf = (value: number) => Math.round(255 * Math.min(1, Math.max(0, low + (value * (high - low)) / most)));
  return Uint8Array.from({ length: most + 1 }, (_, value) => sampleOf(value));
}

/** Returns one byte for each sample: its value, or of 16 bits the high byte. */
export function unpacked({ image }: Pick<ImageSource, "image">, rows: Uint8Array): Uint8Array {
  const { bits } = image;
  if (bits === 8) return rows;
  const samples = image.width * storedChannels(image);
  const rowBytes = packedRowBytes(image);
  const values = new Uint8Array((rows.length / rowBytes) * samples);
  if (bits === 16) {
    for (let at = 0; at < values.length; at++) values[at] = rows[2 * at]!;
    return values;
  }
  const most = 2 ** bits - 1;
  for (let to = 0, start = 0; start < rows.length; start += rowBytes) {
    for (let sample = 0; sample < samples; sample++, to++) {
      const at = sample * bits;
      values[to] = (rows[start + (at >> 3)]! >> (8 - bits - (at & 7))) & most;
    }
  }
  return values;
}

function mapped(values: Uint8Array, tables: readonly Uint8Array[]): Uint8Array {
  const count = tables.length;
  for (let at = 0; at < values.length; at++) values[at] = tables[at % count]![values[at]!]!;
  return values;
}

function lookedUp(indexes: Uint8Array, palette: Uint8Array): Uint8Array {
  const colors = new Uint8Array(3 * indexes.length);
  for (let at = 0, to = 0; at < indexes.length; at++) {
    const from = 3 * indexes[at]!;
    colors[to++] = palette[from]!;
    colors[to++] = palette[from + 1]!;
    colors[to++] = palette[from + 2]!;
  }
  return colors;
}
