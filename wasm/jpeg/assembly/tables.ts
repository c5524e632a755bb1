// Computes the tables of an image once: Huffman codes, zigzag masks, quantizer factors.
import {
  CODES_BYTES,
  codes,
  dcFactors,
  factors,
  HUFFMAN_BYTES,
  huffman,
  PAIRS_BYTES,
  pairs,
  quantizers,
  zigzag,
  zigzagMasks,
} from "./layout";

/** Length and bits share 32 bits: the low five are the length. */
export const LENGTH_BITS: u32 = 5;
export const LENGTH_MASK: u32 = 31;

/** Natural (row by row) index by zigzag index (T.81 figure A.6). */
const ZIGZAG: usize = memory.data<u8>([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55,
  62, 63,
]);

/** Scale of each output of the fast transform: 1, then sqrt(2) cos(k pi / 16) (Arai, Agui and Nakajima 1988). */
const FAST_SCALE: usize = memory.data<f64>([
  1.0, 1.387039845322148, 1.306562964876377, 1.175875602419359, 1.0, 0.785694958387102, 0.541196100146197,
  0.275899379282943,
]);

/**
 * Returns the transposed index of a coefficient. The transforms work on columns and transpose once, so the coefficient
 * of row v, column u is at u * 8 + v.
 */
@inline
function transposed(position: usize): usize {
  return ((position & 7) << 3) + (position >> 3);
}

/** Returns the magnitude category SSSS of T.81 tables F.1 and F.2. */
@inline
export function category(value: i32): u32 {
  return 32 - <u32>clz(value < 0 ? -value : value);
}

/** Returns the additional bits of a value (T.81 F.1.2.1.1). Negative values are in ones' complement. */
@inline
export function valueBits(value: i32, bits: u32): u32 {
  return <u32>(value + (value >> 31)) & ((1 << bits) - 1);
}

export function deriveZigzag(): void {
  for (let k: usize = 0; k < 64; k++) {
    const from = transposed(load<u8>(ZIGZAG + k));
    store<u8>(zigzag + k, <u8>(from * 2));
    for (let source: usize = 0; source < 4; source++) {
      const mask = zigzagMasks + (((k >> 4) << 2) + source) * 16;
      store<u8>(mask + (k & 15), from >> 4 == source ? <u8>(from & 15) : 0xff);
    }
  }
}

/** Derives the codes from their lengths (T.81 annex C), then the combined codes of short AC symbols and values. */
export function deriveHuffman(): void {
  for (let index: usize = 0; index < 4; index++) {
    const bits = huffman + index * HUFFMAN_BYTES;
    const table = codes + index * CODES_BYTES;
    let symbols = bits + 16;
    let code: u32 = 0;
    for (let length: u32 = 1; length <= 16; length++) {
      for (let left = load<u8>(bits + length - 1); left > 0; left--) {
        store<u32>(table + (<usize>load<u8>(symbols++) << 2), (code++ << LENGTH_BITS) | length);
      }
      code <<= 1;
    }
  }
  for (let index: usize = 0; index < 2; index++) {
    const table = codes + (2 * index + 1) * CODES_BYTES;
    let pair = pairs + index * PAIRS_BYTES;
    for (let run: usize = 0; run < 16; run++) {
      for (let value = -128; value < 128; value++) {
        const size = category(value);
        const entry = load<u32>(table + (((run << 4) + size) << 2));
        const bits = ((entry >> LENGTH_BITS) << size) | valueBits(value, size);
        store<u32>(pair, (bits << LENGTH_BITS) | ((entry & LENGTH_MASK) + size));
        pair += 4;
      }
    }
  }
}

/**
 * Derives the factors that quantize the outputs of a transform. The exact transform yields 32 times the coefficient;
 * its factor is 2^14 / step, and the product has 19 fraction bits. The fast transform yields 16 times the coefficient
 * times FAST_SCALE; the product with its factor has 15 fraction bits.
 */
export function deriveFactors(exact: bool): void {
  for (let table: usize = 0; table < 2; table++) {
    const steps = quantizers + table * 64;
    store<i64>(dcFactors + table * 8, <i64>ceil(4294967296.0 / (8.0 * <f64>load<u8>(steps))));
    for (let position: usize = 0; position < 64; position++) {
      const step = <f64>load<u8>(steps + position);
      const scale = load<f64>(FAST_SCALE + ((position >> 3) << 3)) * load<f64>(FAST_SCALE + ((position & 7) << 3));
      const factor = exact ? 16384.0 / step : 2048.0 / (step * scale);
      store<i16>(factors + table * 128 + transposed(position) * 2, <i16>min(32767.0, nearest(factor)));
    }
  }
}
