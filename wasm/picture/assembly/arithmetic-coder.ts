// The arithmetic coder of JBIG2 (ITU-T T.88 annex E). Codes binary decisions; each has a context.

/**
 * T.88 table E.1: probability, next state after the more and after the less probable symbol, and whether the symbols
 * are swapped.
 */
const STATES: usize = memory.data<u16>([
  0x5601, 1, 1, 1, 0x3401, 2, 6, 0, 0x1801, 3, 9, 0, 0x0ac1, 4, 12, 0, 0x0521, 5, 29, 0, 0x0221, 38, 33, 0,
  0x5601, 7, 6, 1, 0x5401, 8, 14, 0, 0x4801, 9, 14, 0, 0x3801, 10, 14, 0, 0x3001, 11, 17, 0, 0x2401, 12, 18, 0,
  0x1c01, 13, 20, 0, 0x1601, 29, 21, 0, 0x5601, 15, 14, 1, 0x5401, 16, 14, 0, 0x5101, 17, 15, 0, 0x4801, 18, 16, 0,
  0x3801, 19, 17, 0, 0x3401, 20, 18, 0, 0x3001, 21, 19, 0, 0x2801, 22, 19, 0, 0x2401, 23, 20, 0, 0x2201, 24, 21, 0,
  0x1c01, 25, 22, 0, 0x1801, 26, 23, 0, 0x1601, 27, 24, 0, 0x1401, 28, 25, 0, 0x1201, 29, 26, 0, 0x1101, 30, 27, 0,
  0x0ac1, 31, 28, 0, 0x09c1, 32, 29, 0, 0x08a1, 33, 30, 0, 0x0521, 34, 31, 0, 0x0441, 35, 32, 0, 0x02a1, 36, 33, 0,
  0x0221, 37, 34, 0, 0x0141, 38, 35, 0, 0x0111, 39, 36, 0, 0x0085, 40, 37, 0, 0x0049, 41, 38, 0, 0x0025, 42, 39, 0,
  0x0015, 43, 40, 0, 0x0009, 44, 41, 0, 0x0005, 45, 42, 0, 0x0001, 45, 43, 0, 0x5601, 46, 46, 0,
]);

/**
 * By `state * 2 + more probable symbol`: probability and both next states, `next less probable << 24 | next more
 * probable << 16 | probability`. Next states are indexes of this table.
 */
const moves: usize = memory.data(384, 16);
/** By 16-bit context: its state, an index of `moves` in a byte. */
const contexts: usize = memory.data(65536, 16);

let code: u32 = 0;
let interval: u32 = 0x8000;
let untilByte: i32 = 12;
/** Address of the last byte, to which a carry can still be added. Initially, this is one byte before the output. */
let at: usize = 0;

/** Starts writing at `to`. The byte before it must not be 0xff, and is not changed. */
export function startCoder(to: usize): void {
  for (let state: usize = 0; state < 47; state++) {
    const from = STATES + (state << 3);
    for (let symbol: u32 = 0; symbol < 2; symbol++) {
      const more = (<u32>load<u16>(from, 2) << 1) | symbol;
      const less = (<u32>load<u16>(from, 4) << 1) | (load<u16>(from, 6) ? 1 - symbol : symbol);
      store<u32>(moves + (((state << 1) + symbol) << 2), (less << 24) | (more << 16) | load<u16>(from));
    }
  }
  memory.fill(contexts, 0, 65536);
  code = 0;
  interval = 0x8000;
  untilByte = 12;
  at = to - 1;
}

/** Writes a byte (T.88 figure E.9). */
function byteOut(): void {
  if (load<u8>(at) != 0xff) {
    if (code >= 0x8000000) {
      store<u8>(at, load<u8>(at) + 1);
      code &= 0x7ffffff;
    }
  }
  if (load<u8>(at) == 0xff) {
    store<u8>(++at, <u8>(code >> 20));
    code &= 0xfffff;
    untilByte = 7;
  } else {
    store<u8>(++at, <u8>(code >> 19));
    code &= 0x7ffff;
    untilByte = 8;
  }
}

/** Codes a decision (T.88 figures E.3 to E.8). */
@inline
export function encodeBit(context: usize, bit: u32): void {
  const state = <u32>load<u8>(contexts + context);
  const move = load<u32>(moves + (<usize>state << 2));
  const probability = move & 0xffff;
  interval -= probability;
  if ((state & 1) == bit) {
    if (interval & 0x8000) {
      code += probability;
      return;
    }
    if (interval < probability) interval = probability;
    else code += probability;
    store<u8>(contexts + context, <u8>(move >> 16));
  } else {
    if (interval < probability) code += probability;
    else interval = probability;
    store<u8>(contexts + context, <u8>(move >> 24));
  }
  renormalize();
}

function renormalize(): void {
  do {
    interval <<= 1;
    code <<= 1;
    if (--untilByte == 0) byteOut();
  } while (!(interval & 0x8000));
}

export function coderPosition(): usize {
  return at;
}

/** Flushes the coder (T.88 figures E.10 and E.11), with the marker 0xff 0xac. @returns the address of the end */
export function finishCoder(): usize {
  const most = code + interval;
  code |= 0xffff;
  if (code >= most) code -= 0x8000;
  code <<= untilByte;
  byteOut();
  code <<= untilByte;
  byteOut();
  if (load<u8>(at) != 0xff) store<u8>(++at, 0xff);
  store<u8>(++at, 0xac);
  return at + 1;
}
