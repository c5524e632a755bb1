// Decompresses zlib streams (RFC 1950, RFC 1951) in chunks of any size. Returns all data before a defect.
import { addBytes, adler, resetAdler } from "../../deflate/assembly/adler";
import { lookUp, makeTable, MAX_BITS } from "./codes";
import { CHECKSUM_DIFFERS, DAMAGED, ENDED, NEEDS_INPUT, OUTPUT_IS_FULL } from "./outcomes";
import {
  DISTANCE_BASES,
  DISTANCE_SYMBOLS,
  END_OF_BLOCK,
  LENGTH_BASES,
  LENGTH_EXTRA,
  LENGTH_ORDER,
  LENGTH_SYMBOLS,
} from "./symbols";

const INPUT_BYTES: usize = 65536;
/** Limits of RFC 1951: maximum distance and length of a match. */
const WINDOW_BYTES: usize = 32768;
const MAX_MATCH_BYTES: usize = 258;
const OUTPUT_BYTES: usize = 262144;
/** Minimum output space; if there is less, the window is moved to the front. */
const LOW_ROOM_BYTES: usize = 65536;

const input: usize = memory.data(65536 + 16, 16);
const buffer: usize = memory.data(32768 + 262144 + 16, 16);
const bufferEnd: usize = buffer + WINDOW_BYTES + OUTPUT_BYTES;

const literals: usize = memory.data(8192, 16);
const distances: usize = memory.data(8192, 16);
const lengths: usize = memory.data(320 + 16, 16);
const HEADER: i32 = 0;
const BLOCK: i32 = 1;
const STORED: i32 = 2;
const SYMBOLS: i32 = 3;
const TRAILER: i32 = 4;
const OVER: i32 = 5;

let state: i32 = HEADER;
let outcome: i32 = ENDED;
let isLast: bool = false;
let storedLeft: usize = 0;
let inputAt: usize = input;
let inputEnd: usize = input;
let hold: u64 = 0;
let bits: i32 = 0;
let outputAt: usize = buffer;
/** Address of the oldest byte that a match can refer to. */
let oldest: usize = buffer;
/** Start of the output of the last {@link run}. */
let given: usize = buffer;

export function start(): void {
  state = HEADER;
  isLast = false;
  inputAt = input;
  inputEnd = input;
  hold = 0;
  bits = 0;
  outputAt = buffer;
  oldest = buffer;
  given = buffer;
  resetAdler();
}

/** Returns the address for more input, with {@link inputCapacity} bytes. */
export function inputAddress(): usize {
  const left = inputEnd - inputAt;
  memory.copy(input, inputAt, left);
  inputAt = input;
  inputEnd = input + left;
  return inputEnd;
}

export function inputCapacity(): usize {
  return INPUT_BYTES - (inputEnd - input);
}

export function appendInput(count: usize): void {
  inputEnd += count;
}

/** Returns the address of the output of the last run. {@link size} returns its size. */
export function output(): usize {
  return given;
}

export function size(): usize {
  return outputAt - given;
}

/** Decompresses until input is needed, the output is full, the stream ends or is invalid. */
export function run(): i32 {
  if (bufferEnd - outputAt < LOW_ROOM_BYTES) {
    const shift = outputAt - WINDOW_BYTES - buffer;
    memory.copy(buffer, buffer + shift, WINDOW_BYTES);
    outputAt -= shift;
    oldest = oldest > buffer + shift ? oldest - shift : buffer;
  }
  given = outputAt;
  const reason = work();
  addBytes(given, outputAt - given);
  return reason == ENDED ? checkTrailer() : reason;
}

/** @returns ENDED if only the trailer follows */
function work(): i32 {
  let reason: i32 = -1;
  while (reason < 0) {
    if (state == SYMBOLS) reason = inflateSymbols();
    else if (state == STORED) reason = copyStored();
    else if (state == BLOCK) reason = readBlockHeader();
    else if (state == HEADER) reason = readStreamHeader();
    else reason = ENDED;
  }
  return reason;
}

/** Reads the header (RFC 1950 section 2.2): method 8, a window of at most 32 KiB, no dictionary, a multiple of 31. */
function readStreamHeader(): i32 {
  refill();
  if (bits < 16) return NEEDS_INPUT;
  const header = <u32>hold & 0xffff;
  if ((header & 0xf) != 8 || (header & 0xf0) > 0x70 || (header & 0x2000) != 0) return damaged();
  if ((((header & 0xff) << 8) | (header >> 8)) % 31 != 0) return damaged();
  skip(16);
  state = BLOCK;
  return -1;
}

function damaged(): i32 {
  state = OVER;
  outcome = DAMAGED;
  return DAMAGED;
}

/** Checks the trailer, which starts at a whole byte (RFC 1950 section 2.2). */
function checkTrailer(): i32 {
  if (state == OVER) return outcome;
  skip(bits & 7);
  refill();
  if (bits < 32) return NEEDS_INPUT;
  outcome = bswap<u32>(<u32>hold) == adler() ? ENDED : CHECKSUM_DIFFERS;
  state = OVER;
  return outcome;
}

@inline
function refill(): void {
  if (inputAt + 8 <= inputEnd) {
    hold |= load<u64>(inputAt) << bits;
    inputAt += (63 - bits) >> 3;
    bits |= 56;
  } else {
    refillSlowly();
  }
}

function refillSlowly(): void {
  // Clears the bits above the valid ones: their bytes will be read again.
  hold &= (<u64>1 << bits) - 1;
  while (bits <= 55 && inputAt < inputEnd) {
    hold |= <u64>load<u8>(inputAt++) << bits;
    bits += 8;
  }
}

@inline
function skip(count: i32): void {
  hold >>= count;
  bits -= count;
}

/** Starts a block (RFC 1951 section 3.2.3), if its header is complete. */
function readBlockHeader(): i32 {
  if (isLast) {
    state = TRAILER;
    return ENDED;
  }
  refill();
  const from = inputAt;
  const held = hold;
  const heldBits = bits;
  const next = readHeader();
  if (next == NEEDS_INPUT) {
    inputAt = from;
    hold = held;
    bits = heldBits;
    return NEEDS_INPUT;
  }
  if (next < 0) return damaged();
  state = next;
  return -1;
}

/** @returns the next state, NEEDS_INPUT, or -1 for an invalid header */
function readHeader(): i32 {
  if (bits < 3) return NEEDS_INPUT;
  const last = (hold & 1) != 0;
  const kind = <u32>(hold >> 1) & 3;
  skip(3);
  if (kind == 3) return -1;
  if (kind == 0) {
    skip(bits & 7);
    refill();
    if (bits < 32) return NEEDS_INPUT;
    const length = <u32>hold & 0xffff;
    if (length != ((~(<u32>(hold >> 16))) & 0xffff)) return -1;
    skip(32);
    storedLeft = length;
    isLast = last;
    return STORED;
  }
  if (kind == 1) {
    makeFixedTables();
  } else {
    const result = readTables();
    if (result != 1) return result;
  }
  isLast = last;
  return SYMBOLS;
}

/** Builds the tables of fixed codes (RFC 1951 section 3.2.6). */
function makeFixedTables(): void {
  memory.fill(lengths, 8, 144);
  memory.fill(lengths + 144, 9, 112);
  memory.fill(lengths + 256, 7, 24);
  memory.fill(lengths + 280, 8, 8);
  makeTable(literals, lengths, 288);
  memory.fill(lengths, 5, 30);
  makeTable(distances, lengths, 30);
}

/** Reads the tables of dynamic codes (RFC 1951 section 3.2.7). @returns 1, NEEDS_INPUT, or -1 if they are invalid */
function readTables(): i32 {
  if (bits < 14) return NEEDS_INPUT;
  const literalCount = (<usize>hold & 31) + 257;
  const distanceCount = (<usize>(hold >> 5) & 31) + 1;
  const lengthCount = (<usize>(hold >> 10) & 15) + 4;
  skip(14);
  if (literalCount > 286 || distanceCount > 30) return -1;
  memory.fill(lengths, 0, 19);
  for (let i: usize = 0; i < lengthCount; i++) {
    refill();
    if (bits < 3) return NEEDS_INPUT;
    store<u8>(lengths + load<u8>(LENGTH_ORDER + i), <u8>hold & 7);
    skip(3);
  }
  if (makeTable(distances, lengths, 19) != 0) return -1;
  const count = literalCount + distanceCount;
  let before: u8 = 0;
  for (let at: usize = 0; at < count; ) {
    refill();
    const entry = lookUp(distances, hold);
    const used = <i32>(entry & 15);
    const symbol = entry >> 4;
    // A code has at most seven bits, followed by at most seven extra bits.
    if (entry == 0) return bits < 7 ? NEEDS_INPUT : -1;
    const extra: i32 = symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
    if (bits < used + extra) return NEEDS_INPUT;
    skip(used);
    if (symbol < 16) {
      before = <u8>symbol;
      store<u8>(lengths + at++, before);
      continue;
    }
    if (symbol == 16 && at == 0) return -1;
    const least: usize = symbol == 18 ? 11 : 3;
    const times = least + (<usize>hold & ((1 << extra) - 1));
    skip(extra);
    if (at + times > count) return -1;
    if (symbol != 16) before = 0;
    memory.fill(lengths + at, before, times);
    at += times;
  }
  // Without the end-of-block code, the block could not end.
  if (load<u8>(lengths + END_OF_BLOCK) == 0) return -1;
  // As in zlib, an incomplete code is valid only if it has a single symbol.
  const distancesLeft = makeTable(distances, lengths + literalCount, distanceCount);
  if (distancesLeft < 0 || (distancesLeft > 0 && countOf(lengths + literalCount, distanceCount) > 1)) return -1;
  const literalsLeft = makeTable(literals, lengths, literalCount);
  return literalsLeft < 0 || (literalsLeft > 0 && countOf(lengths, literalCount) > 1) ? -1 : 1;
}

/** Returns the number of codes. */
function countOf(from: usize, count: usize): i32 {
  let codes = 0;
  for (let i: usize = 0; i < count; i++) if (load<u8>(from + i) != 0) codes++;
  return codes;
}

/** Copies a stored block (RFC 1951 section 3.2.4). */
function copyStored(): i32 {
  // Whole bytes in the bit buffer come first.
  while (storedLeft > 0 && bits >= 8 && outputAt < bufferEnd) {
    store<u8>(outputAt++, <u8>hold);
    skip(8);
    storedLeft--;
  }
  if (storedLeft > 0 && bits < 8) {
    hold = 0;
    const count = min(storedLeft, min(inputEnd - inputAt, bufferEnd - outputAt));
    memory.copy(outputAt, inputAt, count);
    inputAt += count;
    outputAt += count;
    storedLeft -= count;
  }
  if (storedLeft == 0) {
    state = BLOCK;
    return -1;
  }
  return outputAt == bufferEnd ? OUTPUT_IS_FULL : NEEDS_INPUT;
}

function inflateSymbols(): i32 {
  let to = outputAt;
  const stop = bufferEnd - MAX_MATCH_BYTES;
  let reason: i32 = OUTPUT_IS_FULL;
  while (to <= stop) {
    refill();
    const held = hold;
    const heldBits = bits;
    let entry = lookUp(literals, hold);
    let used = <i32>(entry & 15);
    if (entry == 0 || bits < used) {
      reason = bits < <i32>MAX_BITS ? NEEDS_INPUT : damaged();
      break;
    }
    skip(used);
    let symbol = entry >> 4;
    if (symbol < END_OF_BLOCK) {
      store<u8>(to++, <u8>symbol);
      continue;
    }
    if (symbol == END_OF_BLOCK) {
      state = BLOCK;
      reason = -1;
      break;
    }
    symbol -= END_OF_BLOCK + 1;
    if (symbol >= LENGTH_SYMBOLS) {
      reason = damaged();
      break;
    }
    let extra: i32 = load<u8>(LENGTH_EXTRA + symbol);
    const length = <usize>load<u16>(LENGTH_BASES + (symbol << 1)) + (<usize>hold & ((1 << extra) - 1));
    skip(extra);
    entry = lookUp(distances, hold);
    used = <i32>(entry & 15);
    symbol = entry >> 4;
    if (bits < used || entry == 0) {
      if (bits >= <i32>MAX_BITS) {
        reason = damaged();
        break;
      }
      hold = held;
      bits = heldBits;
      reason = NEEDS_INPUT;
      break;
    }
    skip(used);
    extra = symbol < 4 ? 0 : <i32>(symbol >> 1) - 1;
    if (bits < extra) {
      hold = held;
      bits = heldBits;
      reason = NEEDS_INPUT;
      break;
    }
    if (symbol >= DISTANCE_SYMBOLS) {
      reason = damaged();
      break;
    }
    const distance = <usize>load<u16>(DISTANCE_BASES + (symbol << 1)) + (<usize>hold & ((1 << extra) - 1));
    skip(extra);
    if (to - oldest < distance) {
      reason = damaged();
      break;
    }
    copyMatch(to, distance, length);
    to += length;
  }
  outputAt = to;
  return reason;
}

/** Can write a few bytes too many, which the next output overwrites. */
@inline
function copyMatch(to: usize, distance: usize, length: usize): void {
  const end = to + length;
  let from = to - distance;
  if (distance >= 8) {
    for (let at = to; at < end; at += 8, from += 8) store<u64>(at, load<u64>(from));
  } else if (distance == 1) {
    memory.fill(to, load<u8>(from), length);
  } else {
    for (let at = to; at < end; at++, from++) store<u8>(at, load<u8>(from));
  }
}
