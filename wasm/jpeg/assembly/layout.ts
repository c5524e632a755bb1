// Memory layout of the kernel. All areas are static except the rows of pixels, which start after the static data.

/** Bytes of one 8 x 8 block of 16-bit samples or coefficients. */
export const BLOCK_BYTES: usize = 128;
/** Blocks of the current MCU (six in 4:2:0): level-shifted samples, quantized in place. */
export const blocks: usize = memory.data(768, 16);

/** Two tables of 64 8-bit quantizer steps, row by row (not in zigzag order). Set by the caller. */
export const quantizers: usize = memory.data(128, 16);
/** Tables DC 0, AC 0, DC 1, AC 1, each 16 bytes BITS and 256 bytes HUFFVAL (T.81 annex C). Set by the caller. */
export const huffman: usize = memory.data(1088, 16);
export const HUFFMAN_BYTES: usize = 272;

/** Two tables of 64 factors of 16 bits, in the order of the transform's output. */
export const factors: usize = memory.data(256, 16);
/** Two 64-bit factors for the DC coefficients: 2^32 / (8 * step). */
export const dcFactors: usize = memory.data(16, 16);

/** Huffman codes by symbol: DC 0, AC 0, DC 1, AC 1, 256 entries of `code << 5 | length`. */
export const codes: usize = memory.data(4096, 16);
export const CODES_BYTES: usize = 1024;
/** Two tables by run (0..15) and value (-128..127): code and value bits together, `bits << 5 | length`. */
export const pairs: usize = memory.data(32768, 16);
export const PAIRS_BYTES: usize = 16384;

/** Byte offsets in a transformed block in zigzag order (T.81 figure A.6). */
export const zigzag: usize = memory.data(64, 16);
/** Swizzle masks that reorder 64 transformed bytes (four vectors) to zigzag order: mask `4 * target + source`. */
export const zigzagMasks: usize = memory.data(256, 16);

/**
 * An MCU completed at the right edge: at most 16 x 16 pixels of 3 bytes. Vector loads can read slightly past its end.
 */
export const edgeMcu: usize = memory.data(800, 16);

/** Number of output bytes at which `encode` pauses, so that the caller can take them. */
export const OUTPUT_CHUNK: usize = 65536;
/**
 * The output. Beyond a chunk, there is space for two MCUs and pending bits: an MCU has six blocks of at most 1660 bits,
 * with every byte stuffed.
 */
export const output: usize = memory.data(73728, 16);

/** The pixels of one row of MCUs. */
export const rows: usize = (__heap_base + 15) & ~15;
