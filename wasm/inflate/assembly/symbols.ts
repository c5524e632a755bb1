// The lengths and distances of DEFLATE's symbols (RFC 1951 sections 3.2.5 and 3.2.7).

/** Order of code length code lengths (RFC 1951 section 3.2.7). */
export const LENGTH_ORDER: usize = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);
/** Smallest length or distance of a symbol, and its extra bits (RFC 1951 section 3.2.5). */
export const LENGTH_BASES: usize = memory.data<u16>([
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
]);
export const LENGTH_EXTRA: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
]);
export const DISTANCE_BASES: usize = memory.data<u16>([
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193,
  12289, 16385, 24577,
]);
export const END_OF_BLOCK: u32 = 256;
export const LENGTH_SYMBOLS: u32 = 29;
export const DISTANCE_SYMBOLS: u32 = 30;
