// Bits of a scan (T.81 F.2.2) and Huffman codes read from them. A stream that ends early gives zeros, and is told apart.

/** Codes up to this length are found in a table at once. */
const FAST_BITS: u32 = 10;
const TABLES: usize = 8;
/** Of one table: entries `length << 8 | symbol` by the next bits, then limits and symbols for longer codes. */
const TABLE_BYTES: usize = 2560;
const LIMITS: usize = 2048;
const OFFSETS: usize = LIMITS + 72;
const SYMBOLS: usize = OFFSETS + 72;
const tables: usize = memory.data(20480, 16);

/** Bits that were read ahead, the last one lowest, and how many. */
let ahead: u64 = 0;
let count: i32 = 0;
/** Zeros that were made up among them. */
let madeUp: i32 = 0;
let at: usize = 0;
let end: usize = 0;

export function startBits(from: usize, to: usize): void {
  at = from;
  end = to;
  ahead = 0;
  count = 0;
  madeUp = 0;
}

/** Where reading has arrived: never beyond a marker. */
export function bitsPosition(): usize {
  return at;
}

/** Whether bits were asked for that were not there. */
@inline
export function isExhausted(): bool {
  return madeUp > count;
}

function fillSlowly(): void {
  while (count <= 56) {
    let byte: u32 = 0;
    if (at < end) {
      byte = load<u8>(at);
      if (byte != 0xff) at++;
      else if (at + 1 < end && load<u8>(at + 1) == 0) at += 2;
      else byte = 0x100;
    } else {
      byte = 0x100;
    }
    // A marker or the end: zeros, of which some may be asked for only ahead of need.
    if (byte == 0x100) {
      byte = 0;
      if (madeUp < 1 << 20) madeUp += 8;
    }
    ahead = (ahead << 8) | byte;
    count += 8;
  }
}

/** Sees to it that there are 32 bits at least. */
@inline
export function fill(): void {
  if (count >= 32) return;
  if (at + 8 <= end) {
    const next = bswap<u64>(load<u64>(at));
    // No byte of the first four is all ones.
    const four = <u32>(next >> 32);
    if (!(four & 0x80808080 & ((four & 0x7f7f7f7f) + 0x01010101))) {
      ahead = (ahead << 32) | four;
      count += 32;
      at += 4;
      return;
    }
  }
  fillSlowly();
}

/** So many bits, 1 to 16, of those that are there. */
@inline
export function bits(length: u32): u32 {
  count -= length;
  return <u32>(ahead >> count) & ((1 << length) - 1);
}

/** T.81 F.2.2.1, figure F.12: a value by its category and its additional bits. */
@inline
export function value(category: u32): i32 {
  const raw = <i32>bits(category);
  return raw < 1 << (category - 1) ? raw - (1 << category) + 1 : raw;
}

/** @returns the symbol, or 256 where no code is like that */
@inline
export function symbol(table: usize): u32 {
  const place = tables + table * TABLE_BYTES;
  const entry = <u32>load<u16>(place + (<usize>((ahead >> (count - FAST_BITS)) & ((1 << FAST_BITS) - 1)) << 1));
  if (entry) {
    count -= entry >> 8;
    return entry & 0xff;
  }
  return longSymbol(place);
}

function longSymbol(place: usize): u32 {
  const next = <u32>(ahead >> (count - 16)) & 0xffff;
  for (let length: u32 = FAST_BITS + 1; length <= 16; length++) {
    const code = next >> (16 - length);
    if (code < load<u32>(place + LIMITS + (<usize>length << 2))) {
      count -= length;
      return load<u8>(place + SYMBOLS + <usize>(code - load<u32>(place + OFFSETS + (<usize>length << 2))));
    }
  }
  return 256;
}

/** Bytes where {@link setReadTable} expects BITS (16) and HUFFVAL (256), as the marker DHT has them. */
export const definition: usize = memory.data(272, 16);

/** T.81 annex C. The definition has been checked: no more codes than fit. */
export function setReadTable(table: usize): void {
  const place = tables + table * TABLE_BYTES;
  memory.fill(place, 0, TABLE_BYTES);
  memory.copy(place + SYMBOLS, definition + 16, 256);
  let code: u32 = 0;
  let index: u32 = 0;
  for (let length: u32 = 1; length <= 16; length++) {
    store<u32>(place + OFFSETS + (<usize>length << 2), code - index);
    for (let left: u32 = load<u8>(definition + length - 1); left > 0; left--) {
      if (length <= FAST_BITS) {
        const entry = <u16>((length << 8) | load<u8>(definition + 16 + index));
        const first = code << (FAST_BITS - length);
        const behind = (code + 1) << (FAST_BITS - length);
        for (let place0 = first; place0 < behind; place0++) store<u16>(place + (<usize>place0 << 1), entry);
      }
      code++;
      index++;
    }
    store<u32>(place + LIMITS + (<usize>length << 2), code);
    code <<= 1;
  }
}

/**
 * After a restart interval (T.81 F.2.2.4... E.2.4): drops the bits that fill the last byte and takes the marker RSTm.
 * @returns whether it was there
 */
export function takeRestart(number: u32): bool {
  if (isExhausted()) return false;
  // What was read ahead and is whole bytes was data before the marker, and too much.
  if (count - madeUp >= 8) return false;
  ahead = 0;
  count = 0;
  madeUp = 0;
  while (at + 1 < end && load<u8>(at) == 0xff && load<u8>(at + 1) == 0xff) at++;
  if (at + 1 >= end || load<u8>(at) != 0xff || load<u8>(at + 1) != (0xd0 | (number & 7))) return false;
  at += 2;
  return true;
}

