// Finds repetitions in rows of pixels for DEFLATE. Steps by whole pixels, which finds more matches at a lower cost on
// rendered pages.
import { distanceSymbol, endBlock } from "./blocks";
import {
  distanceBits,
  HASH_BITS,
  lastPair,
  lastPixel,
  lengthBits,
  literalBits,
  MAX_MATCH_BYTES,
  pixelBytes,
  previousPair,
  rowBytes,
  TABLE_BYTES,
  TOKENS,
  tokens,
  WINDOW_BYTES,
  window,
} from "./layout";

/** Length of a run of equal pixels that is used without searching for a longer match. */
const LONG_RUN_PIXELS: usize = 24;
/** Length of a match above which fewer positions are compared. */
const GOOD_PIXELS: usize = 8;
/** Minimum number of gray samples with which a match always saves bits. In color, one pixel is sufficient. */
const SURE_SAMPLES: usize = 10;
/** 2^64 and 2^32 divided by the golden ratio. */
const SPREAD_64: u64 = 0x9e3779b97f4a7c15;
const SPREAD_32: u32 = 0x9e3779b1;

/** End of the block's tokens so far. */
let tokensEnd: usize = tokens;
/** Position of the window's first byte, modulo 2^16. */
let origin: usize = 0;
let foundDistance: usize = 0;

/** Resets all state: the next row is the first of the window and of a stream. */
export function startMatcher(): void {
  tokensEnd = tokens;
  origin = 0;
  memory.fill(lastPixel, 0, TABLE_BYTES);
  memory.fill(lastPair, 0, TABLE_BYTES);
  memory.fill(previousPair, 0, TABLE_BYTES);
}

/** Adjusts positions after the window has moved to lower addresses. */
export function slideMatcher(count: usize): void {
  origin += count;
}

export function endTokens(covered: usize, last: bool): void {
  endBlock(tokensEnd, covered, last);
  tokensEnd = tokens;
}

/** Ends the block if `count` more tokens, for the bytes from `covered`, do not fit. */
@inline
function reserve(count: usize, covered: usize): void {
  if (tokensEnd + (count << 2) > tokens + (TOKENS << 2)) endTokens(covered, false);
}

@inline
function addToken(token: u32): void {
  store<u32>(tokensEnd, token);
  tokensEnd += 4;
}

@inline
function addMatch(length: usize, distance: usize): void {
  addToken(<u32>((length << 16) | (distance - 1)));
}

/** Adds a row of zeros after its `lead` bytes, without a search. */
export function addBlankRow(row: usize, lead: usize): void {
  const end = row + rowBytes;
  reserve(lead + 1, row);
  for (let at = row; at < row + lead; at++) addToken(load<u8>(at));
  addToken(0);
  addRun(row + lead + 1, end, 1);
}

/** Adds the bytes from `from` to `to` as matches at `distance`. They are a whole number of pixels, or equal samples. */
function addRun(from: usize, to: usize, distance: usize): void {
  const longest = distance == 4 ? 256 : MAX_MATCH_BYTES;
  while (to - from >= 3) {
    reserve(1, from);
    const length = min(longest, to - from);
    addMatch(length, distance);
    from += length;
  }
  reserve(2, from);
  for (; from < to; from++) addToken(load<u8>(from));
}

/**
 * Adds a row as literals and matches; its first `lead` bytes are literals.
 * @param tries number of earlier positions to compare
 * @param looksAbove true to always compare the pixels above
 */
export function addRow(row: usize, lead: usize, tries: i32, looksAbove: bool): void {
  reserve(lead, row);
  for (let at = row; at < row + lead; at++) addToken(load<u8>(at));
  // A pixel with 16 bits per sample is processed as two pixels with 8 bits.
  if (pixelBytes % 3 == 0) addPixels(3, row, lead, tries, looksAbove);
  else if (pixelBytes < 3) addPixels(1, row, lead, tries, looksAbove);
  else addPixels(4, row, lead, tries, looksAbove);
}

@inline
function addPixels(pixel: usize, row: usize, lead: usize, tries: i32, looksAbove: bool): void {
  const first = row + lead;
  const end = row + rowBytes;
  const shortest = max<usize>(3, pixel);
  const longRun = LONG_RUN_PIXELS * pixel;
  let at = first;
  while (at < end) {
    const run = at > first ? runLength(pixel, at, end) : 0;
    if (run >= longRun || (run >= shortest && run == end - at)) {
      addRun(at, at + run, runDistance(pixel, at, lead));
      at += run;
      // Records the last pixels of the run, so that later searches find the pixels after it.
      if (at - pixel > first) remember(pixel, at - 2 * pixel, end);
      remember(pixel, at - pixel, end);
      continue;
    }
    reserve(4, at);
    let length = longestMatch(pixel, at, end, tries, looksAbove);
    let distance = foundDistance;
    if (run >= shortest && run >= length) {
      length = run;
      distance = runDistance(pixel, at, lead);
    }
    remember(pixel, at, end);
    if (length > 0 && (pixel > 1 || length >= SURE_SAMPLES || isWorthIt(at, length, distance))) {
      addMatch(length, distance);
      rememberAll(pixel, at + pixel, at + length, end);
      at += length;
    } else {
      for (let sample: usize = 0; sample < pixel; sample++) addToken(load<u8>(at + sample));
      at += pixel;
    }
  }
}

/** Reports whether the bytes would need more bits as literals. */
@inline
function isWorthIt(at: usize, length: usize, distance: usize): bool {
  const bits = <u32>load<u8>(lengthBits + length) + load<u8>(distanceBits + distanceSymbol(<u32>distance - 1));
  let literally: u32 = 0;
  for (let i: usize = 0; i < length; i++) literally += load<u8>(literalBits + load<u8>(at + i));
  return bits <= literally;
}

/**
 * Returns the distance of a run. It is one sample if all samples of the pixel are equal (as in rows of zeros), because
 * a match of 258 bytes has a shorter code than a match of 256; otherwise one pixel, so that runs of all colors share
 * one short code.
 */
@inline
function runDistance(pixel: usize, at: usize, lead: usize): usize {
  if (lead == 0 && pixel == 3) return pixel;
  const value = load<u8>(at);
  for (let sample: usize = 1; sample < pixel; sample++) if (load<u8>(at + sample) != value) return pixel;
  return 1;
}

/** Returns the number of bytes from `at` that repeat the previous pixel, always a whole number of pixels. */
@inline
function runLength(pixel: usize, at: usize, end: usize): usize {
  if (((load<u32>(at) ^ load<u32>(at - pixel)) & pixelMask(pixel)) != 0) return 0;
  return wholePixels(pixel, equalBytes(at - pixel, at, end - at));
}

@inline
function pixelMask(pixel: usize): u32 {
  return pixel == 1 ? 0xff : pixel == 3 ? 0xffffff : 0xffffffff;
}

@inline
function wholePixels(pixel: usize, bytes: usize): usize {
  return bytes - (bytes % pixel);
}

@inline
function equalBytes(one: usize, other: usize, longest: usize): usize {
  for (let length: usize = 0; length < longest; length += 16) {
    const equal = i8x16.bitmask(i8x16.eq(v128.load(one + length), v128.load(other + length)));
    if (equal != 0xffff) return min(longest, length + ctz(~equal));
  }
  return longest;
}

/**
 * Returns the length of the best match in bytes, always a whole number of pixels; 0 if there is no match. Sets
 * `foundDistance`.
 */
@inline
function longestMatch(pixel: usize, at: usize, end: usize, tries: i32, looksAbove: bool): usize {
  const shortest = max<usize>(3, pixel);
  const mask = pixelMask(pixel);
  const longest = min(MAX_MATCH_BYTES, end - at);
  const reach = min(WINDOW_BYTES, at - window);
  const place = origin + at - window;
  let best: usize = 0;
  let bestDistance: usize = 0;
  // The row above, where antialiased strokes repeat, is not always among the last positions of the hash chain.
  if (looksAbove && rowBytes <= reach) {
    const length = wholePixels(pixel, equalBytes(at - rowBytes, at, longest));
    if (length >= shortest) {
      best = length;
      bestDistance = rowBytes;
    }
  }
  if (at + keyBytes(pixel) <= end) {
    let candidate: usize = load<u16>(lastPair + (pairHash(pixel, load<u64>(at)) << 1));
    let before: usize = 0;
    for (let left = best > GOOD_PIXELS * pixel ? tries >> 2 : tries; left > 0; left--) {
      const distance = (place - candidate) & 0xffff;
      if (distance <= before || distance > reach) break;
      before = distance;
      const other = at - distance;
      if (((load<u32>(other + best) ^ load<u32>(at + best)) & mask) == 0) {
        const length = wholePixels(pixel, equalBytes(other, at, longest));
        if (length >= shortest && length > best) {
          best = length;
          bestDistance = distance;
          if (length + pixel > longest) break;
        }
      }
      candidate = load<u16>(previousPair + ((candidate & (WINDOW_BYTES - 1)) << 1));
    }
  }
  if (best < 2 * shortest && at + shortest <= end) {
    const candidate: usize = load<u16>(lastPixel + (pixelHash(pixel, load<u32>(at)) << 1));
    const distance = (place - candidate) & 0xffff;
    if (distance > 0 && distance <= reach) {
      const length = wholePixels(pixel, equalBytes(at - distance, at, longest));
      if (length >= shortest && (length > best || (length == best && distance < bestDistance))) {
        best = length;
        bestDistance = distance;
      }
    }
  }
  foundDistance = bestDistance;
  return best;
}

/** Number of bytes in the hash of a chain: two pixels, or six gray samples. */
@inline
function keyBytes(pixel: usize): usize {
  return pixel == 4 ? 8 : 6;
}

@inline
function remember(pixel: usize, at: usize, end: usize): void {
  rememberAll(pixel, at, at + pixel, end);
}

/** Records the positions of all pixels between `from` and `to`, in a row that ends at `end`. */
@inline
function rememberAll(pixel: usize, from: usize, to: usize, end: usize): void {
  let at = from;
  let place = origin + at - window;
  // The hashed bytes must be in the window already.
  const stop = min(to, end - keyBytes(pixel) + 1);
  for (; at < stop; at += pixel, place += pixel) {
    const key = load<u64>(at);
    store<u16>(lastPixel + (pixelHash(pixel, <u32>key) << 1), <u16>place);
    const entry = lastPair + (pairHash(pixel, key) << 1);
    store<u16>(previousPair + ((place & (WINDOW_BYTES - 1)) << 1), load<u16>(entry));
    store<u16>(entry, <u16>place);
  }
  for (; at < to && at + max<usize>(3, pixel) <= end; at += pixel, place += pixel) {
    store<u16>(lastPixel + (pixelHash(pixel, load<u32>(at)) << 1), <u16>place);
  }
}

/** Returns the hash of a pixel, or of three gray samples. */
@inline
function pixelHash(pixel: usize, bytes: u32): usize {
  return ((pixel == 4 ? bytes : bytes << 8) * SPREAD_32) >> (32 - HASH_BITS);
}

@inline
function pairHash(pixel: usize, bytes: u64): usize {
  return <usize>(((pixel == 4 ? bytes : bytes << 16) * SPREAD_64) >> (64 - HASH_BITS));
}
