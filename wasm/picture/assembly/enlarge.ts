// Rows of a small plane at the width of a large one, between whose pixels values go over evenly.
import { allocate } from "./memory";

/** A pixel of the large row: which pixel is on its left, and how much, of 128 parts, it has of the one to the right of that. */
const TAP_BYTES: usize = 4;

/** @returns what every pixel of a row of `width` pixels is made of, from `low` pixels */
export function rowTaps(low: usize, width: usize): usize {
  const taps = allocate(width * TAP_BYTES);
  const scale = <f64>low / <f64>width;
  for (let x: usize = 0; x < width; x++) {
    const place = max(0.0, min(<f64>(low - 1), (<f64>x + 0.5) * scale - 0.5));
    const left = <usize>place;
    store<u16>(taps + x * TAP_BYTES, <u16>left);
    store<u16>(taps + x * TAP_BYTES, left + 1 < low ? <u16>((place - <f64>left) * 128.0) : 0, 2);
  }
  return taps;
}

/**
 * @param y - of the large plane, which has `height` rows
 * @param scratch - room for a row of the small one
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
  const above = plane + first * stride;
  const below = part > 0 ? above + stride : above;
  for (let x: usize = 0; x < low; x++) {
    const value = <u32>load<u8>(above + x) * (128 - part) + <u32>load<u8>(below + x) * part;
    store<u8>(scratch + x, <u8>((value + 64) >> 7));
  }
  for (let x: usize = 0; x < width; x++) {
    const left = scratch + load<u16>(taps + x * TAP_BYTES);
    const share = <u32>load<u16>(taps + x * TAP_BYTES, 2);
    const right = share > 0 ? load<u8>(left, 1) : 0;
    store<u8>(to + x, <u8>((<u32>load<u8>(left) * (128 - share) + <u32>right * share + 64) >> 7));
  }
}

/** A whole plane. */
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
  const scratch = allocate(across);
  for (let y: usize = 0; y < height; y++) {
    enlargedRow(from, fromStride, across, down, y, height, taps, width, scratch, to + y * stride);
  }
}
