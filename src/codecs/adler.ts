// Adler-32 (RFC 1950 section 8.2), which zlib streams end with. node:zlib offers it only together with compression.

const BASE = 65521;
/** So many bytes leave both sums within 32 bits; whole steps of 16. */
const BYTES_BEFORE_MODULO = 5552 - (5552 % 16);

export class Adler32 {
  #low = 1;
  #high = 0;
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;

  /** @param bytes - the memory that is summed from; its buffer starts on a word */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  }

  /** The checksum of everything so far. */
  get value(): number {
    return ((this.#high << 16) | this.#low) >>> 0;
  }

  reset(): void {
    this.#low = 1;
    this.#high = 0;
  }

  /** Adds `bytes[from..to)`. */
  add(from: number, to: number): void {
    const bytes = this.#bytes;
    const words = this.#words;
    let low = this.#low;
    let high = this.#high;
    for (let at = from; at < to; ) {
      const stop = Math.min(to, at + BYTES_BEFORE_MODULO);
      while (at < stop && (at & 3) !== 0) {
        low += bytes[at++];
        high += low;
      }
      for (; at + 16 <= stop; at += 16) {
        const word = at >> 2;
        const a = words[word];
        const b = words[word + 1];
        const c = words[word + 2];
        const d = words[word + 3];
        // Paper and its filtered form are most of a page.
        if ((a & b & c & d) === -1) {
          high += 16 * low + 255 * 136;
          low += 16 * 255;
        } else if ((a | b | c | d) === 0) {
          high += 16 * low;
        } else {
          for (let i = at; i < at + 16; i++) {
            low += bytes[i];
            high += low;
          }
        }
      }
      while (at < stop) {
        low += bytes[at++];
        high += low;
      }
      low %= BASE;
      high %= BASE;
    }
    this.#low = low;
    this.#high = high;
  }

  /** Adds that many zeros. */
  addZeros(count: number): void {
    this.#high = (this.#high + count * this.#low) % BASE;
  }
}
