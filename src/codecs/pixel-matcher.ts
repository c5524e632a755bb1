// Finds repetitions in rows of pixels for DEFLATE. Unlike zlib it steps by whole pixels and never looks back on a choice:
// on rendered pages that finds more and costs less. It writes no bits and knows no picture format.

import type { BlockWriter } from "./deflate-block.ts";

/** RFC 1951: no match reaches further back. */
export const WINDOW_BYTES = 32768;
const MAX_MATCH_BYTES = 258;
/** How many earlier places with the same two pixels are compared. */
const CHAIN_LENGTH = 12;
/** A run of equal pixels this long is taken without looking for something longer. */
const LONG_RUN_PIXELS = 24;
const HASH_BITS = 15;
const HASH_SHIFT = 32 - HASH_BITS;

export class PixelMatcher {
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  readonly #rowBytes: number;
  readonly #leadBytes: number;
  readonly #pixelBytes: number;
  /** Shortest match: a pixel, or what DEFLATE allows. */
  readonly #shortest: number;
  /** Bytes that the chains are keyed by: two pixels, or six samples of gray. */
  readonly #keyBytes: number;
  /** Places plus one, counted from the first byte ever seen, by hash of a pixel: the last one only. */
  readonly #lastPixel = new Int32Array(1 << HASH_BITS);
  /** The same by hash of two pixels, each linked to the one before by `#previous`. */
  readonly #lastPair = new Int32Array(1 << HASH_BITS);
  readonly #previous = new Int32Array(WINDOW_BYTES);
  /** Place of `#bytes[0]`. */
  #origin = 0;
  #distance = 0;

  /**
   * @param bytes - the rows, at most {@link WINDOW_BYTES} of earlier ones before them; its buffer starts on a word
   * @param rowBytes - a row with its leading bytes
   * @param leadBytes - bytes before the first pixel of a row (PNG's filter type)
   * @param pixelBytes - 1, 3 or 4
   */
  constructor(bytes: Uint8Array, rowBytes: number, leadBytes: number, pixelBytes: number) {
    this.#bytes = bytes;
    this.#words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    this.#rowBytes = rowBytes;
    this.#leadBytes = leadBytes;
    this.#pixelBytes = pixelBytes;
    this.#shortest = Math.max(3, pixelBytes);
    this.#keyBytes = pixelBytes === 4 ? 8 : 6;
  }

  /** Tells that the content of `bytes` moved towards its beginning by that many bytes. */
  slide(count: number): void {
    this.#origin += count;
    if (this.#origin < 2 ** 30) return;
    this.#origin = 0;
    this.#lastPixel.fill(0);
    this.#lastPair.fill(0);
  }

  /** Forgets everything: the next row is at the beginning of `bytes` and of a stream. */
  reset(): void {
    this.slide(this.#bytes.length + WINDOW_BYTES);
  }

  /** The row at `start` as literals and matches. */
  row(start: number, writer: BlockWriter): void {
    const bytes = this.#bytes;
    const pixel = this.#pixelBytes;
    const end = start + this.#rowBytes;
    const longRun = LONG_RUN_PIXELS * pixel;
    let at = start;
    while (at < start + this.#leadBytes) writer.literal(bytes[at++]);
    const firstPixel = at;
    while (at < end) {
      const run = at > firstPixel ? this.#runLength(at, end) : 0;
      if (run >= longRun || (run >= this.#shortest && run === end - at)) {
        at = this.#takeRun(at, run, end, writer);
        continue;
      }
      let length = this.#longestMatch(at, end);
      let distance = this.#distance;
      if (run >= this.#shortest && run >= length) {
        length = run;
        distance = pixel;
      }
      this.#remember(at, end);
      if (length === 0) {
        for (let sample = 0; sample < pixel; sample++) writer.literal(bytes[at + sample]);
        at += pixel;
      } else {
        writer.match(length, distance);
        for (let inside = at + pixel; inside < at + length; inside += pixel) this.#remember(inside, end);
        at += length;
      }
    }
  }

  /** Bytes from `at` on that repeat the pixel before it, in whole pixels. */
  #runLength(at: number, end: number): number {
    const bytes = this.#bytes;
    const pixel = this.#pixelBytes;
    const value = bytes[at];
    if (value !== bytes[at - pixel]) return 0;
    let to = at;
    let uniform = true;
    for (let sample = 1; sample < pixel; sample++) uniform = uniform && bytes[at - sample] === value;
    if (uniform) {
      const words = this.#words;
      const word = Math.imul(value, 0x01010101);
      while (to < end && (to & 3) !== 0 && bytes[to] === value) to++;
      if ((to & 3) === 0) {
        let index = to >> 2;
        const last = end >> 2;
        while (index < last && words[index] === word) index++;
        to = index << 2;
      }
      while (to < end && bytes[to] === value) to++;
    } else {
      while (to < end && bytes[to] === bytes[to - pixel]) to++;
    }
    return to - at - ((to - at) % pixel);
  }

  #takeRun(from: number, length: number, end: number, writer: BlockWriter): number {
    const pixel = this.#pixelBytes;
    const longest = MAX_MATCH_BYTES - (MAX_MATCH_BYTES % pixel);
    let left = length;
    for (; left >= longest; left -= longest) writer.match(longest, pixel);
    if (left >= this.#shortest) {
      writer.match(left, pixel);
      left = 0;
    }
    const to = from + length - left;
    // What begins after the run is found again by the pixels that lead to it.
    this.#remember(to - pixel, end);
    if (length > pixel) this.#remember(to - 2 * pixel, end);
    return to;
  }

  /** Length in whole pixels, 0 if there is none; its distance is in `#distance`. */
  #longestMatch(at: number, end: number): number {
    const bytes = this.#bytes;
    const origin = this.#origin;
    const place = origin + at;
    const longest = Math.min(MAX_MATCH_BYTES, end - at);
    let best = 0;
    this.#distance = 0;
    // The row above, where antialiased strokes repeat; it is not always among the last ones of its chain.
    const above = at - this.#rowBytes;
    if (above >= 0 && this.#rowBytes <= WINDOW_BYTES) {
      const length = this.#equalBytes(above, at, longest);
      if (length >= this.#shortest) {
        best = length;
        this.#distance = this.#rowBytes;
      }
    }
    if (at + this.#keyBytes <= end) {
      let candidate = this.#lastPair[this.#pairHash(at)];
      for (let tries = CHAIN_LENGTH; tries > 0 && candidate > 0 && place - candidate < WINDOW_BYTES; tries--) {
        const index = candidate - 1 - origin;
        if (bytes[index + best] === bytes[at + best] && bytes[index] === bytes[at]) {
          const length = this.#equalBytes(index, at, longest);
          if (length >= this.#shortest && (length > best || (length === best && at - index < this.#distance))) {
            best = length;
            this.#distance = at - index;
            if (length + this.#pixelBytes > longest) break;
          }
        }
        const before = this.#previous[(candidate - 1) & (WINDOW_BYTES - 1)];
        if (before >= candidate) break;
        candidate = before;
      }
    }
    if (best < 2 * this.#shortest && at + this.#shortest <= end) {
      const candidate = this.#lastPixel[this.#pixelHash(at)];
      if (candidate > 0 && place - candidate < WINDOW_BYTES) {
        const index = candidate - 1 - origin;
        const length = this.#equalBytes(index, at, longest);
        if (length >= this.#shortest && (length > best || (length === best && at - index < this.#distance))) {
          best = length;
          this.#distance = at - index;
        }
      }
    }
    return best;
  }

  #equalBytes(earlier: number, at: number, longest: number): number {
    const bytes = this.#bytes;
    let length = 0;
    while (length < longest && bytes[earlier + length] === bytes[at + length]) length++;
    return length - (length % this.#pixelBytes);
  }

  #remember(at: number, end: number): void {
    const place = this.#origin + at;
    if (at + this.#shortest <= end) this.#lastPixel[this.#pixelHash(at)] = place + 1;
    if (at + this.#keyBytes <= end) {
      const hash = this.#pairHash(at);
      this.#previous[place & (WINDOW_BYTES - 1)] = this.#lastPair[hash];
      this.#lastPair[hash] = place + 1;
    }
  }

  #pixelHash(at: number): number {
    const bytes = this.#bytes;
    let key = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16);
    if (this.#pixelBytes === 4) key |= bytes[at + 3] << 24;
    return Math.imul(key, 0x9e3779b1) >>> HASH_SHIFT;
  }

  #pairHash(at: number): number {
    const bytes = this.#bytes;
    let first = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16);
    let second: number;
    if (this.#pixelBytes === 4) {
      first |= bytes[at + 3] << 24;
      second = bytes[at + 4] | (bytes[at + 5] << 8) | (bytes[at + 6] << 16) | (bytes[at + 7] << 24);
    } else {
      second = bytes[at + 3] | (bytes[at + 4] << 8) | (bytes[at + 5] << 16);
    }
    return Math.imul(first ^ Math.imul(second, 0x85ebca6b), 0x9e3779b1) >>> HASH_SHIFT;
  }
}
