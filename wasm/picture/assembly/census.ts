// Color statistics of an image: how much of it is flat, whether it is gray, and its colors if there are few.

/** Maximum number of counted colors: the size of a palette (ISO 32000-1, 8.6.6.3). */
const MAX_COLORS: u32 = 256;
const SLOT_BITS: u32 = 11;
/** Hash table by color, with open addressing: `index + 1 << 32 | color`. */
const slots: usize = memory.data(16384, 16);

/** Number of pixels equal to their left neighbor; number of colors, or 257 for more than 256. */
export let likeLeft: u32 = 0;
export let colorCount: u32 = 0;
/** True if all samples of every pixel are equal. */
export let isGray: bool = true;
/** Colors in order of first occurrence, `channels` bytes each. */
export const colors: usize = memory.data(1040, 16);

let last: u32 = 0;
let lastIndex: u32 = 0;

export function startCensus(): void {
  memory.fill(slots, 0, 16384);
  likeLeft = 0;
  colorCount = 0;
  isGray = true;
}

@inline
function pixelAt(at: usize, channels: usize): u32 {
  if (channels == 1) return load<u8>(at);
  if (channels == 3) return load<u32>(at) & 0xffffff;
  return load<u32>(at);
}

/** @returns the index of the color, or 256 if there are too many */
function indexOf(color: u32, channels: usize): u32 {
  let slot = (color * 0x9e3779b1) >> (32 - SLOT_BITS);
  for (;;) {
    const entry = load<u64>(slots + (<usize>slot << 3));
    if (entry == 0) break;
    if (<u32>entry == color) return <u32>(entry >> 32) - 1;
    slot = (slot + 1) & ((1 << SLOT_BITS) - 1);
  }
  if (colorCount >= MAX_COLORS) {
    colorCount = MAX_COLORS + 1;
    return MAX_COLORS;
  }
  store<u64>(slots + (<usize>slot << 3), (<u64>(colorCount + 1) << 32) | color);
  store<u32>(colors + <usize>colorCount * channels, color);
  return colorCount++;
}

@inline
function countOf(from: usize, to: usize, width: usize, channels: usize): void {
  for (let x: usize = 0; x < width; x++, from += channels) {
    const color = pixelAt(from, channels);
    if (x > 0 && color == last) {
      likeLeft++;
    } else {
      last = color;
      if (channels == 3 && isGray) isGray = ((color >> 8) & 0xff) == (color & 0xff) && color >> 16 == (color & 0xff);
      if (colorCount <= MAX_COLORS) lastIndex = indexOf(color, channels);
    }
    store<u8>(to + x, <u8>lastIndex);
  }
}

/**
 * Counts a row of pixels of 1, 3 or 4 samples. Reads a few bytes beyond it.
 * @param to - receives the color indexes of the pixels, valid while there are at most 256 colors
 */
export function countRow(from: usize, to: usize, width: usize, channels: usize): void {
  if (channels == 1) countOf(from, to, width, 1);
  else if (channels == 3) countOf(from, to, width, 3);
  else countOf(from, to, width, 4);
}
