// Codes quantized blocks sequentially with Huffman codes (T.81 F.1.2), and writes the bit stream.
import { CODES_BYTES, codes, output, PAIRS_BYTES, pairs, zigzag } from "./layout";
import { category, LENGTH_BITS, LENGTH_MASK, valueBits } from "./tables";
import { dcLevel, transformExact, transformFast } from "./transform";

/** Symbols of T.81 F.1.2.2.1: a run of 16 zeros, and the end of the block. */
const ZRL: usize = 0xf0;
const EOB: usize = 0x00;
/** Baseline AC coefficients have at most ten bits (T.81 table F.2). */
const AC_LIMIT: i32 = 1023;

/** `pending`: bits that are not yet written; the last bit is the lowest. `room`: number of bits that still fit. */
let pending: u64 = 0;
let room: i32 = 64;
/** Address of the next output byte. */
export let outputEnd: usize = output;

/** DC coefficients of the previous blocks, by component. */
const predictions: usize = memory.data(16, 16);

export function startEntropy(): void {
  pending = 0;
  room = 64;
  outputEnd = output;
  memory.fill(predictions, 0, 16);
}

/** Discards the output. Keeps the pending bits. */
export function rewindOutput(): void {
  outputEnd = output;
}

/** Writes bits as bytes. A zero byte follows each 0xff, so that it is not a marker (T.81 F.1.2.3). */
function writeStuffed(at: usize, bits: u64): usize {
  for (let shift: u64 = 64; shift > 0; ) {
    shift -= 8;
    const byte = <u8>(bits >> shift);
    store<u8>(at++, byte);
    if (byte == 0xff) store<u8>(at++, 0);
  }
  return at;
}

@inline
function write(at: usize, bits: u64): usize {
  if (bits & 0x8080808080808080 & ~(bits + 0x0101010101010101)) return writeStuffed(at, bits);
  store<u64>(at, bswap<u64>(bits));
  return at + 8;
}

/** Writes at most 63 bits. */
export function putBits(bits: u64, length: i32): void {
  room -= length;
  if (room >= 0) {
    pending = (pending << length) | bits;
    return;
  }
  outputEnd = write(outputEnd, (pending << (length + room)) | (bits >> -room));
  room += 64;
  pending = bits;
}

/** Fills the last byte with ones (T.81 F.1.2.3) and writes EOI. */
export function finishEntropy(): void {
  const padding = room & 7;
  putBits((1 << padding) - 1, padding);
  for (let left = 64 - room; left > 0; ) {
    left -= 8;
    const byte = <u8>(pending >> left);
    store<u8>(outputEnd++, byte);
    if (byte == 0xff) store<u8>(outputEnd++, 0);
  }
  store<u16>(outputEnd, 0xd9ff);
  outputEnd += 2;
}

/** Transforms the block and writes its codes. `table` is 0 for luminance and 1 for chrominance. */
export function encodeBlock(block: usize, component: usize, table: usize, exact: bool): void {
  let nonzero = exact ? transformExact(block, table) : transformFast(block, table);
  const dc = dcLevel;
  const difference = dc - load<i32>(predictions + (component << 2));
  store<i32>(predictions + (component << 2), dc);

  const dcCodes = codes + table * 2 * CODES_BYTES;
  const acCodes = dcCodes + CODES_BYTES;
  const acPairs = pairs + table * PAIRS_BYTES;
  const endOfBlock = load<u32>(acCodes, EOB << 2);
  const size = category(difference);
  const dcCode = load<u32>(dcCodes + (<usize>size << 2));
  let bits: u64 = ((dcCode >> LENGTH_BITS) << size) | valueBits(difference, size);
  let length: i32 = (dcCode & LENGTH_MASK) + size;
  if (!nonzero) {
    bits = (bits << (endOfBlock & LENGTH_MASK)) | (endOfBlock >> LENGTH_BITS);
    length += endOfBlock & LENGTH_MASK;
  }

  let waiting = pending;
  let free = room;
  let at = outputEnd;
  let last = 0;
  while (true) {
    free -= length;
    if (free < 0) {
      at = write(at, (waiting << (length + free)) | (bits >> -free));
      free += 64;
      waiting = bits;
    } else {
      waiting = (waiting << length) | bits;
    }
    if (!nonzero) break;

    const k = <i32>ctz(nonzero);
    nonzero &= nonzero - 1;
    let run = k - last - 1;
    last = k;
    bits = 0;
    length = 0;
    // Three ZRL codes, a coefficient of 26 bits and the end of the block have at most 63 bits: see
    // src/document/formats/jpeg/entropy/huffman.ts.
    for (; run > 15; run -= 16) {
      const code = load<u32>(acCodes, ZRL << 2);
      bits = (bits << (code & LENGTH_MASK)) | (code >> LENGTH_BITS);
      length += code & LENGTH_MASK;
    }
    let value = <i32>load<i16>(block + load<u8>(zigzag + k));
    if (<u32>(value + 128) < 256) {
      const pair = load<u32>(acPairs + (((run << 8) + value + 128) << 2));
      bits = (bits << (pair & LENGTH_MASK)) | (pair >> LENGTH_BITS);
      length += pair & LENGTH_MASK;
    } else {
      value = min(AC_LIMIT, max(-AC_LIMIT, value));
      const size = category(value);
      const code = load<u32>(acCodes + (((run << 4) + size) << 2));
      bits = (((bits << (code & LENGTH_MASK)) | (code >> LENGTH_BITS)) << size) | valueBits(value, size);
      length += (code & LENGTH_MASK) + size;
    }
    if (!nonzero && k < 63) {
      bits = (bits << (endOfBlock & LENGTH_MASK)) | (endOfBlock >> LENGTH_BITS);
      length += endOfBlock & LENGTH_MASK;
    }
  }
  pending = waiting;
  room = free;
  outputEnd = at;
}
