// Computes Adler-32 (RFC 1950 section 8.2), the checksum at the end of zlib streams.
import { total } from "./lanes";

const BASE: u32 = 65521;
/** Number of bytes whose sums fit 32 bits without a modulo operation; a multiple of the vector size. */
const BYTES_BEFORE_MODULO: usize = 5552;

let low: u32 = 1;
let high: u32 = 0;

export function resetAdler(): void {
  low = 1;
  high = 0;
}

/** Returns the checksum of all bytes since {@link resetAdler}. */
export function adler(): u32 {
  return (high << 16) | low;
}

export function addBytes(from: usize, count: usize): void {
  const weights = i8x16(16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
  let at = from;
  const end = from + count;
  while (at < end) {
    const stop = min(end, at + BYTES_BEFORE_MODULO);
    const vectors = at + ((stop - at) & ~15);
    let sums = i32x4.splat(0);
    let sumsBefore = i32x4.splat(0);
    let weighted = i32x4.splat(0);
    high += low * <u32>(vectors - at);
    for (; at < vectors; at += 16) {
      const bytes = v128.load(at);
      sumsBefore = i32x4.add(sumsBefore, sums);
      sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes)));
      const products = i16x8.add(i16x8.extmul_low_i8x16_u(bytes, weights), i16x8.extmul_high_i8x16_u(bytes, weights));
      weighted = i32x4.add(weighted, i32x4.extadd_pairwise_i16x8_u(products));
    }
    low += total(sums);
    high += 16 * total(sumsBefore) + total(weighted);
    for (; at < stop; at++) {
      low += load<u8>(at);
      high += low;
    }
    low %= BASE;
    high %= BASE;
  }
}

/** Adds a number of zero bytes. */
export function addZeros(count: usize): void {
  high = <u32>((high + <u64>count * low) % BASE);
}
