// Builds decoding tables for DEFLATE's Huffman codes (RFC 1951 section 3.2.2) from code lengths, and decodes symbols
// whose codes are too long for the tables.

/** Maximum code length, in bits. */
export const MAX_BITS: u32 = 15;
/** Maximum code length, in bits, that one table lookup decodes. */
export const QUICK_BITS: u32 = 11;
const QUICK_MASK: u32 = (1 << QUICK_BITS) - 1;



/**
 * Layout of a table, 16 bits per entry: entries by the next {@link QUICK_BITS} bits (symbol << 4 | length; 0 if the
 * code is longer or invalid), then the number of codes of each length, then the symbols in code order.
 */
const COUNTS: usize = (1 << QUICK_BITS) * 2;
const SYMBOLS: usize = COUNTS + 16 * 2;


const offsets: usize = memory.data(32, 16);

/**
 * Fills a table from code lengths (8 bits each).
 * @returns the number of unused codes: 0 for a complete code, negative for an oversubscribed one
 */
export function makeTable(table: usize, lengths: usize, count: usize): i32 {
  memory.fill(table, 0, SYMBOLS);
  for (let symbol: usize = 0; symbol < count; symbol++) {
    const at = table + COUNTS + (<usize>load<u8>(lengths + symbol) << 1);
    store<u16>(at, load<u16>(at) + 1);
  }
  store<u16>(table + COUNTS, 0);
  let left: i32 = 1;
  let offset: u32 = 0;
  for (let bits: usize = 1; bits <= MAX_BITS; bits++) {
    const codes = load<u16>(table + COUNTS + (bits << 1));
    left = (left << 1) - codes;
    if (left < 0) return left;
    store<u16>(offsets + (bits << 1), <u16>offset);
    offset += codes;
  }
  for (let symbol: usize = 0; symbol < count; symbol++) {
    const bits: usize = load<u8>(lengths + symbol);
    if (bits == 0) continue;
    const place = load<u16>(offsets + (bits << 1));
    store<u16>(offsets + (bits << 1), place + 1);
    store<u16>(table + SYMBOLS + (<usize>place << 1), <u16>symbol);
  }
  let code: u32 = 0;
  let place: usize = 0;
  for (let bits: u32 = 1; bits <= QUICK_BITS; bits++) {
    for (let codes = load<u16>(table + COUNTS + (<usize>bits << 1)); codes > 0; codes--) {
      const entry = <u16>(((<u32>load<u16>(table + SYMBOLS + (place << 1))) << 4) | bits);
      for (let at = reversed(code, bits); at <= QUICK_MASK; at += 1 << bits) {
        store<u16>(table + (<usize>at << 1), entry);
      }
      code++;
      place++;
    }
    code <<= 1;
  }
  return left;
}

function reversed(code: u32, bits: u32): u32 {
  let result: u32 = 0;
  for (let i: u32 = 0; i < bits; i++) {
    result = (result << 1) | (code & 1);
    code >>= 1;
  }
  return result;
}

/** Returns the entry for the next bits: symbol << 4 | length, or 0 for an invalid code. */
@inline
export function lookUp(table: usize, hold: u64): u32 {
  const entry: u32 = load<u16>(table + ((<usize>hold & QUICK_MASK) << 1));
  return entry != 0 ? entry : lookUpLong(table, <u32>hold);
}

function lookUpLong(table: usize, hold: u32): u32 {
  let code: u32 = 0;
  let first: u32 = 0;
  let index: u32 = 0;
  for (let bits: u32 = 1; bits <= MAX_BITS; bits++) {
    code |= hold & 1;
    hold >>= 1;
    const codes: u32 = load<u16>(table + COUNTS + (<usize>bits << 1));
    if (code < first + codes) {
      return ((<u32>load<u16>(table + SYMBOLS + (<usize>(index + code - first) << 1))) << 4) | bits;
    }
    index += codes;
    first = (first + codes) << 1;
    code <<= 1;
  }
  return 0;
}
