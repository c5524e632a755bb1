// Finds repetitions in rows of pixels for DEFLATE. It steps by whole pixels: on rendered pages that finds more and costs less.
// It writes no bits and knows no picture format.
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

/** A run of equal pixels this long is taken without looking for something longer. */
const LONG_RUN_PIXELS: usize = 24;
/** With a match of more pixels in hand, fewer places are compared. */
const GOOD_PIXELS: usize = 8;
/** A match of so many samples of gray is always worth it, as any whole pixel of colour is. */
const SURE_SAMPLES: usize = 10;
/** 2^64 and 2^32 divided by the golden ratio. */
const SPREAD_64: u64 = 0x9e3779b97f4a7c15;
const SPREAD_32: u32 = 0x9e3779b1;

/** The tokens of the block so far end here. */
let tokensEnd: usize = tokens;
/** Place of the window's first byte, modulo 2^16. */
let origin: usize = 0;
let foundDistance: usize = 0;

/** Forgets everything: the next row is at the beginning of the window and of a stream. */
export function startMatcher(): void {
  tokensEnd = tokens;
  origin = 0;
  memory.fill(lastPixel, 0, TABLE_BYTES);
  memory.fill(lastPair, 0, TABLE_BYTES);
  memory.fill(previousPair, 0, TABLE_BYTES);
}

/** Tells that the window's content moved towards its beginning. */
export function slideMatcher(count: usize): void {
  origin += count;
}

export function endTokens(covered: usize, last: bool): void {
  endBlock(tokensEnd, covered, last);
  tokensEnd = tokens;
}

/** Room for that many tokens more; what they stand for begins at `covered`. */
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

/** A row of zeros after its `lead` bytes, without looking. */
export function addBlankRow(row: usize, lead: usize): void {
  const end = row + rowBytes;
  reserve(lead + 1, row);
  for (let at = row; at < row + lead; at++) addToken(load<u8>(at));
  addToken(0);
  addRun(row + lead + 1, end, 1);
}

/** Takes `from..to` as repetitions of what lies `distance` before it: a whole number of pixels, or samples that are all the same. */
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
 * The row as literals and matches, its first `lead` bytes literally.
 * @param tries how many earlier places are compared
 * @param looksAbove whether the pixels above are one of them, in any case
 */
export function addRow(row: usize, lead: usize, tries: i32, looksAbove: bool): void {
  reserve(lead, row);
  for (let at = row; at < row + lead; at++) addToken(load<u8>(at));
  // Pixels of 16 bits a sample are two steps each, or two steps of gray.
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
      // What begins after the run is found again by the pixels that lead to it.
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

/** Whether the bytes would take more bits literally. */
@inline
function isWorthIt(at: usize, length: usize, distance: usize): bool {
  const bits = <u32>load<u8>(lengthBits + length) + load<u8>(distanceBits + distanceSymbol(<u32>distance - 1));
  let literally: u32 = 0;
  for (let i: usize = 0; i < length; i++) literally += load<u8>(literalBits + load<u8>(at + i));
  return bits <= literally;
}

/**
 * Where a run repeats from. Samples that are all the same repeat from the last one, as they do in rows of zeros, and because
 * 258 bytes cost less than 256. Only where there is neither reason, one distance serves runs of all colours.
 */
@inline
function runDistance(pixel: usize, at: usize, lead: usize): usize {
  if (lead == 0 && pixel == 3) return pixel;
  const value = load<u8>(at);
  for (let sample: usize = 1; sample < pixel; sample++) if (load<u8>(at + sample) != value) return pixel;
  return 1;
}

/** Bytes from `at` on that repeat the pixel before it, in whole pixels. */
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

/** Length in whole pixels, 0 if there is none; its distance is in `foundDistance`. */
@inline
function longestMatch(pixel: usize, at: usize, end: usize, tries: i32, looksAbove: bool): usize {
  const shortest = max<usize>(3, pixel);
  const mask = pixelMask(pixel);
  const longest = min(MAX_MATCH_BYTES, end - at);
  const reach = min(WINDOW_BYTES, at - window);
  const place = origin + at - window;
  let best: usize = 0;
  let bestDistance: usize = 0;
  // The row above, where antialiased strokes repeat; it is not always among the last ones of its chain.
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

/** Bytes that the chains are keyed by: two pixels, or six samples of gray. */
@inline
function keyBytes(pixel: usize): usize {
  return pixel == 4 ? 8 : 6;
}

@inline
function remember(pixel: usize, at: usize, end: usize): void {
  rememberAll(pixel, at, at + pixel, end);
}

/** Every pixel of a part of a row that goes on to `end`. */
@inline
function rememberAll(pixel: usize, from: usize, to: usize, end: usize): void {
  let at = from;
  let place = origin + at - window;
  // What the hashes are made of must be known already.
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

/** Of a pixel, or of three samples of gray. */
@inline
function pixelHash(pixel: usize, bytes: u32): usize {
  return ((pixel == 4 ? bytes : bytes << 8) * SPREAD_32) >> (32 - HASH_BITS);
}

@inline
function pairHash(pixel: usize, bytes: u64): usize {
  return <usize>(((pixel == 4 ? bytes : bytes << 16) * SPREAD_64) >> (64 - HASH_BITS));
}
