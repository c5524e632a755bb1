// Compresses rows of pixels to zlib streams (RFC 1950): the interface, and the loop over rows. The caller adds the
// image format around them.
import { addBytes, addZeros, adler, resetAdler } from "./adler";
import { appendByte, forgetBlocks, makeTables, outputEnd, rewindOutput, slideBlock, startBlocks } from "./blocks";
import { BLANK, chooseFilter, isPhotographic } from "./choice";
import { filterRow, isSameRow, NONE, smoothestFilter, SUB, UP } from "./filters";
import { layOut, output, rowBytes, rowFilters, rows, sampleBytes, SLACK, WINDOW_BYTES, window } from "./layout";
import { addBlankRow, addRow, endTokens, slideMatcher, startMatcher } from "./matcher";

export { chunkRows, output, rows } from "./layout";

/**
 * Kinds of streams. 0: rows with a filter type, which this kernel chooses (PNG). 1: unchanged rows. 2: rows of
 * differences from the left pixel (TIFF's predictor 2).
 */
const FILTERED: i32 = 0;
const DIFFERENCES: i32 = 2;

/** Number of earlier positions that are compared per match search. */
const TRIES: i32 = 12;
const TRIES_IN_PHOTOGRAPHS: i32 = 2;

let lead: usize = 0;
let filter: u8 = NONE;
let isFiltered: bool = false;
/** Address of the next row in the window. */
let position: usize = 0;

makeTables();

/**
 * Starts an image whose rows have `samples` bytes. A pixel has 1, 3 or 4 bytes, or twice as many with 16 bits per
 * sample. The call can change the exported addresses and grow the memory.
 */
export function start(kind: i32, samples: usize, pixel: usize): void {
  isFiltered = kind == FILTERED;
  lead = isFiltered ? 1 : 0;
  filter = kind == DIFFERENCES ? SUB : NONE;
  layOut(samples, pixel, lead);
  rewindOutput();
  forgetBlocks();
  begin();
}

/** Starts a stream that is independent of the previous stream. */
export function begin(): void {
  position = window;
  // The row above the first row consists of zeros (PNG 3rd ed. clause 9.2).
  memory.fill(rows - sampleBytes - SLACK, 0, sampleBytes + SLACK);
  resetAdler();
  startMatcher();
  startBlocks();
  // DEFLATE with a 32 KiB window, compression level "fastest". As a 16-bit number, the two bytes are a multiple of 31
  // (RFC 1950 section 2.2).
  appendByte(0x78);
  appendByte(0x01);
}

/** Compresses the first `count` of the rows. */
export function encode(count: usize): void {
  let telling: usize = 0;
  for (let i: usize = 0; i < count; i++) {
    const row = rows + i * sampleBytes;
    // The filter Up turns a row that equals the row above into zeros, which have the shortest code.
    const isBlank = isFiltered && isSameRow(row, row - sampleBytes);
    store<u8>(rowFilters + i, isBlank ? BLANK : NONE);
    if (!isBlank) telling++;
  }
  if (isFiltered && telling > 0) filter = chooseFilter(count, telling, filter);
  const from = position;
  for (let i: usize = 0; i < count; i++) {
    if (load<u8>(rowFilters + i) != BLANK) store<u8>(rowFilters + i, filter);
    putRow(i);
  }
  const isPhoto = telling > 0 && isPhotographic(from, count, lead, filter == NONE);
  if (isPhoto && isFiltered && filter != NONE) {
    position = from;
    for (let i: usize = 0; i < count; i++) {
      if (load<u8>(rowFilters + i) != BLANK) store<u8>(rowFilters + i, smoothestFilter(rows + i * sampleBytes));
      putRow(i);
    }
  }
  const tries = isPhoto ? TRIES_IN_PHOTOGRAPHS : TRIES;
  // A filter has already removed vertical repetition.
  const looksAbove = !isPhoto || filter == NONE || !isFiltered;
  let row = from;
  for (let i: usize = 0; i < count; i++, row += rowBytes) {
    if (load<u8>(rowFilters + i) == BLANK) {
      addBytes(row, lead);
      addZeros(sampleBytes);
      addBlankRow(row, lead);
    } else {
      addBytes(row, rowBytes);
      addRow(row, lead, tries, looksAbove);
    }
  }
  memory.copy(rows - sampleBytes, rows + (count - 1) * sampleBytes, sampleBytes);
  slide();
}

/** Adds a filtered row to the window. */
function putRow(index: usize): void {
  const kind = load<u8>(rowFilters + index);
  if (lead == 1) store<u8>(position, kind == BLANK ? UP : kind);
  if (kind == BLANK) memory.fill(position + lead, 0, sampleBytes);
  else filterRow(kind, rows + index * sampleBytes, position + lead);
  position += rowBytes;
}

/** Moves the bytes to which later rows can refer to the start of the window. */
function slide(): void {
  if (position <= window + WINDOW_BYTES) return;
  const spare = position - WINDOW_BYTES - window;
  memory.copy(window, window + spare, WINDOW_BYTES);
  slideMatcher(spare);
  slideBlock(spare);
  position = window + WINDOW_BYTES;
}

/** Ends the stream. */
export function finish(): void {
  endTokens(position, true);
  const checksum = adler();
  for (let shift: u32 = 32; shift > 0; ) {
    shift -= 8;
    appendByte(checksum >> shift);
  }
}

/** Returns the number of output bytes that the caller has not taken yet. */
export function size(): usize {
  return outputEnd - output;
}

/** Returns the number of output bytes, and frees their space. The caller must read them before the next call. */
export function take(): usize {
  const count = size();
  rewindOutput();
  return count;
}
