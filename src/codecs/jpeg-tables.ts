// Quantisation and Huffman tables of a baseline JPEG (ITU-T T.81 annex K). Knows neither pixels nor markers.

/** Natural positions (row by row) in zigzag order, T.81 figure A.6. */
export const ZIGZAG = Uint8Array.of(
  ...[0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21],
  ...[28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61],
  ...[54, 47, 55, 62, 63],
);

/** T.81 table K.1. */
const LUMINANCE_STEPS = Uint8Array.of(
  ...[16, 11, 10, 16, 24, 40, 51, 61],
  ...[12, 12, 14, 19, 26, 58, 60, 55],
  ...[14, 13, 16, 24, 40, 57, 69, 56],
  ...[14, 17, 22, 29, 51, 87, 80, 62],
  ...[18, 22, 37, 56, 68, 109, 103, 77],
  ...[24, 35, 55, 64, 81, 104, 113, 92],
  ...[49, 64, 78, 87, 103, 121, 120, 101],
  ...[72, 92, 95, 98, 112, 100, 103, 99],
);

/** T.81 table K.2. */
const CHROMINANCE_STEPS = Uint8Array.of(
  ...[17, 18, 24, 47, 99, 99, 99, 99],
  ...[18, 21, 26, 66, 99, 99, 99, 99],
  ...[24, 26, 56, 99, 99, 99, 99, 99],
  ...[47, 66, 99, 99, 99, 99, 99, 99],
  ...[99, 99, 99, 99, 99, 99, 99, 99],
  ...[99, 99, 99, 99, 99, 99, 99, 99],
  ...[99, 99, 99, 99, 99, 99, 99, 99],
  ...[99, 99, 99, 99, 99, 99, 99, 99],
);

/** Steps of baseline JPEG have eight bits (T.81 B.2.4.1). */
const MAX_STEP = 255;

/**
 * The quantisers of a quality on the scale of the Independent JPEG Group: 50 is annex K as it stands, 100 divides by one.
 * @param quality 1 to 100
 * @returns luminance and chrominance, 64 steps each, row by row
 */
export function quantisersOf(quality: number): readonly [Uint8Array, Uint8Array] {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  const scaled = (steps: Uint8Array) =>
    steps.map((step) => Math.min(MAX_STEP, Math.max(1, Math.floor((step * percent + 50) / 100))));
  return [scaled(LUMINANCE_STEPS), scaled(CHROMINANCE_STEPS)];
}

/** A Huffman table as the marker DHT carries it. */
export interface HuffmanTable {
  /** How many codes there are of each length from 1 to 16 (BITS). */
  readonly lengths: Uint8Array;
  /** Symbols by growing code (HUFFVAL). */
  readonly symbols: Uint8Array;
}

const hex = (digits: string) => Uint8Array.from(digits.match(/../g)!, (byte) => Number.parseInt(byte, 16));

const DC_SYMBOLS = Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);

/** T.81 table K.3. */
const DC_LUMINANCE: HuffmanTable = { lengths: hex("00010501010101010100000000000000"), symbols: DC_SYMBOLS };
/** T.81 table K.4. */
const DC_CHROMINANCE: HuffmanTable = { lengths: hex("00030101010101010101010000000000"), symbols: DC_SYMBOLS };
/** T.81 table K.5. */
const AC_LUMINANCE: HuffmanTable = {
  lengths: hex("0002010303020403050504040000017d"),
  symbols: hex(
    "01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a" +
      "434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8" +
      "a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa",
  ),
};
/** T.81 table K.6. */
const AC_CHROMINANCE: HuffmanTable = {
  lengths: hex("00020102040403040705040400010277"),
  symbols: hex(
    "000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a3536373839" +
      "3a434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6" +
      "a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
  ),
};

/** DC and AC for luminance, then DC and AC for chrominance: the order in which the kernel takes them. */
export const HUFFMAN_TABLES = [DC_LUMINANCE, AC_LUMINANCE, DC_CHROMINANCE, AC_CHROMINANCE] as const;
