// Builds the prefix codes of DEFLATE (RFC 1951 section 3.2.2): lengths from frequencies, codes from lengths.

/** Symbols that occur, rarest first: `frequency << 9 | symbol`. */
const leaves: usize = memory.data(1152, 16);
const weights: usize = memory.data(1152, 16);
const parents: usize = memory.data(576, 16);
const leafParents: usize = memory.data(576, 16);
const depths: usize = memory.data(576, 16);
const counts: usize = memory.data(64, 16);

/**
 * Computes code lengths (8 bits each) of a nearly optimal prefix code with a maximum length. Frequencies have 32 bits
 * and are below 2^23. Symbols that do not occur have length 0, and a single symbol has length 1.
 */
export function codeLengths(frequencies: usize, symbols: usize, limit: u32, lengths: usize): void {
  memory.fill(lengths, 0, symbols);
  let used: usize = 0;
  for (let symbol: usize = 0; symbol < symbols; symbol++) {
    const frequency = load<u32>(frequencies + (symbol << 2));
    if (frequency > 0) store<u32>(leaves + (used++ << 2), (frequency << 9) | <u32>symbol);
  }
  if (used == 0) return;
  if (used == 1) {
    store<u8>(lengths + (load<u32>(leaves) & 511), 1);
    return;
  }
  sortLeaves(used);
  countDepths(used, limit);
  // The rarest symbols get the longest codes.
  let next = leaves;
  for (let length = limit; length > 0; length--) {
    for (let left = load<u32>(counts + (length << 2)); left > 0; left--, next += 4) {
      store<u8>(lengths + (load<u32>(next) & 511), <u8>length);
    }
  }
}

/** Sorts with Shell's algorithm and Ciura's gaps. */
function sortLeaves(used: usize): void {
  sortEvery(132, used);
  sortEvery(57, used);
  sortEvery(23, used);
  sortEvery(10, used);
  sortEvery(4, used);
  sortEvery(1, used);
}

function sortEvery(gap: usize, used: usize): void {
  const step = gap << 2;
  const end = leaves + (used << 2);
  for (let at = leaves + step; at < end; at += 4) {
    const leaf = load<u32>(at);
    let to = at;
    while (to >= leaves + step && load<u32>(to - step) > leaf) {
      store<u32>(to, load<u32>(to - step));
      to -= step;
    }
    store<u32>(to, leaf);
  }
}

/** Counts the leaves of the Huffman tree at each depth, limited to `limit`. */
function countDepths(used: usize, limit: u32): void {
  let leaf: usize = 0;
  let node: usize = 0;
  // Two queues: leaves by frequency, and inner nodes by weight, which is also the order of their creation.
  for (let made: usize = 0; made < used - 1; made++) {
    let sum: u32 = 0;
    for (let child = 0; child < 2; child++) {
      const leafWeight: u32 = leaf < used ? load<u32>(leaves + (leaf << 2)) >> 9 : u32.MAX_VALUE;
      if (node < made && load<u32>(weights + (node << 2)) < leafWeight) {
        sum += load<u32>(weights + (node << 2));
        store<u16>(parents + (node++ << 1), <u16>made);
      } else {
        sum += leafWeight;
        store<u16>(leafParents + (leaf++ << 1), <u16>made);
      }
    }
    store<u32>(weights + (made << 2), sum);
  }
  const root = used - 2;
  store<u16>(depths + (root << 1), 0);
  for (let inner = root; inner-- > 0; ) {
    const parent: usize = load<u16>(parents + (inner << 1));
    store<u16>(depths + (inner << 1), load<u16>(depths + (parent << 1)) + 1);
  }
  memory.fill(counts, 0, 64);
  let kraft: u32 = 0;
  for (let i: usize = 0; i < used; i++) {
    const parent: usize = load<u16>(leafParents + (i << 1));
    const length = min(limit, <u32>load<u16>(depths + (parent << 1)) + 1);
    store<u32>(counts + (length << 2), load<u32>(counts + (length << 2)) + 1);
    kraft += 1 << (limit - length);
  }
  // Shortening codes to the limit oversubscribes the code space. Until all codes fit, makes a leaf at the limit the
  // sibling of a shallower leaf.
  for (; kraft > <u32>1 << limit; kraft--) {
    let length = limit - 1;
    while (load<u32>(counts + (length << 2)) == 0) length--;
    const at = counts + (length << 2);
    store<u32>(at, load<u32>(at) - 1);
    store<u32>(at + 4, load<u32>(at + 4) + 2);
    store<u32>(counts + (limit << 2), load<u32>(counts + (limit << 2)) - 1);
  }
}

/**
 * Computes canonical codes (16 bits), bit-reversed for writing with the least significant bit first (RFC 1951 section
 * 3.1.1).
 */
export function canonicalCodes(lengths: usize, symbols: usize, codes: usize): void {
  // `counts` is reused: for the number of codes of each length, then for the next code of each length.
  memory.fill(counts, 0, 64);
  for (let symbol: usize = 0; symbol < symbols; symbol++) {
    const at = counts + (<usize>load<u8>(lengths + symbol) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  store<u32>(counts, 0);
  let code: u32 = 0;
  let before: u32 = 0;
  for (let length: usize = 1; length < 16; length++) {
    code = (code + before) << 1;
    before = load<u32>(counts + (length << 2));
    store<u32>(counts + (length << 2), code);
  }
  for (let symbol: usize = 0; symbol < symbols; symbol++) {
    const length = <u32>load<u8>(lengths + symbol);
    if (length == 0) continue;
    const at = counts + (length << 2);
    const next = load<u32>(at);
    store<u32>(at, next + 1);
    store<u16>(codes + (symbol << 1), <u16>(reversed16(next) >> (16 - length)));
  }
}

@inline
function reversed16(value: u32): u32 {
  let bits = ((value >> 1) & 0x5555) | ((value & 0x5555) << 1);
  bits = ((bits >> 2) & 0x3333) | ((bits & 0x3333) << 2);
  bits = ((bits >> 4) & 0x0f0f) | ((bits & 0x0f0f) << 4);
  return ((bits >> 8) & 0x00ff) | ((bits & 0x00ff) << 8);
}
