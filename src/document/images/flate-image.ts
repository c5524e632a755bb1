// Encodes pixels in the kernel as data of a FlateDecode image: with fewer bits if they suffice, with a palette if there
// are few colors, otherwise with PNG predictors (ISO 32000-1, 7.4.4.4).
import { deflateSync } from "node:zlib";
import type { Address, ImageKernel } from "../formats/image-kernel.ts";
import type { Pixels } from "../formats/jpeg/samples.ts";

export interface FlateImage {
  readonly bytes: Uint8Array;
  readonly bits: number;
  /** The palette entries, concatenated, if there is a palette. */
  readonly palette: Uint8Array | undefined;
  /** Number of stored samples per pixel. */
  readonly channels: number;
  /** True if rows have PNG filters. */
  readonly predicted: boolean;
}

/** Statistics of an image. */
export interface Census {
  /** Fraction of pixels equal to their left neighbor. */
  readonly flat: number;
  /**
   * The colors, concatenated, if there are at most 256. Undefined if there are more, or if pixels do not have 1, 3 or 4
   * samples.
   */
  readonly colors: Uint8Array | undefined;
  readonly colorCount: number;
  /** True if all samples of every pixel are equal. */
  readonly isGray: boolean;
  /** Palette indexes, one byte per pixel, row by row. */
  readonly indices: Address;
}

/**
 * Maximum size for the highest compression level. For larger data, that level takes five times as long and saves only
 * one percent.
 */
const BEST_LEVEL_BYTES = 1 << 20;
/**
 * Maximum number of palette colors. Indexes of up to 16 colors are packed; more colors need a byte per index, which
 * deflates better than predicted samples.
 */
const MAX_COLORS = 256;

export function takeCensus(kernel: ImageKernel, { at, width, height, channels, stride }: Pixels): Census {
  const { exports } = kernel;
  if (![1, 3, 4].includes(channels)) {
    return { flat: 0, colors: undefined, colorCount: MAX_COLORS + 1, isGray: false, indices: 0 };
  }
  const indices = exports.allocate(width * height + 16);
  exports.startCensus();
  for (let y = 0; y < height; y++) exports.countRow(at + y * stride, indices + y * width, width, channels);
  const colorCount: number = exports.colorCount.value;
  return {
    flat: exports.likeLeft.value / Math.max(1, width * height),
    colors: colorCount > MAX_COLORS ? undefined : kernel.view(exports.colors.value, colorCount * channels).slice(),
    colorCount,
    isGray: channels === 3 && exports.isGray.value !== 0,
    indices,
  };
}

/** @param mayIndex false for masks, which cannot have palettes */
export function encodeFlate(kernel: ImageKernel, pixels: Pixels, census: Census, mayIndex: boolean): FlateImage {
  const { channels, width, height } = pixels;
  const { colors } = census;
  const bits = channels === 1 && colors ? bitsOfLevels(colors) : 8;
  if (bits < 8) return { ...plain(packLevels(kernel, pixels, bits)), bits, channels: 1 };
  if (!colors || !mayIndex || (channels === 1 && colors.length > 16)) {
    return { bytes: deflate(filtered(kernel, pixels)), bits: 8, palette: undefined, channels, predicted: true };
  }
  const indexBits = colors.length <= 2 * channels ? 1 : colors.length <= 4 * channels ? 2 : 4;
  const isPacked = census.colorCount <= 16;
  const { order, palette } = sortColors(colors, channels);
  const view = kernel.view(census.indices, width * height);
  for (let index = 0; index < view.length; index++) view[index] = order[view[index]!]!;
  if (!isPacked) return { bytes: deflate(view), bits: 8, palette, channels: 1, predicted: false };
  const plane = { at: census.indices, width, height, channels: 1, stride: width };
  return { ...plain(packSamples(kernel, plane, indexBits)), bits: indexBits, palette, channels: 1 };
}

const plain = (bytes: Uint8Array) => ({ bytes: deflate(bytes), palette: undefined, predicted: false });

/** Returns the minimum number of bits that represents all sample values exactly. */
function bitsOfLevels(levels: Uint8Array): number {
  return [1, 2, 4].find((bits) => levels.every((level) => level % (255 / (2 ** bits - 1)) === 0)) ?? 8;
}

function packLevels(kernel: ImageKernel, pixels: Pixels, bits: number): Uint8Array {
  const shift = 8 - bits;
  for (let y = 0; y < pixels.height; y++) {
    const row = kernel.view(pixels.at + y * pixels.stride, pixels.width);
    for (let x = 0; x < row.length; x++) row[x]! >>= shift;
  }
  return packSamples(kernel, pixels, bits);
}

/** Packs each sample into `bits` bits. Each row starts at a byte boundary. */
function packSamples(kernel: ImageKernel, { at, width, height, stride }: Pixels, bits: number): Uint8Array {
  const { exports } = kernel;
  const rowBytes = Math.ceil((width * bits) / 8);
  const to = exports.allocate(rowBytes * height);
  for (let y = 0; y < height; y++) exports.pack(at + y * stride, to + y * rowBytes, width, bits);
  return kernel.view(to, rowBytes * height);
}

function filtered(kernel: ImageKernel, { at, width, height, channels, stride }: Pixels): Uint8Array {
  const { exports } = kernel;
  const rowBytes = width * channels;
  const blank = exports.allocate(rowBytes);
  const to = exports.allocate((rowBytes + 1) * height);
  for (let y = 0; y < height; y++) {
    const above = y === 0 ? blank : at + (y - 1) * stride;
    exports.filterRow(at + y * stride, above, rowBytes, channels, to + y * (rowBytes + 1));
  }
  return kernel.view(to, (rowBytes + 1) * height);
}

/** Sorts colors by brightness, so that adjacent pixels more often have adjacent indexes. */
function sortColors(
  colors: Uint8Array,
  channels: number,
): { readonly order: Uint8Array; readonly palette: Uint8Array } {
  const entries = Array.from({ length: colors.length / channels }, (_, index) => ({
    index,
    entry: colors.subarray(index * channels, (index + 1) * channels),
  }));
  const brightness = (entry: Uint8Array) => entry.reduce((sum, sample) => sum + sample, 0);
  entries.sort((a, b) => brightness(a.entry) - brightness(b.entry));
  const order = new Uint8Array(256);
  const palette = new Uint8Array(colors.length);
  entries.forEach(({ index, entry }, position) => {
    order[index] = position;
    palette.set(entry, position * channels);
  });
  return { order, palette };
}

function deflate(bytes: Uint8Array): Uint8Array {
  return deflateSync(bytes, { level: bytes.length > BEST_LEVEL_BYTES ? 6 : 9, memLevel: 9 });
}
