// Codes a bilevel image as the data of a JBIG2 generic region (ITU-T T.88 6.2): template 0 with nominal adaptive
// pixels, and typical prediction, which skips rows equal to the row above.
import { coderPosition, encodeBit, finishCoder, startCoder } from "./arithmetic-coder";
import { allocate, reserve } from "./memory";

/** Context of the typical-prediction bit (T.88 figure 8). */
const TYPICAL: usize = 0x9b25;
/** Pixels to the left and right of a row that count as white (T.88 6.2.5.2). */
const MARGIN: usize = 16;

/** @returns true if two rows are equal; ignores padding in the last byte */
@inline
function isLike(row: usize, above: usize, bytes: usize, lastMask: u8): bool {
  const whole = bytes - 1;
  let at: usize = 0;
  for (; at + 8 <= whole; at += 8) if (load<u64>(row + at) != load<u64>(above + at)) return false;
  for (; at < whole; at++) if (load<u8>(row + at) != load<u8>(above + at)) return false;
  return ((load<u8>(row + at) ^ load<u8>(above + at)) & lastMask) == 0;
}

/** Expands the bits of a row to a byte each. */
@inline
function spread(row: usize, to: usize, bytes: usize): void {
  for (let index: usize = 0; index < bytes; index++) {
    // Copies the byte eight times, keeps a different bit in each copy, and converts it to 0 or 1.
    const kept = (<u64>load<u8>(row + index) * 0x0101010101010101) & 0x0102040810204080;
    store<u64>(to + (index << 3), ((kept + 0x7f7f7f7f7f7f7f7f) >> 7) & 0x0101010101010101);
  }
}

/** Number of bytes written by {@link encodeBilevel}. */
export let bilevelBytes: usize = 0;

/**
 * Codes an image.
 * @param from - rows of bits, each padded to whole bytes; 1 is black
 * @returns the address of the bytes, valid until the next allocation
 */
export function encodeBilevel(from: usize, width: usize, height: usize): usize {
  const bytes = (width + 7) >> 3;
  const lastMask = <u8>(width & 7 ? 0xff00 >> <u32>(width & 7) : 0xff);
  const lineBytes = (bytes << 3) + 2 * MARGIN;
  let line = allocate(lineBytes) + MARGIN;
  let above = allocate(lineBytes) + MARGIN;
  let above2 = allocate(lineBytes) + MARGIN;
  const blank = allocate(bytes);
  // The coder reads the byte before its output.
  const to = allocate(16) + 8;
  startCoder(to);
  let wasTypical = false;
  let row = from;
  let before = blank;
  for (let y: usize = 0; y < height; y++, before = row, row += bytes) {
    // A decision needs at most two bytes.
    reserve(coderPosition() + 2 * width + 64);
    const typical = isLike(row, before, bytes, lastMask);
    encodeBit(TYPICAL, typical == wasTypical ? 0 : 1);
    wasTypical = typical;
    const free = above2;
    above2 = above;
    above = line;
    line = free;
    if (typical) {
      memory.copy(line, above, lineBytes - 2 * MARGIN);
      continue;
    }
    spread(row, line, bytes);
    for (let x = width; x < bytes << 3; x++) store<u8>(line + x, 0);
    // The context (T.88 figure 3): five pixels two rows above, seven pixels one row above, and four pixels to the left.
    // These include the adaptive pixels A1 to A4.
    let c2: usize = (<usize>load<u8>(above2) << 1) | load<u8>(above2, 1);
    let c1: usize = (<usize>load<u8>(above) << 2) | (<usize>load<u8>(above, 1) << 1) | load<u8>(above, 2);
    let c0: usize = 0;
    for (let x: usize = 0; x < width; x++) {
      c2 = ((c2 << 1) | load<u8>(above2 + x, 2)) & 31;
      c1 = ((c1 << 1) | load<u8>(above + x, 3)) & 127;
      const bit = <u32>load<u8>(line + x);
      encodeBit((c2 << 11) | (c1 << 4) | c0, bit);
      c0 = ((c0 << 1) | bit) & 15;
    }
  }
  bilevelBytes = finishCoder() - to;
  return to;
}
