// Detects MCUs of one color in the input pixels, because most of a text page is blank paper. The loops run for every
// MCU and are unrolled by hand, because the compiler does not unroll them.
import { CMYK, GRAY, YCBCR_420 } from "./samples";

@inline
function unlike16(at: usize, first: v128): v128 {
  return v128.xor(v128.load(at), first);
}

@inline
function unlike48(at: usize, a: v128, b: v128, c: v128): v128 {
  return v128.or(v128.or(unlike16(at, a), unlike16(at + 16, b)), unlike16(at + 32, c));
}

/** Checks 16 x 16 pixels of 3 bytes: the first row has a period of 3 bytes, and the other rows equal the first. */
@inline
function uniformRgb16(at: usize, stride: usize): bool {
  const a = v128.load(at);
  const b = v128.load(at, 16);
  const c = v128.load(at, 32);
  let row = at + stride;
  let unlike = v128.or(v128.or(unlike16(at + 3, a), unlike16(at + 19, b)), unlike16(at + 29, c));
  unlike = v128.or(unlike, unlike48(row, a, b, c));
  if (v128.any_true(unlike)) return false;
  for (let block = 0; block < 2; block++) {
    unlike = unlike48((row += stride), a, b, c);
    unlike = v128.or(unlike, unlike48((row += stride), a, b, c));
    unlike = v128.or(unlike, unlike48((row += stride), a, b, c));
    unlike = v128.or(unlike, unlike48((row += stride), a, b, c));
    unlike = v128.or(unlike, unlike48((row += stride), a, b, c));
    unlike = v128.or(unlike, unlike48((row += stride), a, b, c));
    unlike = v128.or(unlike, unlike48((row += stride), a, b, c));
    if (v128.any_true(unlike)) return false;
  }
  return true;
}

@inline
function unlikeEnds(at: usize, tail: usize, first: v128, last: v128): v128 {
  return v128.or(unlike16(at, first), unlike16(at + tail, last));
}

/** Checks 8 x 8 pixels of 3 or 4 bytes. A row is two vectors, which can overlap. */
@inline
function uniform8(at: usize, stride: usize, pixelBytes: usize): bool {
  const tail = (pixelBytes << 3) - 16;
  const first = v128.load(at);
  const last = v128.load(at + tail);
  let unlike = v128.or(unlike16(at + pixelBytes, first), unlike16(at + tail - pixelBytes, last));
  if (v128.any_true(unlike)) return false;
  let row = at;
  unlike = unlikeEnds((row += stride), tail, first, last);
  unlike = v128.or(unlike, unlikeEnds((row += stride), tail, first, last));
  unlike = v128.or(unlike, unlikeEnds((row += stride), tail, first, last));
  unlike = v128.or(unlike, unlikeEnds((row += stride), tail, first, last));
  unlike = v128.or(unlike, unlikeEnds((row += stride), tail, first, last));
  unlike = v128.or(unlike, unlikeEnds((row += stride), tail, first, last));
  unlike = v128.or(unlike, unlikeEnds((row += stride), tail, first, last));
  return !v128.any_true(unlike);
}

/** Checks 8 x 8 pixels of one byte. */
@inline
function uniformGray8(at: usize, stride: usize): bool {
  const first = load<u64>(at);
  if (first != (first & 0xff) * 0x0101010101010101) return false;
  let row = at;
  let unlike = load<u64>((row += stride)) ^ first;
  unlike |= load<u64>((row += stride)) ^ first;
  unlike |= load<u64>((row += stride)) ^ first;
  unlike |= load<u64>((row += stride)) ^ first;
  unlike |= load<u64>((row += stride)) ^ first;
  unlike |= load<u64>((row += stride)) ^ first;
  unlike |= load<u64>((row += stride)) ^ first;
  return unlike == 0;
}

@inline
export function isUniform(kind: u32, at: usize, stride: usize): bool {
  if (kind == YCBCR_420) return uniformRgb16(at, stride);
  if (kind == GRAY) return uniformGray8(at, stride);
  return uniform8(at, stride, kind == CMYK ? 4 : 3);
}
