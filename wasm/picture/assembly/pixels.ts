// Converts samples of 1 to 16 bits to bytes and back; applies palettes and predictors (PNG 3rd ed. clause 9; TIFF 6.0
// section 14); converts YCbCr to RGB.

/** Converts samples of `bits` (1, 2, 4, 8, 16) to bytes: unchanged or, with `full`, scaled to 0..255. */
export function unpack(from: usize, to: usize, count: usize, bits: u32, full: bool): void {
  if (bits == 8) {
    memory.copy(to, from, count);
    return;
  }
  if (bits == 16) {
    for (let index: usize = 0; index < count; index++) {
      const sample = <u32>bswap<u16>(load<u16>(from + (index << 1)));
      store<u8>(to + index, <u8>((sample * 255 + 32767) / 65535));
    }
    return;
  }
  const mask = (1 << bits) - 1;
  const factor = full ? 255 / mask : 1;
  let shift: u32 = 8;
  for (let index: usize = 0; index < count; index++) {
    shift -= bits;
    store<u8>(to + index, <u8>(((<u32>load<u8>(from) >> shift) & mask) * factor));
    if (shift == 0) {
      shift = 8;
      from++;
    }
  }
}

/** Packs bytes into samples of 1, 2 or 4 bits. Pads the last byte with zeros. */
export function pack(from: usize, to: usize, count: usize, bits: u32): void {
  const each = <usize>(8 / bits);
  for (let index: usize = 0; index < count; ) {
    let byte: u32 = 0;
    let shift: u32 = 8;
    for (let left = min(each, count - index); left > 0; left--, index++) {
      shift -= bits;
      byte |= <u32>load<u8>(from + index) << shift;
    }
    store<u8>(to++, <u8>byte);
  }
}

/** Converts samples to one bit each: 1 if the sample is at least 128; the opposite with `invert`. */
export function threshold(from: usize, to: usize, count: usize, invert: bool): void {
  for (let index: usize = 0; index < count; ) {
    let byte: u32 = 0;
    for (let bit: u32 = 0x80; bit > 0 && index < count; bit >>= 1, index++) {
      if (load<u8>(from + index) >= 128 != invert) byte |= bit;
    }
    store<u8>(to++, <u8>byte);
  }
}

/** Replaces indexes by the entries of a palette of 256. */
export function lookUp(from: usize, to: usize, count: usize, palette: usize, channels: usize): void {
  if (channels == 3) {
    // Writes four bytes; the next pixel overwrites the fourth.
    for (let index: usize = 0; index < count; index++, to += 3) {
      store<u32>(to, load<u32>(palette + <usize>load<u8>(from + index) * 3));
    }
    return;
  }
  for (let index: usize = 0; index < count; index++) {
    const entry = palette + <usize>load<u8>(from + index) * channels;
    for (let channel: usize = 0; channel < channels; channel++) store<u8>(to++, load<u8>(entry + channel));
  }
}

@inline
function absolute(value: i32): i32 {
  return value < 0 ? -value : value;
}

@inline
function paeth(left: i32, up: i32, corner: i32): i32 {
  const toLeft = absolute(up - corner);
  const toUp = absolute(left - corner);
  const toCorner = absolute(left + up - 2 * corner);
  return toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner;
}

/**
 * Reverses the filter of a row in place. `above` is the previous row, or a row of zeros. @returns false for an unknown
 * filter
 */
export function unfilter(filter: u32, row: usize, above: usize, bytes: usize, pixel: usize): bool {
  if (filter == 0) return true;
  if (filter == 2) {
    for (let at: usize = 0; at < bytes; at++) store<u8>(row + at, load<u8>(row + at) + load<u8>(above + at));
    return true;
  }
  if (filter > 4) return false;
  for (let at: usize = 0; at < bytes; at++) {
    const left: i32 = at < pixel ? 0 : load<u8>(row + at - pixel);
    const up: i32 = load<u8>(above + at);
    const corner: i32 = at < pixel ? 0 : load<u8>(above + at - pixel);
    const predicted = filter == 1 ? left : filter == 3 ? (left + up) >> 1 : paeth(left, up, corner);
    store<u8>(row + at, <u8>(load<u8>(row + at) + predicted));
  }
  return true;
}

/** Reverses TIFF's horizontal differencing of 8-bit samples in place. */
export function undifference(row: usize, bytes: usize, pixel: usize): void {
  for (let at = pixel; at < bytes; at++) store<u8>(row + at, load<u8>(row + at) + load<u8>(row + at - pixel));
}

@inline
function cost(byte: i32): u32 {
  return <u32>absolute(<i32>(<i8>byte));
}

/**
 * Filters a row with the PNG filter (None, Sub, Up, Paeth) that has the smallest sum of absolute differences.
 * @param to - receives the filter number, then the row
 */
export function filterRow(row: usize, above: usize, bytes: usize, pixel: usize, to: usize): void {
  let none: u32 = 0;
  let sub: u32 = 0;
  let up: u32 = 0;
  let paethSum: u32 = 0;
  for (let at: usize = 0; at < bytes; at++) {
    const sample: i32 = load<u8>(row + at);
    const a: i32 = at < pixel ? 0 : load<u8>(row + at - pixel);
    const b: i32 = load<u8>(above + at);
    const c: i32 = at < pixel ? 0 : load<u8>(above + at - pixel);
    none += cost(sample);
    sub += cost(sample - a);
    up += cost(sample - b);
    paethSum += cost(sample - paeth(a, b, c));
  }
  const least = min(min(none, sub), min(up, paethSum));
  const filter: u32 = least == up ? 2 : least == sub ? 1 : least == paethSum ? 4 : 0;
  store<u8>(to++, <u8>filter);
  for (let at: usize = 0; at < bytes; at++) {
    const a: i32 = at < pixel ? 0 : load<u8>(row + at - pixel);
    const b: i32 = load<u8>(above + at);
    const c: i32 = at < pixel ? 0 : load<u8>(above + at - pixel);
    const predicted = filter == 0 ? 0 : filter == 1 ? a : filter == 2 ? b : paeth(a, b, c);
    store<u8>(to + at, <u8>(<i32>load<u8>(row + at) - predicted));
  }
}

@inline
function clamp(value: i32): u8 {
  return <u8>min(255, max(0, value));
}

/** Converts planes of Y, Cb and Cr (JFIF 1.02) to interleaved RGB. */
export function toRgb(y: usize, cb: usize, cr: usize, to: usize, count: usize): void {
  for (let index: usize = 0; index < count; index++, to += 3) {
    const luma = (<i32>load<u8>(y + index) << 16) + 32768;
    const blue = <i32>load<u8>(cb + index) - 128;
    const red = <i32>load<u8>(cr + index) - 128;
    store<u8>(to, clamp((luma + 91881 * red) >> 16));
    store<u8>(to + 1, clamp((luma - 22554 * blue - 46802 * red) >> 16));
    store<u8>(to + 2, clamp((luma + 116130 * blue) >> 16));
  }
}

/** Writes a plane as one channel of interleaved pixels. */
export function interleave(plane: usize, to: usize, count: usize, channels: usize): void {
  for (let index: usize = 0; index < count; index++, to += channels) store<u8>(to, load<u8>(plane + index));
}

/** Extracts one channel of interleaved pixels as a plane. */
export function planeOf(from: usize, to: usize, count: usize, channels: usize): void {
  for (let index: usize = 0; index < count; index++, from += channels) store<u8>(to + index, load<u8>(from));
}

/**
 * Repeats the last pixel of every row, and then the last row, to complete MCUs.
 * @param stride - bytes per row including the repeated pixels
 */
export function pad(at: usize, width: usize, height: usize, stride: usize, rows: usize, pixel: usize): void {
  const bytes = width * pixel;
  let row = at;
  for (let y: usize = 0; y < height; y++, row += stride) {
    for (let x = bytes; x < stride; x++) store<u8>(row + x, load<u8>(row + x - pixel));
  }
  for (let y = height; y < rows; y++, row += stride) memory.copy(row, row - stride, stride);
}
