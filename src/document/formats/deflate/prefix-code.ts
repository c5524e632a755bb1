// Decodes the prefix codes of Deflate (RFC 1951, 3.2.2).
import type { BitReader } from "./bit-reader.ts";

const LONGEST = 15;
/** Number of bits that a table decodes at once. Larger tables take long to make, and a stream can have many. */
const TABLE_BITS = 9;

export class PrefixCode {
  /** Symbols by their codes: symbol and length of the code; 0 if the code is longer. */
  readonly #table = new Uint16Array(2 ** TABLE_BITS);
  readonly #counts = new Uint16Array(LONGEST + 1);
  /** Symbols in the order of their codes. */
  readonly #symbols: Uint16Array;

  private constructor(lengths: Uint8Array) {
    for (const length of lengths) this.#counts[length]!++;
    this.#counts[0] = 0;
    const next = new Uint16Array(LONGEST + 2);
    for (let length = 1; length <= LONGEST; length++) next[length + 1] = next[length]! + this.#counts[length]!;
    this.#symbols = new Uint16Array(next[LONGEST + 1]!);
    for (const [symbol, length] of lengths.entries()) if (length > 0) this.#symbols[next[length]!++] = symbol;
    this.#fillTable();
  }

  /** @returns undefined if the lengths are of no code. A code of which not all values are used is valid. */
  static of(lengths: Uint8Array): PrefixCode | undefined {
    let left = 2 ** LONGEST;
    for (const length of lengths) if (length > 0) left -= 2 ** (LONGEST - length);
    return left < 0 ? undefined : new PrefixCode(lengths);
  }

  #fillTable(): void {
    let [code, index] = [0, 0];
    for (let length = 1; length <= TABLE_BITS; length++) {
      for (let left = this.#counts[length]!; left > 0; left--, code++) {
        const entry = (this.#symbols[index++]! << 4) | length;
        for (let at = reversed(code, length); at < this.#table.length; at += 2 ** length) this.#table[at] = entry;
      }
      code *= 2;
    }
  }

  /** @returns undefined for an unused code, and at the end of the stream */
  next(bits: BitReader): number | undefined {
    const entry = this.#table[bits.peek(TABLE_BITS)]!;
    if (entry === 0) return this.#nextLong(bits);
    return bits.drop(entry & 15) ? entry >> 4 : undefined;
  }

  #nextLong(bits: BitReader): number | undefined {
    const ahead = bits.peek(LONGEST);
    let [code, first, index] = [0, 0, 0];
    for (let length = 1; length <= LONGEST; length++) {
      code |= (ahead >> (length - 1)) & 1;
      const count = this.#counts[length]!;
      if (code - first < count) return bits.drop(length) ? this.#symbols[index + code - first]! : undefined;
      index += count;
      first = (first + count) * 2;
      code *= 2;
    }
    return undefined;
  }
}

function reversed(code: number, length: number): number {
  let result = 0;
  for (let bit = 0; bit < length; bit++) result |= ((code >> bit) & 1) << (length - 1 - bit);
  return result;
}
