// Writes rasters as GIF89a files with one image: the blocks around the palette and the codes.

import type { Raster } from "../../contract/raster.ts";
import { ColorHistogram, type ColorIndex } from "./color-histogram.ts";
import { Ditherer } from "./dither.ts";
import { LZW_SLICE, LzwEncoder } from "./lzw.ts";
import { choosePalette } from "./palette.ts";
import { skipRun, wordsOf } from "./run.ts";

/** Maximum side in pixels; the format has 16 bits for it (GIF89a, clauses 18 and 20). */
export const GIF_MAX_SIDE = 65535;

const SUB_BLOCK_BYTES = 255;
/** Bytes of a chunk: as many full sub-blocks as fit in about 64 KiB. */
const CHUNK_BYTES = 256 * SUB_BLOCK_BYTES;
const TRAILER = 0x3b;

/** Maximum number of pixels counted for the palette. In larger rasters, only some rows are counted. */
const CENSUS_PIXELS = 1 << 24;

/** Palette indexes in reading order, in chunks of any size. A chunk is valid until the next one is requested. */
type Indices = Iterable<Uint8Array>;

/**
 * Encodes a raster as a GIF89a file with one image. Reads the raster twice: for the palette and for the pixels.
 *
 * With up to 256 colors, and always in gray, every pixel keeps its color. With more colors, the palette has black,
 * white and the exact colors of large flat areas. Smooth surfaces are dithered; letters, lines and flat areas never
 * are.
 *
 * GIF has no field for the resolution, so `raster.dpi` is lost. Pixel aspect ratio 0 means unspecified (GIF89a, clause
 * 18).
 *
 * @param raster with the color model `rgb` or `gray`
 * @returns the file in chunks of about 64 KiB, each valid until the next one is requested
 * @throws RangeError for another color model, or if a side is 0 or exceeds {@link GIF_MAX_SIDE}
 */
export function* encodeGif(raster: Raster): Generator<Uint8Array> {
  const { width, height, colorModel } = raster;
  if (colorModel !== "rgb" && colorModel !== "gray") throw new RangeError(`GIF has no color model ${colorModel}`);
  if (!(width >= 1 && width <= GIF_MAX_SIDE && height >= 1 && height <= GIF_MAX_SIDE)) {
    throw new RangeError(`A GIF picture has 1 to ${GIF_MAX_SIDE} pixels a side, not ${width} x ${height}`);
  }
  const { palette, indices } = colorModel === "gray" ? grayPicture(raster) : colorPicture(raster);
  // Palettes have 2, 4, 8, ... 256 entries (clause 18); codes have at least two bits (Appendix F).
  const paletteBits = Math.max(1, 32 - Math.clz32(palette.length - 1));
  const codeSize = Math.max(2, paletteBits);
  yield header(width, height, palette, paletteBits, codeSize);
  yield* dataSubBlocks(indices, codeSize);
  yield Uint8Array.of(0, TRAILER);
}

interface Picture {
  /** Colors as `red | green << 8 | blue << 16`. */
  readonly palette: ArrayLike<number>;
  readonly indices: Indices;
}

function grayPicture(raster: Raster): Picture {
  const seen = new Uint8Array(256);
  let levels = 0;
  for (const { samples } of raster.bands()) {
    for (let i = 0; i < samples.length; i++) {
      if (seen[samples[i]!] !== 0) continue;
      seen[samples[i]!] = 1;
      levels++;
    }
    if (levels === 256) break;
  }
  const palette: number[] = [];
  const numbers = new Uint8Array(256);
  seen.forEach((is, level) => {
    if (is === 1) numbers[level] = palette.push(level * 0x010101) - 1;
  });
  return { palette, indices: grayIndices(raster, numbers) };
}

function colorPicture(raster: Raster): Picture {
  const { width, height } = raster;
  const thinning = Math.ceil((width * height) / CENSUS_PIXELS);
  const census = new ColorHistogram(thinning);
  for (const { top, rows, samples } of raster.bands()) {
    for (let row = 0; row < rows; row++) {
      if (census.exact || (top + row) % thinning === 0) census.add(samples, row * width * 3, width);
    }
  }
  census.finish();
  if (census.exact) {
    return { palette: census.index.colors.subarray(0, census.index.size), indices: exactIndices(raster, census.index) };
  }
  const palette = choosePalette(census, (width * height) / thinning);
  return { palette: palette.colors, indices: ditheredIndices(raster, new Ditherer(palette, width)) };
}

function* grayIndices(raster: Raster, numbers: Uint8Array): Indices {
  const indices = new Uint8Array(LZW_SLICE);
  for (const { samples } of raster.bands()) {
    for (let from = 0; from < samples.length; from += LZW_SLICE) {
      const count = Math.min(LZW_SLICE, samples.length - from);
      for (let i = 0; i < count; i++) indices[i] = numbers[samples[from + i]!]!;
      yield indices.subarray(0, count);
    }
  }
}

function* exactIndices(raster: Raster, colors: ColorIndex): Indices {
  const indices = new Uint8Array(LZW_SLICE);
  let color = -1;
  let index = 0;
  for (const { samples } of raster.bands()) {
    const words = wordsOf(samples);
    for (let from = 0; from < samples.length; from += LZW_SLICE * 3) {
      const count = Math.min(LZW_SLICE, (samples.length - from) / 3);
      const end = from + count * 3;
      for (let at = from, i = 0; i < count; ) {
        const next = samples[at]! | (samples[at + 1]! << 8) | (samples[at + 2]! << 16);
        const same = next === color;
        if (!same) {
          color = next;
          index = colors.find(color);
        }
        indices[i++] = index;
        at += 3;
        if (!same || at % 4 !== 0) continue;
        const to = skipRun(words, color, at, end);
        indices.fill(index, i, i + (to - at) / 3);
        i += (to - at) / 3;
        at = to;
      }
      yield indices.subarray(0, count);
    }
  }
}

function* ditheredIndices(raster: Raster, ditherer: Ditherer): Indices {
  const indices = new Uint8Array(raster.width);
  for (const { rows, samples } of raster.bands()) {
    for (let row = 0; row < rows; row++) {
      if (ditherer.feed(samples, row * raster.width * 3, indices)) yield indices;
    }
  }
  ditherer.finish(indices);
  yield indices;
}

/** Returns all blocks before the codes: clauses 17 to 20, and the minimum code size of clause 22. */
function header(
  width: number,
  height: number,
  palette: ArrayLike<number>,
  paletteBits: number,
  codeSize: number,
): Uint8Array {
  const bytes = new Uint8Array(13 + 3 * 2 ** paletteBits + 11);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode("GIF89a"));
  view.setUint16(6, width, true);
  view.setUint16(8, height, true);
  // Flags: global color table, 8-bit samples, unsorted.
  bytes[10] = 0x80 | (7 << 4) | (paletteBits - 1);
  for (let i = 0; i < palette.length; i++) {
    bytes[13 + i * 3] = palette[i]!;
    bytes[14 + i * 3] = palette[i]! >> 8;
    bytes[15 + i * 3] = palette[i]! >> 16;
  }
  const image = bytes.length - 11;
  bytes[image] = 0x2c;
  view.setUint16(image + 5, width, true);
  view.setUint16(image + 7, height, true);
  bytes[image + 10] = codeSize;
  return bytes;
}

/** Yields the codes in sub-blocks, each after a length byte (clause 15), without the terminating empty sub-block. */
function* dataSubBlocks(indices: Indices, codeSize: number): Generator<Uint8Array> {
  const encoder = new LzwEncoder(codeSize, CHUNK_BYTES);
  for (const some of indices) {
    for (let from = 0; from < some.length; from += LZW_SLICE) {
      const count = Math.min(LZW_SLICE, some.length - from);
      encoder.write(from === 0 ? some : some.subarray(from, from + count), count);
      if (encoder.length < CHUNK_BYTES) continue;
      yield subBlocks(encoder.bytes.subarray(0, CHUNK_BYTES));
      encoder.discard(CHUNK_BYTES);
    }
  }
  encoder.finish();
  yield subBlocks(encoder.bytes.subarray(0, encoder.length));
}

function subBlocks(bytes: Uint8Array): Uint8Array {
  const blocks = Math.ceil(bytes.length / SUB_BLOCK_BYTES);
  const framed = new Uint8Array(bytes.length + blocks);
  for (let from = 0, to = 0; from < bytes.length; from += SUB_BLOCK_BYTES) {
    const size = Math.min(SUB_BLOCK_BYTES, bytes.length - from);
    framed[to] = size;
    framed.set(bytes.subarray(from, from + size), to + 1);
    to += size + 1;
  }
  return framed;
}
