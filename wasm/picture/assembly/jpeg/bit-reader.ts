// Reads the bits and the Huffman codes of a scan (T.81 F.2.2). After the end of the stream, returns zeros; callers
// detect this with `isExhausted`.

/** Maximum code length, in bits, that one table lookup decodes. */
const FAST_BITS: u32 = 10;
const TABLES: usize = 8;
/** Bytes of one table: entries `length << 8 | symbol` by the next bits, then limits and symbols for longer codes. */
const TABLE_BYTES: usize = 2560;
const LIMITS: usize = 2048;
const OFFSETS: usize = LIMITS + 72;
const SYMBOLS: usize = OFFSETS + 72;
const tables: usize = memory.data(20480, 16);

/** `ahead`: the bits read ahead; the last bit is the lowest. `count`: their number. */
let ahead: u64 = 0;
let count: i32 = 0;
/** Number of these bits that are padding zeros instead of bits of the stream. */
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

/** Returns the current offset, which is never beyond a marker. */
export function bitsPosition(): usize {
  return at;
}

/** Reports whether padding zeros were consumed: the stream has too few bits. */
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
    // At a marker or at the end, reads zeros. They are an error only if they are consumed.
    if (byte == 0x100) {
      byte = 0;
      if (madeUp < 1 << 20) madeUp += 8;
    }
    ahead = (ahead << 8) | byte;
    count += 8;
  }
}

/** Ensures that at least 32 bits are available. */
@inline
export function fill(): void {
  if (count >= 32) return;
  if (at + 8 <= end) {
    const next = bswap<u64>(load<u64>(at));
    // None of the first four bytes is 0xff.
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

/** Consumes 1 to 16 of the available bits. */
@inline
export function bits(length: u32): u32 {
  count -= length;
  return <u32>(ahead >> count) & ((1 << length) - 1);
}

/** Returns a value from its category and its additional bits (T.81 F.2.2.1, figure F.12). */
@inline
export function value(category: u32): i32 {
  const raw = <i32>bits(category);
  return raw < 1 << (category - 1) ? raw - (1 << category) + 1 : raw;
}

/** @returns the symbol, or 256 for an invalid code */
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

/** Receives BITS (16 bytes) and HUFFVAL (256 bytes) for {@link setReadTable}, as in the marker DHT. */
export const definition: usize = memory.data(272, 16);

/** Builds a table (T.81 annex C). The caller must have checked that the code is not oversubscribed. */
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
 * Ends a restart interval (T.81 F.2.2.4, E.2.4): skips the padding bits of the last byte and reads the marker RSTm.
 * @returns false if the marker is missing
 */
export function takeRestart(number: u32): bool {
  if (isExhausted()) return false;
  // Eight or more unused bits mean surplus data before the marker.
  if (count - madeUp >= 8) return false;
  ahead = 0;
  count = 0;
  madeUp = 0;
  while (at + 1 < end && load<u8>(at) == 0xff && load<u8>(at + 1) == 0xff) at++;
  if (at + 1 >= end || load<u8>(at) != 0xff || load<u8>(at + 1) != (0xd0 | (number & 7))) return false;
  at += 2;
  return true;
}

