// Quantization tables of baseline JPEG (ITU-T T.81 annex K).

/** Natural (row by row) index by zigzag index, T.81 figure A.6. */
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

/** Maximum step: baseline JPEG has eight bits for it (T.81 B.2.4.1). */
const MAX_STEP = 255;

/**
 * Returns the quantization tables of a quality on the scale of the Independent JPEG Group: at 50, the tables are those
 * of annex K; at 100, every step is 1.
 * @param quality 1 to 100
 * @returns luminance and chrominance, 64 steps each, row by row
 */
export function quantizersOf(quality: number): readonly [Uint8Array, Uint8Array] {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  const scaled = (steps: Uint8Array) =>
    steps.map((step) => Math.min(MAX_STEP, Math.max(1, Math.floor((step * percent + 50) / 100))));
  return [scaled(LUMINANCE_STEPS), scaled(CHROMINANCE_STEPS)];
}
