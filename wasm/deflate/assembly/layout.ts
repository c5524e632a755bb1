// Memory layout of the kernel. Areas whose size depends on the width of the image start after the static data.

/** Limits of RFC 1951: maximum distance and length of a match. */
export const WINDOW_BYTES: usize = 32768;
export const MAX_MATCH_BYTES: usize = 258;

/** Bytes before and after an area that vector instructions can read and write. */
export const SLACK: usize = 64;

/** Tokens of a block, 32 bits each: a literal is its value, a match `length << 16 | distance - 1`. */
export const TOKENS: usize = 8192;
export const tokens: usize = memory.data(32768, 16);

/**
 * `lastPixel`, `lastPair`: by hash, the position of the last pixel, and of the last pair of pixels, modulo 2^16.
 * `previousPair`: by position modulo 2^15, the previous position of a pair with the same hash. Stale entries are
 * harmless, because matches are always compared with the pixels.
 */
export const HASH_BITS: u32 = 15;
export const TABLE_BYTES: usize = 65536;
export const lastPixel: usize = memory.data(65536, 16);
export const lastPair: usize = memory.data(65536, 16);
export const previousPair: usize = memory.data(65536, 16);

/**
 * Literals, the end of a block and lengths share one alphabet; distances have a separate alphabet (RFC 1951 section
 * 3.2.5). The last two symbols of the first alphabet never occur, but have fixed codes.
 */
export const LITERAL_SYMBOLS: usize = 288;
export const DISTANCE_SYMBOLS: usize = 30;
export const TABLE_SYMBOLS: usize = 19;
export const END_OF_BLOCK: usize = 256;

/** By symbol: frequencies (32 bits), code lengths (8 bits) and bit-reversed codes (16 bits). */
export const literalFrequencies: usize = memory.data(1152, 16);
export const distanceFrequencies: usize = memory.data(128, 16);
export const tableFrequencies: usize = memory.data(80, 16);
export const literalLengths: usize = memory.data(288, 16);
export const distanceLengths: usize = memory.data(32, 16);
export const tableLengths: usize = memory.data(32, 16);
export const literalCodes: usize = memory.data(576, 16);
export const distanceCodes: usize = memory.data(64, 16);
export const tableCodes: usize = memory.data(48, 16);

/** By length: its symbol minus 256, and its extra bits (8 bits each). */
export const lengthSymbols: usize = memory.data(272, 16);
export const lengthExtraBits: usize = memory.data(272, 16);
/** By symbol minus 256: its smallest length (16 bits). */
export const lengthBases: usize = memory.data(64, 16);

/** Estimated bits (8 bits each) by literal value, by length, and by distance symbol. */
export const literalBits: usize = memory.data(256, 16);
export const lengthBits: usize = memory.data(272, 16);
export const distanceBits: usize = memory.data(32, 16);

/** Filter of each row, or BLANK (8 bits each): see choice.ts. */
export const MAX_ROWS: usize = 4096;
export const rowFilters: usize = memory.data(4096, 16);

/** Number of output bytes at which the caller must take them. */
export const OUTPUT_CHUNK: usize = 65536;
/** Bytes reserved before and after the output for the caller's framing. */
export const FRAME_BYTES: usize = 16;

/** Maximum total size of the rows per call. A larger row is passed alone. */
const CHUNK_BYTES: usize = 262144;

/** Bytes of an input row, of a row in the stream, and of a pixel. */
export let sampleBytes: usize = 0;
export let rowBytes: usize = 0;
export let pixelBytes: usize = 0;
/** Maximum number of rows per call. */
export let chunkRows: usize = 0;
/** Input rows. The row above the first row precedes them in memory. */
export let rows: usize = 0;
/** Rows of the stream, preceded by up to {@link WINDOW_BYTES} of earlier rows. */
export let window: usize = 0;
export let output: usize = 0;

/** Lays out memory for rows of `samples` bytes, which are `lead` bytes longer in the stream. */
export function layOut(samples: usize, pixel: usize, lead: usize): void {
  sampleBytes = samples;
  pixelBytes = pixel;
  rowBytes = samples + lead;
  chunkRows = min(MAX_ROWS, max<usize>(1, CHUNK_BYTES / rowBytes));
  const chunk = chunkRows * rowBytes;
  rows = aligned(__heap_base + SLACK + sampleBytes);
  window = aligned(rows + chunkRows * sampleBytes + SLACK);
  output = aligned(window + WINDOW_BYTES + chunk + SLACK) + FRAME_BYTES;
  // Fixed codes (RFC 1951 section 3.2.6) need at most 31 bits for three bytes. Up to one chunk of earlier output can
  // still be present, and the current block can have started before these rows.
  const end = output + OUTPUT_CHUNK + chunk + (chunk >> 1) + TOKENS * 4 + 2 * FRAME_BYTES + SLACK;
  const missing = <i32>((end + 0xffff) >> 16) - memory.size();
  if (missing > 0 && memory.grow(missing) < 0) unreachable();
}

function aligned(address: usize): usize {
  return (address + 15) & ~15;
}
