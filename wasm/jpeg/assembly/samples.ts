// Converts the pixels of one MCU to level-shifted samples in blocks (T.81 A.3.1; YCbCr as defined by JFIF 1.02).
import { BLOCK_BYTES, blocks } from "./layout";

/** Kinds of MCUs, by the content of their blocks. */
export const GRAY: u32 = 0;
export const YCBCR_444: u32 = 1;
export const YCBCR_420: u32 = 2;
export const CMYK: u32 = 3;

const FRACTION_BITS: i32 = 15;
const HALF: i32 = 1 << (FRACTION_BITS - 1);
/** Level shift, which makes 8-bit samples signed. */
const LEVEL: i32 = 128;

// Weights with 15 fraction bits, for the pairs (red, green) and (blue, unused).
const WEIGHTS: usize = memory.data<i16>(
  [
    9798, 19235, 9798, 19235, 9798, 19235, 9798, 19235, 3735, 0, 3735, 0, 3735, 0, 3735, 0, // Y
    -5529, -10855, -5529, -10855, -5529, -10855, -5529, -10855, 16384, 0, 16384, 0, 16384, 0, 16384, 0, // Cb
    16384, -13720, 16384, -13720, 16384, -13720, 16384, -13720, -2664, 0, -2664, 0, -2664, 0, -2664, 0, // Cr
  ],
  16,
);
const Y_RG: usize = WEIGHTS;
const Y_B: usize = WEIGHTS + 16;
const CB_RG: usize = WEIGHTS + 32;
const CB_B: usize = WEIGHTS + 48;
const CR_RG: usize = WEIGHTS + 64;
const CR_B: usize = WEIGHTS + 80;

/** Masks that spread the first four RGB pixels of a vector to 16-bit lanes. */
const SPREAD: usize = memory.data<u8>(
  [
    0, 255, 1, 255, 3, 255, 4, 255, 6, 255, 7, 255, 9, 255, 10, 255, // red and green
    2, 255, 255, 255, 5, 255, 255, 255, 8, 255, 255, 255, 11, 255, 255, 255, // blue, unused
    0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, // four CMYK pixels by ink
  ],
  16,
);

@inline
function weigh(redGreen: v128, blue: v128, weightsRg: usize, weightsB: usize, bias: i32, shift: i32): v128 {
  return i32x4.shr_s(
    i32x4.add(
      i32x4.add(
        i32x4.dot_i16x8_s(redGreen, v128.load(weightsRg)),
        i32x4.dot_i16x8_s(blue, v128.load(weightsB)),
      ),
      i32x4.splat(bias),
    ),
    shift,
  );
}

// Rounding adds slightly less than half: the maximum Cb and Cr, 127.5, must not become 128, which does not fit eight
// bits.
@inline
function luma(redGreen: v128, blue: v128): v128 {
  return weigh(redGreen, blue, Y_RG, Y_B, HALF - (LEVEL << FRACTION_BITS), FRACTION_BITS);
}

@inline
function blueDifference(redGreen: v128, blue: v128, sumBits: i32): v128 {
  return weigh(redGreen, blue, CB_RG, CB_B, (HALF << sumBits) - 1, FRACTION_BITS + sumBits);
}

@inline
function redDifference(redGreen: v128, blue: v128, sumBits: i32): v128 {
  return weigh(redGreen, blue, CR_RG, CR_B, (HALF << sumBits) - 1, FRACTION_BITS + sumBits);
}

/** Returns the sums of neighbors in a row of eight pixels, passed as two vectors of four 32-bit lanes. */
@inline
function pairSums(a: v128, b: v128): v128 {
  return i16x8.add(v128.shuffle<i32>(a, b, 0, 2, 4, 6), v128.shuffle<i32>(a, b, 1, 3, 5, 7));
}

@inline
function yCbCr444(pixels: usize, stride: usize): void {
  const spreadRg = v128.load(SPREAD);
  const spreadB = v128.load(SPREAD + 16);
  for (let row: usize = blocks; row < blocks + BLOCK_BYTES; row += 16) {
    const left = v128.load(pixels);
    const right = v128.load(pixels, 12);
    const rg0 = i8x16.swizzle(left, spreadRg);
    const rg1 = i8x16.swizzle(right, spreadRg);
    const b0 = i8x16.swizzle(left, spreadB);
    const b1 = i8x16.swizzle(right, spreadB);
    v128.store(row, i16x8.narrow_i32x4_s(luma(rg0, b0), luma(rg1, b1)));
    v128.store(row, i16x8.narrow_i32x4_s(blueDifference(rg0, b0, 0), blueDifference(rg1, b1, 0)), 128);
    v128.store(row, i16x8.narrow_i32x4_s(redDifference(rg0, b0, 0), redDifference(rg1, b1, 0)), 256);
    pixels += stride;
  }
}

/** Fills four blocks of Y, then Cb and Cr from the means of 2 x 2 pixels (T.81 A.1.1, JFIF 1.02: centered). */
@inline
function yCbCr420(pixels: usize, stride: usize): void {
  const spreadRg = v128.load(SPREAD);
  const spreadB = v128.load(SPREAD + 16);
  let upper = blocks;
  for (let chroma: usize = blocks + 4 * BLOCK_BYTES; chroma < blocks + 5 * BLOCK_BYTES; chroma += 16) {
    let cb = spreadRg;
    let cr = spreadRg;
    let cbLeft = spreadRg;
    let crLeft = spreadRg;
    let from = pixels;
    let to = upper;
    for (let half = 0; half < 2; half++) {
      cbLeft = cb;
      crLeft = cr;
      const a0 = v128.load(from);
      const a1 = v128.load(from, 12);
      const b0 = v128.load(from + stride);
      const b1 = v128.load(from + stride, 12);
      const aRg0 = i8x16.swizzle(a0, spreadRg);
      const aRg1 = i8x16.swizzle(a1, spreadRg);
      const bRg0 = i8x16.swizzle(b0, spreadRg);
      const bRg1 = i8x16.swizzle(b1, spreadRg);
      const aB0 = i8x16.swizzle(a0, spreadB);
      const aB1 = i8x16.swizzle(a1, spreadB);
      const bB0 = i8x16.swizzle(b0, spreadB);
      const bB1 = i8x16.swizzle(b1, spreadB);
      v128.store(to, i16x8.narrow_i32x4_s(luma(aRg0, aB0), luma(aRg1, aB1)));
      v128.store(to, i16x8.narrow_i32x4_s(luma(bRg0, bB0), luma(bRg1, bB1)), 16);
      const redGreen = pairSums(i16x8.add(aRg0, bRg0), i16x8.add(aRg1, bRg1));
      const blue = pairSums(i16x8.add(aB0, bB0), i16x8.add(aB1, bB1));
      cb = blueDifference(redGreen, blue, 2);
      cr = redDifference(redGreen, blue, 2);
      from += 24;
      to += BLOCK_BYTES;
    }
    v128.store(chroma, i16x8.narrow_i32x4_s(cbLeft, cb));
    v128.store(chroma, i16x8.narrow_i32x4_s(crLeft, cr), 128);
    pixels += 2 * stride;
    upper += 32;
    // The two lower blocks of Y follow the two upper blocks. Each block has eight rows.
    if (upper == blocks + BLOCK_BYTES) upper += BLOCK_BYTES;
  }
}

@inline
function gray(pixels: usize, stride: usize): void {
  const level = i16x8.splat(<i16>LEVEL);
  for (let row: usize = blocks; row < blocks + BLOCK_BYTES; row += 16) {
    v128.store(row, i16x8.sub(v128.load_ext<u8>(pixels), level));
    pixels += stride;
  }
}

/** Inverts Adobe's CMYK, in which 255 is no ink. */
@inline
function invertedCmyk(pixels: usize, stride: usize): void {
  const byInk = v128.load(SPREAD + 32);
  const top = i16x8.splat(<i16>(255 - LEVEL));
  for (let row: usize = blocks; row < blocks + BLOCK_BYTES; row += 16) {
    const left = i8x16.swizzle(v128.load(pixels), byInk);
    const right = i8x16.swizzle(v128.load(pixels, 16), byInk);
    const cyanMagenta = v128.shuffle<i32>(left, right, 0, 4, 1, 5);
    const yellowBlack = v128.shuffle<i32>(left, right, 2, 6, 3, 7);
    v128.store(row, i16x8.sub(top, i16x8.extend_low_i8x16_u(cyanMagenta)));
    v128.store(row, i16x8.sub(top, i16x8.extend_high_i8x16_u(cyanMagenta)), 128);
    v128.store(row, i16x8.sub(top, i16x8.extend_low_i8x16_u(yellowBlack)), 256);
    v128.store(row, i16x8.sub(top, i16x8.extend_high_i8x16_u(yellowBlack)), 384);
    pixels += stride;
  }
}

/** Fills the blocks of one MCU. */
@inline
export function samplesOf(kind: u32, pixels: usize, stride: usize): void {
  if (kind == YCBCR_420) yCbCr420(pixels, stride);
  else if (kind == YCBCR_444) yCbCr444(pixels, stride);
  else if (kind == CMYK) invertedCmyk(pixels, stride);
  else gray(pixels, stride);
}
