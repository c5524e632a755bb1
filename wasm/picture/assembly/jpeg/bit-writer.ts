// Counts the symbols of scans, then writes them with optimal codes.
import { reserve } from "../memory";

/** Tables of 257 counts. The last count belongs to a dummy symbol, which reserves the code of all ones (T.81 K.2). */
const COUNTS_BYTES: usize = 1028;
const CODES_BYTES: usize = 1024;
export const TABLES: usize = 8;
export const counts: usize = memory.data(8224, 16);
/** Codes by symbol: `code << 5 | length`. */
const codes: usize = memory.data(8192, 16);
/** Number of bits other than symbol codes. */
export let plainBits: f64 = 0;

let pending: u64 = 0;
let pendingBits: i32 = 0;
let outputStart: usize = 0;
let outputEnd: usize = 0;

export function startCounting(): void {
  memory.fill(counts, 0, 8224);
  plainBits = 0;
}

/** @param start - address of the first byte; memory grows as needed */
export function startWriting(start: usize): void {
  outputStart = start;
  outputEnd = start;
  pending = 0;
  pendingBits = 0;
}

/** Ensures space for a number of bytes. */
@inline
export function roomFor(bytes: usize): void {
  if (outputEnd + bytes > <usize>memory.size() << 16) reserve(outputEnd + bytes + (1 << 20));
}

/** Builds codes from their lengths and symbols (T.81 annex C): 16 bytes BITS, then HUFFVAL. */
export function setWriteTable(table: usize, definition: usize): void {
  let symbols = definition + 16;
  let code: u32 = 0;
  memory.fill(codes + table * CODES_BYTES, 0, CODES_BYTES);
  for (let length: u32 = 1; length <= 16; length++) {
    for (let left: u32 = load<u8>(definition + length - 1); left > 0; left--) {
      store<u32>(codes + table * CODES_BYTES + (<usize>load<u8>(symbols++) << 2), (code++ << 5) | length);
    }
    code <<= 1;
  }
}

function flush(): void {
  const four = <u32>(pending >> (pendingBits - 32));
  pendingBits -= 32;
  if (four & 0x80808080 & ((four & 0x7f7f7f7f) + 0x01010101)) {
    for (let shift = 24; shift >= 0; shift -= 8) {
      const byte = <u8>(four >> shift);
      store<u8>(outputEnd++, byte);
      if (byte == 0xff) store<u8>(outputEnd++, 0);
    }
  } else {
    store<u32>(outputEnd, bswap<u32>(four));
    outputEnd += 4;
  }
}

/** Writes at most 32 bits. */
@inline
function put(value: u32, length: i32): void {
  pending = (pending << length) | value;
  pendingBits += length;
  if (pendingBits >= 32) flush();
}

@inline
export function putSymbol(counting: bool, table: usize, symbol: u32): void {
  if (counting) {
    const at = counts + table * COUNTS_BYTES + (<usize>symbol << 2);
    store<u32>(at, load<u32>(at) + 1);
  } else {
    const code = load<u32>(codes + table * CODES_BYTES + (<usize>symbol << 2));
    put(code >> 5, code & 31);
  }
}

/** @param length - up to 16 */
@inline
export function putPlain(counting: bool, value: u32, length: i32): void {
  if (counting) plainBits += <f64>length;
  else put(value & ((1 << length) - 1), length);
}

/** Fills the last byte with ones (T.81 F.1.2.3). @returns the number of bytes of the scan */
export function finishWriting(): u32 {
  roomFor(64);
  const padding = -pendingBits & 7;
  put((1 << padding) - 1, padding);
  while (pendingBits > 0) {
    pendingBits -= 8;
    const byte = <u8>(pending >> pendingBits);
    store<u8>(outputEnd++, byte);
    if (byte == 0xff) store<u8>(outputEnd++, 0);
  }
  return <u32>(outputEnd - outputStart);
}
