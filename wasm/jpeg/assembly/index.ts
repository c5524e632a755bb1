// Interface of the kernel: takes rows of pixels, returns entropy-coded bytes with the final EOI. The caller writes the
// headers.
import { encodeBlock, finishEntropy, outputEnd, putBits, rewindOutput, startEntropy } from "./entropy";
import {
  BLOCK_BYTES,
  blocks,
  CODES_BYTES,
  codes,
  edgeMcu,
  huffman as huffmanAddress,
  OUTPUT_CHUNK,
  output as outputAddress,
  quantizers as quantizersAddress,
  rows as rowsAddress,
} from "./layout";
import { CMYK, GRAY, samplesOf, YCBCR_420, YCBCR_444 } from "./samples";
import { deriveFactors, deriveHuffman, deriveZigzag, LENGTH_BITS, LENGTH_MASK } from "./tables";
import { isUniform } from "./uniform";

export const quantizers = quantizersAddress;
export const huffman = huffmanAddress;
export const rows = rowsAddress;
export const output = outputAddress;

/** Bytes past the end of the last row that vector instructions can read. */
const READ_BEYOND: usize = 64;
const PAGE_BITS: i32 = 16;

let kind: u32 = 0;
let exactTransform: bool = false;
let width: usize = 0;
let pixelBytes: usize = 0;
/** Pixels on each side of an MCU. */
let side: usize = 0;
/** Index of the next MCU in the row. */
let column: usize = 0;

/** Pixel value of the previous MCU, if all its pixels are equal. Another MCU of that color has a constant code. */
let lastUniform: i64 = -1;
const NOT_UNIFORM: i64 = -1;
/** That constant code: for each block, no DC difference and no AC coefficients. */
let repeatBits: u64 = 0;
let repeatLength: i32 = 0;
/** The same code for one block of luminance. */
let outsideBits: u64 = 0;
let outsideLength: i32 = 0;

function appendEmptyBlock(table: usize): void {
  const dc = load<u32>(codes + table * 2 * CODES_BYTES);
  const endOfBlock = load<u32>(codes + (table * 2 + 1) * CODES_BYTES);
  repeatBits = (repeatBits << (dc & LENGTH_MASK)) | (dc >> LENGTH_BITS);
  repeatBits = (repeatBits << (endOfBlock & LENGTH_MASK)) | (endOfBlock >> LENGTH_BITS);
  repeatLength += (dc & LENGTH_MASK) + (endOfBlock & LENGTH_MASK);
}

/** Starts an image after the caller has stored quantizers and Huffman tables. Grows the memory for one row of MCUs. */
export function start(kindOfMcu: u32, pictureWidth: u32, exact: bool): void {
  deriveZigzag();
  deriveHuffman();
  deriveFactors(exact);
  kind = kindOfMcu;
  exactTransform = exact;
  width = pictureWidth;
  pixelBytes = kindOfMcu == GRAY ? 1 : kindOfMcu == CMYK ? 4 : 3;
  side = kindOfMcu == YCBCR_420 ? 16 : 8;
  column = 0;
  lastUniform = NOT_UNIFORM;
  repeatBits = 0;
  repeatLength = 0;
  appendEmptyBlock(0);
  outsideBits = repeatBits;
  outsideLength = repeatLength;
  const luminanceBlocks = kindOfMcu == GRAY || kindOfMcu == YCBCR_444 ? 1 : 4;
  for (let block = 1; block < luminanceBlocks; block++) appendEmptyBlock(0);
  if (kindOfMcu == YCBCR_444 || kindOfMcu == YCBCR_420) {
    appendEmptyBlock(1);
    appendEmptyBlock(1);
  }
  const needed = (rowsAddress + side * width * pixelBytes + READ_BEYOND + (1 << PAGE_BITS) - 1) >> PAGE_BITS;
  if (<i32>needed > memory.size() && memory.grow(<i32>needed - memory.size()) < 0) unreachable();
  startEntropy();
}

/** Repeats the last column to complete an MCU, because that leaves the fewest artifacts after cropping. */
function completeMcu(at: usize, columns: usize, bytes: usize, mcuSide: usize): void {
  const stride = width * bytes;
  let to = edgeMcu;
  for (let y: usize = 0; y < mcuSide; y++, at += stride) {
    memory.copy(to, at, columns * bytes);
    to += columns * bytes;
    for (let left = (mcuSide - columns) * bytes; left > 0; left--, to++) store<u8>(to, load<u8>(to - bytes));
  }
}

/** Codes a block outside the image with the shortest code: the DC of the previous block, no AC coefficients. */
function encodeOutside(): void {
  putBits(outsideBits, outsideLength);
}

/** `right` and `lower`: true if the Y blocks there contain part of the image. */
@inline
function encodeMcu(mcuKind: u32, pixels: usize, stride: usize, right: bool, lower: bool): void {
  if (isUniform(mcuKind, pixels, stride)) {
    const pixel: i64 =
      mcuKind == GRAY
        ? <i64>load<u8>(pixels)
        : mcuKind == CMYK
          ? <i64>load<u32>(pixels)
          : <i64>(load<u32>(pixels) & 0xffffff);
    if (pixel == lastUniform) {
      putBits(repeatBits, repeatLength);
      return;
    }
    lastUniform = pixel;
  } else {
    lastUniform = NOT_UNIFORM;
  }
  samplesOf(mcuKind, pixels, stride);
  const exact = exactTransform;
  encodeBlock(blocks, 0, 0, exact);
  if (mcuKind == YCBCR_444) {
    encodeBlock(blocks + BLOCK_BYTES, 1, 1, exact);
    encodeBlock(blocks + 2 * BLOCK_BYTES, 2, 1, exact);
  } else if (mcuKind == YCBCR_420) {
    if (right) encodeBlock(blocks + BLOCK_BYTES, 0, 0, exact);
    else encodeOutside();
    if (lower) encodeBlock(blocks + 2 * BLOCK_BYTES, 0, 0, exact);
    else encodeOutside();
    if (right && lower) encodeBlock(blocks + 3 * BLOCK_BYTES, 0, 0, exact);
    else encodeOutside();
    encodeBlock(blocks + 4 * BLOCK_BYTES, 1, 1, exact);
    encodeBlock(blocks + 5 * BLOCK_BYTES, 2, 1, exact);
  } else if (mcuKind == CMYK) {
    encodeBlock(blocks + BLOCK_BYTES, 1, 0, exact);
    encodeBlock(blocks + 2 * BLOCK_BYTES, 2, 0, exact);
    encodeBlock(blocks + 3 * BLOCK_BYTES, 3, 0, exact);
  }
}

/** Called with constant arguments, so that the compiler generates one loop per kind. */
@inline
function encodeMcus(mcuKind: u32, bytes: usize, mcuSide: usize, count: u32): bool {
  const stride = width * bytes;
  const mcuBytes = mcuSide * bytes;
  const whole = width / mcuSide;
  const lower = count > 8;
  let pixels = rowsAddress + column * mcuBytes;
  for (; column < whole; column++) {
    if (outputEnd >= outputAddress + OUTPUT_CHUNK) return true;
    encodeMcu(mcuKind, pixels, stride, true, lower);
    pixels += mcuBytes;
  }
  const rest = width - whole * mcuSide;
  if (rest > 0) {
    completeMcu(pixels, rest, bytes, mcuSide);
    encodeMcu(mcuKind, edgeMcu, mcuBytes, rest > 8, lower);
  }
  column = 0;
  return false;
}

/**
 * Codes the rows of one row of MCUs.
 * @param count number of rows; at the end of the image, the last row is repeated
 * @returns true if the caller must take the output and repeat the call for the same rows
 */
export function encode(count: u32): bool {
  const stride = width * pixelBytes;
  for (let y = <usize>count; y < side; y++) {
    memory.copy(rowsAddress + y * stride, rowsAddress + (y - 1) * stride, stride);
  }
  if (kind == YCBCR_420) return encodeMcus(YCBCR_420, 3, 16, count);
  if (kind == YCBCR_444) return encodeMcus(YCBCR_444, 3, 8, count);
  if (kind == CMYK) return encodeMcus(CMYK, 4, 8, count);
  return encodeMcus(GRAY, 1, 8, count);
}

/** Finishes the image after the last row. */
export function finish(): void {
  finishEntropy();
}

/** @returns the number of output bytes, which can be read until the next call of `encode` */
export function take(): u32 {
  const length = outputEnd - outputAddress;
  rewindOutput();
  return <u32>length;
}
