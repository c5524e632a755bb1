// Writes tokens as DEFLATE blocks (RFC 1951 section 3.2), each with the shortest block type. matcher.ts searches for
// matches.
import { canonicalCodes, codeLengths } from "./huffman";
import {
  distanceBits,
  distanceCodes,
  distanceFrequencies,
  distanceLengths,
  DISTANCE_SYMBOLS,
  END_OF_BLOCK,
  lengthBases,
  lengthBits,
  lengthExtraBits,
  lengthSymbols,
  LITERAL_SYMBOLS,
  literalBits,
  literalCodes,
  literalFrequencies,
  literalLengths,
  MAX_MATCH_BYTES,
  output,
  tableCodes,
  tableFrequencies,
  tableLengths,
  TABLE_SYMBOLS,
  tokens,
  window,
} from "./layout";

const STORED: u64 = 0;
const FIXED: u64 = 1;
const DYNAMIC: u64 = 2;
/** Maximum size of a stored block, whose length field has 16 bits (RFC 1951 section 3.2.4). */
const MAX_STORED_BYTES: usize = 65535;
const LITERAL_LIMIT: u32 = 15;
const TABLE_LIMIT: u32 = 7;
/** Assumed bits of a symbol that did not occur in the previous block. */
const RARE_BITS: u8 = 11;

/** Order in which the lengths of the code length code are written (RFC 1951 section 3.2.7). */
const lengthOrder: usize = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);
/** Code lengths of both alphabets as symbols of the code length code: `symbol | extra << 8`. */
const runs: usize = memory.data(640, 16);

/** Address of the next output byte. Bits of an incomplete byte are not written yet. */
export let outputEnd: usize = 0;
let held: u64 = 0;
let heldBits: u64 = 0;
/** Address of the first byte of the current block. */
let blockStart: usize = 0;

/** Fills the constant tables. Called once per instance. */
export function makeTables(): void {
  // RFC 1951 section 3.2.5: codes 257 to 264 have no extra bits. In every later group of four codes, all have the same
  // number of extra bits.
  let length: usize = 3;
  for (let symbol: usize = 1; symbol < 29; symbol++) {
    const extraBits: usize = symbol < 9 ? 0 : (symbol - 5) >> 2;
    store<u16>(lengthBases + (symbol << 1), <u16>length);
    for (let extra: usize = 0; extra < <usize>1 << extraBits; extra++, length++) {
      store<u8>(lengthSymbols + length, <u8>symbol);
      store<u8>(lengthExtraBits + length, <u8>extraBits);
    }
  }
  store<u16>(lengthBases + (29 << 1), <u16>MAX_MATCH_BYTES);
  store<u8>(lengthSymbols + MAX_MATCH_BYTES, 29);
  store<u8>(lengthExtraBits + MAX_MATCH_BYTES, 0);
}

/** Starts a stream whose bytes start at the window. Keeps earlier output, and the estimated bits of symbols. */
export function startBlocks(): void {
  blockStart = window;
  // An aborted stream can leave pending bits.
  held = 0;
  heldBits = 0;
}

/** Resets the estimated bits to values that suit most pages. */
export function forgetBlocks(): void {
  memory.fill(literalBits, 7, 256);
  for (let length: usize = 3; length <= MAX_MATCH_BYTES; length++) {
    store<u8>(lengthBits + length, load<u8>(lengthExtraBits + length) + 6);
  }
  for (let symbol: usize = 0; symbol < DISTANCE_SYMBOLS; symbol++) {
    store<u8>(distanceBits + symbol, distanceExtraBits(symbol) + 5);
  }
}

/** Discards the output. Keeps the bits of an incomplete byte. */
export function rewindOutput(): void {
  outputEnd = output;
}

/** Adjusts addresses after the window has moved to lower addresses. */
export function slideBlock(count: usize): void {
  blockStart = blockStart > count ? blockStart - count : 0;
}

/** Returns the symbol of a distance minus one (RFC 1951 section 3.2.5). */
@inline
export function distanceSymbol(below: u32): u32 {
  if (below < 4) return below;
  const top = 31 - clz(below);
  return 2 * top + ((below >> (top - 1)) & 1);
}

@inline
function distanceExtraBits(symbol: usize): u8 {
  return symbol < 4 ? 0 : <u8>((symbol >> 1) - 1);
}

export function appendByte(value: u32): void {
  store<u8>(outputEnd++, <u8>value);
}

/** Writes the tokens up to `end` as a block. They represent the bytes up to `covered`. */
export function endBlock(end: usize, covered: usize, last: bool): void {
  if (end == tokens && !last) return;
  countTokens(end);
  codeLengths(literalFrequencies, LITERAL_SYMBOLS, LITERAL_LIMIT, literalLengths);
  codeLengths(distanceFrequencies, DISTANCE_SYMBOLS, LITERAL_LIMIT, distanceLengths);
  const literals = max<usize>(257, lastUsed(literalLengths, LITERAL_SYMBOLS));
  // A block without matches still declares one distance code, of length 0.
  const distances = max<usize>(1, lastUsed(distanceLengths, DISTANCE_SYMBOLS));
  const runsEnd = findRuns(literals, distances);
  codeLengths(tableFrequencies, TABLE_SYMBOLS, TABLE_LIMIT, tableLengths);
  let declared: usize = TABLE_SYMBOLS;
  while (declared > 4 && load<u8>(tableLengths + load<u8>(lengthOrder + declared - 1)) == 0) declared--;

  const extraBits = allExtraBits();
  const dynamicBits = tableBits(declared) + codedBits() + extraBits;
  const fixedBits = fixedCodeBits() + extraBits;
  const bytes = covered - blockStart;
  // A stored block needs all its bytes in the window. A block of more bytes has many matches, so its codes are short.
  const isThere = blockStart >= window;
  const storedBits: u64 = isThere ? (<u64>bytes << 3) + (bytes / MAX_STORED_BYTES + 1) * 42 : u64.MAX_VALUE;
  expect();
  if (storedBits < min(dynamicBits, fixedBits)) {
    writeStored(blockStart, covered, last);
  } else {
    if (fixedBits <= dynamicBits) {
      put((last ? 1 : 0) | (FIXED << 1), 3);
      makeFixedCodes();
    } else {
      put((last ? 1 : 0) | (DYNAMIC << 1), 3);
      writeCodeTable(literals, distances, declared, runsEnd);
    }
    canonicalCodes(literalLengths, LITERAL_SYMBOLS, literalCodes);
    canonicalCodes(distanceLengths, DISTANCE_SYMBOLS, distanceCodes);
    writeTokens(end);
    put(load<u16>(literalCodes + (END_OF_BLOCK << 1)), load<u8>(literalLengths + END_OF_BLOCK));
  }
  if (last) flushBits();
  blockStart = covered;
}

function countTokens(end: usize): void {
  memory.fill(literalFrequencies, 0, LITERAL_SYMBOLS << 2);
  memory.fill(distanceFrequencies, 0, DISTANCE_SYMBOLS << 2);
  store<u32>(literalFrequencies + (END_OF_BLOCK << 2), 1);
  for (let at = tokens; at < end; at += 4) {
    const token = load<u32>(at);
    const length = token >> 16;
    if (length == 0) {
      const entry = literalFrequencies + (token << 2);
      store<u32>(entry, load<u32>(entry) + 1);
      continue;
    }
    const entry = literalFrequencies + (END_OF_BLOCK << 2) + (<usize>load<u8>(lengthSymbols + length) << 2);
    store<u32>(entry, load<u32>(entry) + 1);
    const distance = distanceFrequencies + (distanceSymbol(token & 0xffff) << 2);
    store<u32>(distance, load<u32>(distance) + 1);
  }
}

function lastUsed(lengths: usize, symbols: usize): usize {
  while (symbols > 0 && load<u8>(lengths + symbols - 1) == 0) symbols--;
  return symbols;
}

/** Run-length encodes the code lengths: 16 repeats the last length, 17 and 18 repeat zero. */
function findRuns(literals: usize, distances: usize): usize {
  memory.fill(tableFrequencies, 0, TABLE_SYMBOLS << 2);
  let to = runs;
  const all = literals + distances;
  for (let i: usize = 0; i < all; ) {
    const length = declaredLength(i, literals);
    let end = i + 1;
    while (end < all && declaredLength(end, literals) == length) end++;
    let left = <u32>(end - i);
    i = end;
    if (length == 0) {
      for (; left >= 11; left -= min<u32>(left, 138)) to = addRun(to, 18, min<u32>(left, 138) - 11);
      if (left >= 3) {
        to = addRun(to, 17, left - 3);
        left = 0;
      }
    } else {
      to = addRun(to, length, 0);
      for (left--; left >= 3; left -= min<u32>(left, 6)) to = addRun(to, 16, min<u32>(left, 6) - 3);
    }
    for (; left > 0; left--) to = addRun(to, length, 0);
  }
  return to;
}

@inline
function declaredLength(index: usize, literals: usize): u32 {
  return index < literals ? load<u8>(literalLengths + index) : load<u8>(distanceLengths + index - literals);
}

function addRun(to: usize, symbol: u32, extra: u32): usize {
  const entry = tableFrequencies + (symbol << 2);
  store<u32>(entry, load<u32>(entry) + 1);
  store<u16>(to, <u16>(symbol | (extra << 8)));
  return to + 2;
}

@inline
function tableExtraBits(symbol: u32): u32 {
  return symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
}

function tableBits(declared: usize): u64 {
  let bits: u64 = 14 + 3 * declared;
  for (let symbol: u32 = 0; symbol < <u32>TABLE_SYMBOLS; symbol++) {
    const each = load<u8>(tableLengths + symbol) + tableExtraBits(symbol);
    bits += <u64>load<u32>(tableFrequencies + (symbol << 2)) * each;
  }
  return bits;
}

/** Returns the number of bits of all tokens, without extra bits. */
function codedBits(): u64 {
  let bits: u64 = 0;
  for (let symbol: usize = 0; symbol < LITERAL_SYMBOLS; symbol++) {
    bits += <u64>load<u32>(literalFrequencies + (symbol << 2)) * load<u8>(literalLengths + symbol);
  }
  for (let symbol: usize = 0; symbol < DISTANCE_SYMBOLS; symbol++) {
    bits += <u64>load<u32>(distanceFrequencies + (symbol << 2)) * load<u8>(distanceLengths + symbol);
  }
  return bits;
}

function allExtraBits(): u64 {
  let bits: u64 = 0;
  for (let symbol: usize = 1; symbol < 30; symbol++) {
    const extraBits = load<u8>(lengthExtraBits + load<u16>(lengthBases + (symbol << 1)));
    bits += <u64>load<u32>(literalFrequencies + (END_OF_BLOCK << 2) + (symbol << 2)) * extraBits;
  }
  for (let symbol: usize = 4; symbol < DISTANCE_SYMBOLS; symbol++) {
    bits += <u64>load<u32>(distanceFrequencies + (symbol << 2)) * distanceExtraBits(symbol);
  }
  return bits;
}

/** Returns the length of the fixed code of a literal or length symbol (RFC 1951 section 3.2.6). */
@inline
function fixedLength(symbol: usize): u8 {
  return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
}

function fixedCodeBits(): u64 {
  let bits: u64 = 0;
  for (let symbol: usize = 0; symbol < LITERAL_SYMBOLS; symbol++) {
    bits += <u64>load<u32>(literalFrequencies + (symbol << 2)) * fixedLength(symbol);
  }
  for (let symbol: usize = 0; symbol < DISTANCE_SYMBOLS; symbol++) {
    bits += <u64>load<u32>(distanceFrequencies + (symbol << 2)) * 5;
  }
  return bits;
}

function makeFixedCodes(): void {
  for (let symbol: usize = 0; symbol < LITERAL_SYMBOLS; symbol++) {
    store<u8>(literalLengths + symbol, fixedLength(symbol));
  }
  memory.fill(distanceLengths, 5, DISTANCE_SYMBOLS);
}

/** Updates the estimated bits of symbols for the next block. */
function expect(): void {
  for (let value: usize = 0; value < 256; value++) {
    const bits = load<u8>(literalLengths + value);
    store<u8>(literalBits + value, bits > 0 ? bits : RARE_BITS);
  }
  for (let length: usize = 3; length <= MAX_MATCH_BYTES; length++) {
    const bits = load<u8>(literalLengths + END_OF_BLOCK + load<u8>(lengthSymbols + length));
    store<u8>(lengthBits + length, (bits > 0 ? bits : RARE_BITS) + load<u8>(lengthExtraBits + length));
  }
  for (let symbol: usize = 0; symbol < DISTANCE_SYMBOLS; symbol++) {
    const bits = load<u8>(distanceLengths + symbol);
    store<u8>(distanceBits + symbol, (bits > 0 ? bits : RARE_BITS) + distanceExtraBits(symbol));
  }
}

/** Writes at most 48 bits. */
@inline
function put(value: u64, bits: u64): void {
  held |= value << heldBits;
  heldBits += bits;
  store<u64>(outputEnd, held);
  outputEnd += <usize>(heldBits >> 3);
  held >>= heldBits & ~7;
  heldBits &= 7;
}

function flushBits(): void {
  if (heldBits > 0) store<u8>(outputEnd++, <u8>held);
  held = 0;
  heldBits = 0;
}

function writeStored(from: usize, to: usize, last: bool): void {
  do {
    const count = min(to - from, MAX_STORED_BYTES);
    put((last && from + count == to ? 1 : 0) | (STORED << 1), 3);
    flushBits();
    store<u32>(outputEnd, <u32>(count | (~count << 16)));
    memory.copy(outputEnd + 4, from, count);
    outputEnd += 4 + count;
    from += count;
  } while (from < to);
}

/** Writes the code lengths of a dynamic block (RFC 1951 section 3.2.7). */
function writeCodeTable(literals: usize, distances: usize, declared: usize, runsEnd: usize): void {
  canonicalCodes(tableLengths, TABLE_SYMBOLS, tableCodes);
  put((literals - 257) | ((distances - 1) << 5) | ((declared - 4) << 10), 14);
  for (let i: usize = 0; i < declared; i++) put(load<u8>(tableLengths + load<u8>(lengthOrder + i)), 3);
  for (let at = runs; at < runsEnd; at += 2) {
    const symbol: u32 = load<u8>(at);
    const bits: u64 = load<u8>(tableLengths + symbol);
    put(load<u16>(tableCodes + (symbol << 1)) | (<u64>load<u8>(at + 1) << bits), bits + tableExtraBits(symbol));
  }
}

/** By match length: the code with its extra bits, as `bits << 8 | number of bits`. */
const wholeLengths: usize = memory.data(1040, 16);
/** By literal: the code, as `bits << 8 | number of bits`. */
const wholeLiterals: usize = memory.data(1024, 16);

function writeTokens(end: usize): void {
  for (let length: usize = 3; length <= MAX_MATCH_BYTES; length++) {
    const symbol: usize = load<u8>(lengthSymbols + length);
    const bits: u32 = load<u8>(literalLengths + END_OF_BLOCK + symbol);
    const extra = <u32>length - load<u16>(lengthBases + (symbol << 1));
    const code = load<u16>(literalCodes + ((END_OF_BLOCK + symbol) << 1)) | (extra << bits);
    store<u32>(wholeLengths + (length << 2), (code << 8) | (bits + load<u8>(lengthExtraBits + length)));
  }
  for (let value: usize = 0; value < 256; value++) {
    const code: u32 = load<u16>(literalCodes + (value << 1));
    store<u32>(wholeLiterals + (value << 2), (code << 8) | load<u8>(literalLengths + value));
  }
  let to = outputEnd;
  let bits = held;
  let count = heldBits;
  for (let at = tokens; at < end; at += 4) {
    const token = load<u32>(at);
    const length = token >> 16;
    if (length == 0) {
      const whole = load<u32>(wholeLiterals + (token << 2));
      bits |= <u64>(whole >> 8) << count;
      count += whole & 0xff;
      // Fewer than 16 bits and a match of at most 48 bits always fit 64 bits.
      if (count < 16) continue;
    } else {
      const whole = load<u32>(wholeLengths + (length << 2));
      bits |= <u64>(whole >> 8) << count;
      count += whole & 0xff;
      const below = token & 0xffff;
      const symbol = distanceSymbol(below);
      const extraBits: u64 = distanceExtraBits(symbol);
      bits |= <u64>load<u16>(distanceCodes + (symbol << 1)) << count;
      count += load<u8>(distanceLengths + symbol);
      bits |= (<u64>below & ((<u64>1 << extraBits) - 1)) << count;
      count += extraBits;
    }
    store<u64>(to, bits);
    to += <usize>(count >> 3);
    bits >>= count & ~7;
    count &= 7;
  }
  store<u64>(to, bits);
  to += <usize>(count >> 3);
  bits >>= count & ~7;
  count &= 7;
  outputEnd = to;
  held = bits;
  heldBits = count;
}
