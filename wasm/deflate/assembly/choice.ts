// Samples rows to choose their compression: which filter, and whether to search for matches.
import { NONE, PAETH, predicted, SUB, UP } from "./filters";
import { pixelBytes, rowBytes, rowFilters, rows, sampleBytes } from "./layout";

/** Marks a row that equals the row above, instead of a filter number. */
export const BLANK: u8 = 0xff;

/** Maximum number of pixels sampled per choice. */
const SAMPLED_PIXELS: usize = 1536;
/** Maximum number of rows sampled per choice. */
const SAMPLED_ROWS: usize = 6;
/** Minimum number of pixels for a choice. */
const TELLING_PIXELS: usize = 16;
/**
 * A filter is used only if it needs at most this fraction of the bits without a filter, because matches do not extend
 * across a change of filter.
 */
const WORTH: f32 = 0.86;
/** Bits of a match in addition to the bits that identify the earlier pixel. */
const MATCH_BITS: f32 = 4;

/** Filters to compare, in order. */
const candidates: usize = memory.data<u8>([NONE, SUB, UP, PAETH]);
const CANDIDATES: usize = 4;

/** For each filter: 16-bit counts of each byte and each pixel hash, and the hash of each pixel. */
const byteCounts: usize = memory.data(2048, 16);
const BYTE_COUNTS_BYTES: usize = 512;
const HASH_BITS: u32 = 13;
const pixelCounts: usize = memory.data(65536, 16);
const PIXEL_COUNTS_BYTES: usize = 16384;
const hashes: usize = memory.data(12288, 16);
const HASHES_BYTES: usize = 3072;

/**
 * Returns the filter with the best compression. Samples only pixels that differ from their neighbors, because flat
 * areas compress well with any filter.
 * @param telling number of rows that are not BLANK
 * @param before the result if there are too few samples
 */
export function chooseFilter(count: usize, telling: usize, before: u8): u8 {
  memory.fill(byteCounts, 0, CANDIDATES * BYTE_COUNTS_BYTES);
  memory.fill(pixelCounts, 0, CANDIDATES * PIXEL_COUNTS_BYTES);
  const step = (telling + SAMPLED_ROWS - 1) / SAMPLED_ROWS;
  let counted: usize = 0;
  let index: usize = 0;
  for (let row: usize = 0; row < count; row++) {
    if (load<u8>(rowFilters + row) == BLANK || index++ % step != step >> 1) continue;
    counted = sampleRow(rows + row * sampleBytes, counted, counted + SAMPLED_PIXELS / SAMPLED_ROWS);
  }
  if (counted < TELLING_PIXELS) return before;
  const plain = estimatedBits(0, counted);
  let best: f32 = f32.MAX_VALUE;
  let filter = NONE;
  for (let candidate: usize = 1; candidate < CANDIDATES; candidate++) {
    const bits = estimatedBits(candidate, counted);
    if (bits >= best) continue;
    best = bits;
    filter = load<u8>(candidates + candidate);
  }
  return best > WORTH * plain ? NONE : filter;
}

function sampleRow(row: usize, counted: usize, enough: usize): usize {
  const pixel = pixelBytes;
  const mask: u32 = pixel == 1 ? 0xff : pixel == 3 ? 0xffffff : 0xffffffff;
  const end = row + sampleBytes;
  let at = row + pixel;
  while (at < end && counted < enough) {
    const above = at - sampleBytes;
    const value = v128.load(at);
    const copies = v128.or(i8x16.eq(value, v128.load(at - pixel)), i8x16.eq(value, v128.load(above)));
    if (i8x16.all_true(copies)) {
      at += pixel == 3 ? 15 : 16;
      continue;
    }
    const own = load<u32>(at) & mask;
    if (own == (load<u32>(at - pixel) & mask) || own == (load<u32>(above) & mask)) {
      at += pixel;
      continue;
    }
    for (let candidate: usize = 0; candidate < CANDIDATES; candidate++) {
      const filter = load<u8>(candidates + candidate);
      let key: u32 = 0;
      for (let i: usize = 0; i < pixel; i++) {
        const top = above + i;
        const guess = predicted(filter, load<u8>(at + i - pixel), load<u8>(top), load<u8>(top - pixel));
        const difference = <u8>(load<u8>(at + i) - guess);
        const entry = byteCounts + candidate * BYTE_COUNTS_BYTES + (<usize>difference << 1);
        store<u16>(entry, load<u16>(entry) + 1);
        key = (key << 8) | difference;
      }
      const hash = (key * 0x9e3779b1) >> (32 - HASH_BITS);
      const entry = pixelCounts + candidate * PIXEL_COUNTS_BYTES + (<usize>hash << 1);
      store<u16>(entry, load<u16>(entry) + 1);
      store<u16>(hashes + candidate * HASHES_BYTES + (counted << 1), <u16>hash);
    }
    counted++;
    at += pixel;
  }
  return counted;
}

/** Estimates the bits of pixels: as matches if the same pixel occurred before, otherwise as literals. */
function estimatedBits(candidate: usize, counted: usize): f32 {
  const samples = <f32>(counted * pixelBytes);
  let entropy: f32 = 0;
  const bytes = byteCounts + candidate * BYTE_COUNTS_BYTES;
  const logOfSamples = log2(samples);
  for (let value: usize = 0; value < 256; value++) {
    const count = <f32>load<u16>(bytes + (value << 1));
    if (count > 0) entropy += count * (logOfSamples - log2(count));
  }
  const literalBits = entropy / <f32>counted;
  const logOfPixels = log2(<f32>counted) + MATCH_BITS;
  let bits: f32 = 0;
  for (let i: usize = 0; i < counted; i++) {
    const hash: usize = load<u16>(hashes + candidate * HASHES_BYTES + (i << 1));
    const count = load<u16>(pixelCounts + candidate * PIXEL_COUNTS_BYTES + (hash << 1));
    bits += count > 1 ? min(literalBits, logOfPixels - log2(<f32>count)) : literalBits;
  }
  return bits;
}

/** Returns an approximation of log2, accurate to about 1/100. */
@inline
function log2(value: f32): f32 {
  const bits = reinterpret<u32>(value);
  const exponent = <i32>(bits >> 23) - 128;
  const mantissa = reinterpret<f32>((bits & 0x7fffff) | 0x3f800000);
  return <f32>exponent + (<f32>-0.33582878 * mantissa + <f32>2) * mantissa - <f32>0.65871759;
}

/** In a photograph, more than this fraction of the pixels differ from their left neighbor. */
const BUSY_SHARE: f32 = 0.5;
/** In a photograph, more than this fraction of the examined pixels are new, so that matches are unlikely. */
const FRESH_SHARE: f32 = 0.3;
const SEEN_BITS: u32 = 14;
const seen: usize = memory.data(16384, 16);

/**
 * Reports whether rows, each with `lead` bytes before its pixels, are from a photograph, so that matches are short or
 * rare. Filtered pixels of a photograph hardly repeat, so each one that differs from the previous pixel counts as new.
 * Unfiltered pixels (`areSamples`) are looked up, because pixels of antialiased text repeat.
 */
export function isPhotographic(from: usize, count: usize, lead: usize, areSamples: bool): bool {
  memory.fill(seen, 0, 1 << SEEN_BITS);
  const pixel = pixelBytes;
  let pixels: usize = 0;
  let different: u32 = 0;
  let fresh: u32 = 0;
  // Every eighth row and every other pixel are sufficient.
  for (let row = (count >> 1) & 7; row < count; row += 8) {
    if (load<u8>(rowFilters + row) == BLANK) {
      pixels += sampleBytes / (2 * pixel);
      continue;
    }
    const start = from + row * rowBytes + lead;
    const end = start + sampleBytes - 2;
    let before: u32 = 0;
    for (let at = start; at < end; at += 2 * pixel) {
      pixels++;
      const key = load<u32>(at) & 0xffffff;
      if (key == before) continue;
      before = key;
      different++;
      if (areSamples) {
        const entry = seen + ((key * 0x9e3779b1) >> (32 - SEEN_BITS));
        fresh += 1 - load<u8>(entry);
        store<u8>(entry, 1);
      } else {
        fresh++;
      }
    }
  }
  return <f32>different > BUSY_SHARE * <f32>pixels && <f32>fresh > FRESH_SHARE * <f32>pixels;
}
