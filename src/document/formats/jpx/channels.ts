// Reads the meaning of JPEG 2000 channels: colors, opacity, or neither (ISO 15444-1, I.5.3), without decoding.
import { boxesOf } from "./boxes.ts";

export interface JpxChannels {
  readonly width: number;
  readonly height: number;
  /** Bits of the first component. */
  readonly bits: number;
  /** Number of channels, after a palette is applied. */
  readonly count: number;
  /** The color channels, in the order of the color space. */
  readonly colors: readonly number[];
  /** The channel with the opacity of the whole image. */
  readonly opacity: number | undefined;
  readonly space: JpxSpace | undefined;
  /** True if the channels are the colors in order, optionally followed by opacity that is not premultiplied. */
  readonly isPlain: boolean;
}

/** An enumerated color space, or an ICC profile. */
export type JpxSpace = "gray" | "rgb" | "cmyk" | "ycc" | Uint8Array;

const SPACES: Readonly<Record<number, JpxSpace>> = { 12: "cmyk", 16: "rgb", 17: "gray", 18: "ycc" };
const COLORS = { gray: 1, rgb: 3, cmyk: 4, ycc: 3 } as const;
const ENUMERATED = 1;
const [COLOR, OPACITY, PREMULTIPLIED] = [0, 1, 2];
const SIGNATURE = 0xff4f_ff51;
const MAX_CHANNELS = 16;

interface Definition {
  readonly channel: number;
  readonly kind: number;
  readonly color: number;
}

/**
 * @param dictionaryColors number of components of the ColorSpace entry that replaces the color space of the data, if
 * present
 * @returns undefined if the headers are damaged or do not define the colors
 */
export function readJpxChannels(bytes: Uint8Array, dictionaryColors?: number): JpxChannels | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    return read(data, dictionaryColors);
  } catch (error) {
    // Thrown by Buffer for a read beyond its end.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function read(data: Buffer, dictionaryColors: number | undefined): JpxChannels | undefined {
  const boxes = data.readUInt32BE(0) === SIGNATURE ? [] : boxesOf(data);
  const body = (kind: string) => boxes.find((box) => box.kind === kind)?.body;
  const codestream = boxes.length === 0 ? data : body("jp2c");
  if (codestream?.readUInt32BE(0) !== SIGNATURE) return undefined;
  const [right, bottom, left, top] = [8, 12, 16, 20].map((at) => codestream.readUInt32BE(at)) as Four;
  const palette = body("cmap");
  const count = palette ? palette.length >> 2 : codestream.readUInt16BE(40);
  if (count < 1 || count > MAX_CHANNELS || right <= left || bottom <= top) return undefined;
  const space = spaceOf(body("colr"));
  const definitions = definitionsOf(body("cdef"));
  const known = dictionaryColors ?? (typeof space === "string" ? COLORS[space] : undefined);
  const colors =
    definitions.length > 0
      ? definitions
          .filter(({ kind }) => kind === COLOR)
          .sort((one, other) => one.color - other.color)
          .map(({ channel }) => channel)
      : Array.from({ length: Math.min(known ?? count, count) }, (_, channel) => channel);
  const opacity =
    definitions.length > 0
      ? definitions.find(({ kind, color }) => (kind === OPACITY || kind === PREMULTIPLIED) && color === 0)?.channel
      : colors.length === count - 1
        ? colors.length
        : undefined;
  if (colors.length === 0 || colors.some((channel) => channel >= count) || (opacity ?? 0) >= count) return undefined;
  const isPlain =
    colors.every((channel, index) => channel === index) &&
    (colors.length === count ||
      (opacity === count - 1 && opacity === colors.length && definitions.some(({ kind }) => kind === OPACITY)));
  const bits = (codestream.readUInt8(42) & 0x7f) + 1;
  return { width: right - left, height: bottom - top, bits, count, colors, opacity, space, isPlain };
}

type Four = [number, number, number, number];

function spaceOf(body: Buffer | undefined): JpxSpace | undefined {
  if (!body || body.length < 4) return undefined;
  return body[0] === ENUMERATED ? SPACES[body.readUInt32BE(3)] : body.subarray(3);
}

function definitionsOf(body: Buffer | undefined): Definition[] {
  if (!body) return [];
  const count = Math.min(body.readUInt16BE(0), MAX_CHANNELS);
  return Array.from({ length: count }, (_, index) => {
    const [channel, kind, color] = [2, 4, 6].map((offset) => body.readUInt16BE(offset + index * 6));
    return { channel: channel!, kind: kind!, color: color! };
  });
}

/**
 * Returns the data without channel definitions and with a color space that decoders do not convert, so that a decoder
 * returns the channels unchanged.
 */
export function withPlainChannels(bytes: Uint8Array, { count }: JpxChannels): Uint8Array {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (data.readUInt32BE(0) === SIGNATURE) return bytes;
  const boxes = boxesOf(data);
  // A palette is part of the header, so the data must keep its header.
  if (!boxes.some(({ kind }) => kind === "cmap")) return boxes.find(({ kind }) => kind === "jp2c")!.body;
  const copy = Buffer.from(bytes);
  for (const { kind, start, body } of boxesOf(copy)) {
    if (kind === "cdef") copy.write("free", start + 4, "latin1");
    if (kind === "colr" && body[0] === ENUMERATED) body.writeUInt32BE(PLAIN_SPACES[count] ?? RGB, 3);
  }
  return copy;
}

const RGB = 16;
/** Color spaces that decoders do not convert, by number of components. */
const PLAIN_SPACES: Readonly<Record<number, number>> = { 1: 17, 3: RGB, 4: 12 };
