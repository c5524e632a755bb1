// Finds the end of a run of equal 3-byte pixels, four pixels at a time.

/** Returns the bytes as 32-bit words if they are aligned; otherwise an empty array. */
export function wordsOf(samples: Uint8Array): Uint32Array {
  const { buffer, byteOffset, length } = samples;
  return byteOffset % 4 === 0 ? new Uint32Array(buffer, byteOffset, length >> 2) : new Uint32Array(0);
}

/**
 * Skips pixels of one color. Can stop early: the caller checks the following pixels.
 * @param at offset of a pixel of this color
 * @param end offset after the last pixel to check
 * @returns the offset of the first unchecked pixel; all pixels from `at` to there have this color
 */
export function skipRun(words: Uint32Array, color: number, at: number, end: number): number {
  const limit = Math.min(end, words.length * 4) - 12;
  if (at % 4 !== 0 || at > limit) return at;
  // Four pixels of three bytes are three little-endian words, as in WebAssembly.
  const first = (color | (color << 24)) >>> 0;
  const second = ((color >>> 8) | (color << 16)) >>> 0;
  const third = ((color >>> 16) | (color << 8)) >>> 0;
  let to = at;
  while (to <= limit) {
    const word = to >> 2;
    if (words[word] !== first || words[word + 1] !== second || words[word + 2] !== third) break;
    to += 12;
  }
  return to;
}
