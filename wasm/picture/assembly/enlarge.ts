// Interpolates rows of a small plane to the width of a large plane, sixteen pixels at a time. The small row must be
// shorter by at least an eighth.
import { allocate } from "./memory";

/**
 * Size of an entry for sixteen pixels of the large row. The entry contains the index of the first pixel in the small
 * row; then, for each of the sixteen pixels, the offset of its left neighbor from that index; then the weight of each
 * right neighbor, out of 128.
 */
const BLOCK_BYTES: usize = 48;

/** @returns an entry for every sixteen of `width` pixels, interpolated from `low` pixels */
export function rowTaps(low: usize, width: usize): usize {
  const taps = allocate(((width + 15) >> 4) * BLOCK_BYTES);
  const scale = <f64>low / <f64>width;
  let base: usize = 0;
  for (let x: usize = 0; x < width; x++) {
    const place = max(0.0, min(<f64>(low - 1), (<f64>x + 0.5) * scale - 0.5));
    const left = <usize>place;
    const lane = x & 15;
    const block = taps + (x >> 4) * BLOCK_BYTES;
    if (lane == 0) {
      base = left;
      store<u32>(block, <u32>base);
    }
    store<u8>(block + lane, <u8>(left - base), 16);
    store<u8>(block + lane, left + 1 < low ? <u8>((place - <f64>left) * 128.0) : 0, 32);
  }
  return taps;
}

/** @returns `((128 - share) * one + share * other) / 128` */
@inline
function between(one: v128, other: v128, share: v128): v128 {
  const rest = i8x16.sub(i8x16.splat(<i8>128), share);
  const low = i16x8.add(i16x8.extmul_low_i8x16_u(one, rest), i16x8.extmul_low_i8x16_u(other, share));
  const high = i16x8.add(i16x8.extmul_high_i8x16_u(one, rest), i16x8.extmul_high_i8x16_u(other, share));
  const half = i16x8.splat(64);
  return i8x16.narrow_i16x8_u(i16x8.shr_u(i16x8.add(low, half), 7), i16x8.shr_u(i16x8.add(high, half), 7));
}

/**
 * @param y - row of the large plane, which has `height` rows
 * @param scratch - space for a row of the small plane, and 16 bytes
 * @param to - space for a row padded to a multiple of sixteen
 */
export function enlargedRow(
  plane: usize,
  stride: usize,
  low: usize,
  rows: usize,
  y: usize,
  height: usize,
  taps: usize,
  width: usize,
  scratch: usize,
  to: usize,
): void {
  const place = max(0.0, min(<f64>(rows - 1), ((<f64>y + 0.5) * <f64>rows) / <f64>height - 0.5));
  const first = <usize>place;
  const part = first + 1 < rows ? <u32>((place - <f64>first) * 128.0) : 0;
  let line = plane + first * stride;
  if (part > 0) {
    const share = i8x16.splat(<i8>part);
    for (let x: usize = 0; x < low; x += 16) {
      v128.store(scratch + x, between(v128.load(line + x), v128.load(line + stride + x), share));
    }
    line = scratch;
  }
  const one = i8x16.splat(1);
  for (let x: usize = 0; x < width; x += 16, taps += BLOCK_BYTES) {
    const pixels = v128.load(line + load<u32>(taps));
    const left = v128.load(taps, 16);
    const right = i8x16.swizzle(pixels, i8x16.add(left, one));
    v128.store(to + x, between(i8x16.swizzle(pixels, left), right, v128.load(taps, 32)));
  }
}

/** Enlarges a whole plane. @param stride - bytes per result row, a multiple of sixteen */
export function enlargePlane(
  from: usize,
  fromStride: usize,
  across: usize,
  down: usize,
  to: usize,
  stride: usize,
  width: usize,
  height: usize,
): void {
  const taps = rowTaps(across, width);
  const scratch = allocate(across + 16);
  for (let y: usize = 0; y < height; y++) {
    enlargedRow(from, fromStride, across, down, y, height, taps, width, scratch, to + y * stride);
  }
}
