// Writes tokens as blocks of DEFLATE (RFC 1951), bit by bit, with a prefix code of their own for each block.
// It does not look for matches.

import { canonicalCodes, codeLengths } from "./huffman.ts";

/** Tokens of one block: enough to pay for its code table, few enough to follow a page that changes. */
const TOKENS_PER_BLOCK = 8192;
const END_OF_BLOCK = 256;
/** The longest token: a length code with its extra bits and a distance code with its own, 48 bits, and the table. */
const LARGEST_BLOCK_BYTES = TOKENS_PER_BLOCK * 6 + 512;

/** Order of the code length code's lengths (RFC 1951 section 3.2.7). */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

const lengthSymbol = new Uint16Array(259);
const lengthExtraBits = new Uint8Array(259);
const lengthExtra = new Uint8Array(259);
{
  // RFC 1951 section 3.2.5: codes 257 to 264 stand for one length each, then four codes for each number of extra bits.
  let length = 3;
  for (let symbol = 257; symbol < 285; symbol++) {
    const extraBits = symbol < 265 ? 0 : (symbol - 261) >> 2;
    for (let extra = 0; extra < 1 << extraBits; extra++, length++) {
      lengthSymbol[length] = symbol;
      lengthExtraBits[length] = extraBits;
      lengthExtra[length] = extra;
    }
  }
  lengthSymbol[258] = 285;
  lengthExtraBits[258] = 0;
  lengthExtra[258] = 0;
}

/** Symbol of a distance less one (RFC 1951 section 3.2.5). */
function distanceSymbol(below: number): number {
  if (below < 4) return below;
  const top = 31 - Math.clz32(below);
  return 2 * top + ((below >> (top - 1)) & 1);
}

/** Collects tokens and writes a block when enough have come. */
export class BlockWriter {
  /** Written bytes are `bytes[start..end)`; bits that do not fill a byte yet are not among them. */
  bytes: Uint8Array;
  end: number;
  /** A literal is its value; a match is `length << 16 | distance - 1`. */
  readonly #tokens = new Uint32Array(TOKENS_PER_BLOCK);
  #count = 0;
  readonly #literalFrequencies = new Uint32Array(286);
  readonly #distanceFrequencies = new Uint32Array(30);
  readonly #literalLengths = new Uint8Array(286);
  readonly #distanceLengths = new Uint8Array(30);
  readonly #literalCodes = new Uint16Array(286);
  readonly #distanceCodes = new Uint16Array(30);
  #held = 0;
  #heldBits = 0;

  /** @param start - bytes left free at the beginning of `bytes` */
  constructor(start: number) {
    this.bytes = new Uint8Array(1 << 17);
    this.end = start;
  }

  literal(value: number): void {
    if (this.#count === TOKENS_PER_BLOCK) this.endBlock();
    this.#literalFrequencies[value]++;
    this.#tokens[this.#count++] = value;
  }

  /**
   * @param length - 3 to 258
   * @param distance - 1 to 32768
   */
  match(length: number, distance: number): void {
    if (this.#count === TOKENS_PER_BLOCK) this.endBlock();
    this.#literalFrequencies[lengthSymbol[length]]++;
    this.#distanceFrequencies[distanceSymbol(distance - 1)]++;
    this.#tokens[this.#count++] = (length << 16) | (distance - 1);
  }

  /** Writes what is collected as a block that is not the last. */
  endBlock(): void {
    if (this.#count === 0) return;
    this.reserve(LARGEST_BLOCK_BYTES);
    this.#literalFrequencies[END_OF_BLOCK] = 1;
    codeLengths(this.#literalFrequencies, 15, this.#literalLengths);
    codeLengths(this.#distanceFrequencies, 15, this.#distanceLengths);
    canonicalCodes(this.#literalLengths, this.#literalCodes);
    canonicalCodes(this.#distanceLengths, this.#distanceCodes);
    this.#put(0b100, 3); // not the last, dynamic codes
    this.#writeCodeTable();
    this.#writeTokens();
    this.#put(this.#literalCodes[END_OF_BLOCK], this.#literalLengths[END_OF_BLOCK]);
    this.#literalFrequencies.fill(0);
    this.#distanceFrequencies.fill(0);
    this.#count = 0;
  }

  /** Ends the block and fills the last byte: an empty stored block (RFC 1951 section 3.2.4), so that whole bytes can follow. */
  align(): void {
    this.endBlock();
    if (this.#heldBits === 0) return;
    this.reserve(16);
    this.#put(0b000, 3);
    this.#flushBits();
    this.append(Uint8Array.of(0, 0, 0xff, 0xff));
  }

  /** Ends the stream with an empty last block of fixed codes (RFC 1951 section 3.2.6) and fills the last byte. */
  finish(): void {
    this.endBlock();
    this.reserve(16);
    this.#put(0b011, 3);
    this.#put(0, 7);
    this.#flushBits();
  }

  /** Whole bytes; only after {@link align} or {@link finish}. */
  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.end);
    this.end += bytes.length;
  }

  /** Makes room for that many bytes more. */
  reserve(count: number): void {
    if (this.end + count <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.end + count));
    larger.set(this.bytes.subarray(0, this.end));
    this.bytes = larger;
  }

  #put(value: number, bits: number): void {
    this.#held |= value << this.#heldBits;
    this.#heldBits += bits;
    while (this.#heldBits >= 8) {
      this.bytes[this.end++] = this.#held;
      this.#held >>>= 8;
      this.#heldBits -= 8;
    }
  }

  #flushBits(): void {
    if (this.#heldBits > 0) this.bytes[this.end++] = this.#held;
    this.#held = 0;
    this.#heldBits = 0;
  }

  /** RFC 1951 section 3.2.7. */
  #writeCodeTable(): void {
    const literals = Math.max(257, 1 + this.#literalLengths.findLastIndex((length) => length > 0));
    // A block without matches still declares one distance code, of length 0.
    const distances = Math.max(1, 1 + this.#distanceLengths.findLastIndex((length) => length > 0));
    const all = new Uint8Array(literals + distances);
    all.set(this.#literalLengths.subarray(0, literals));
    all.set(this.#distanceLengths.subarray(0, distances), literals);
    const runs = runLengths(all);
    const frequencies = new Uint32Array(19);
    for (const [symbol] of runs) frequencies[symbol]++;
    const lengths = new Uint8Array(19);
    const codes = new Uint16Array(19);
    codeLengths(frequencies, 7, lengths);
    canonicalCodes(lengths, codes);
    const declared = Math.max(4, 1 + LENGTH_ORDER.findLastIndex((symbol) => lengths[symbol] > 0));
    this.#put(literals - 257, 5);
    this.#put(distances - 1, 5);
    this.#put(declared - 4, 4);
    for (const symbol of LENGTH_ORDER.slice(0, declared)) this.#put(lengths[symbol], 3);
    for (const [symbol, extra, extraBits] of runs) {
      this.#put(codes[symbol], lengths[symbol]);
      this.#put(extra, extraBits);
    }
  }

  #writeTokens(): void {
    const tokens = this.#tokens;
    const literalCodes = this.#literalCodes;
    const literalLengths = this.#literalLengths;
    const distanceCodes = this.#distanceCodes;
    const distanceLengths = this.#distanceLengths;
    const bytes = this.bytes;
    let end = this.end;
    let held = this.#held;
    let heldBits = this.#heldBits;
    // Never more than 15 bits are held between two steps, and no step adds more than 15: together they fit in 32.
    for (let i = 0; i < this.#count; i++) {
      const token = tokens[i];
      const length = token >>> 16;
      const symbol = length === 0 ? token : lengthSymbol[length];
      held |= literalCodes[symbol] << heldBits;
      heldBits += literalLengths[symbol];
      if (heldBits >= 16) {
        bytes[end] = held;
        bytes[end + 1] = held >>> 8;
        end += 2;
        held >>>= 16;
        heldBits -= 16;
      }
      if (length === 0) continue;
      held |= lengthExtra[length] << heldBits;
      heldBits += lengthExtraBits[length];
      if (heldBits >= 16) {
        bytes[end] = held;
        bytes[end + 1] = held >>> 8;
        end += 2;
        held >>>= 16;
        heldBits -= 16;
      }
      const below = token & 0xffff;
      const distance = distanceSymbol(below);
      held |= distanceCodes[distance] << heldBits;
      heldBits += distanceLengths[distance];
      if (heldBits >= 16) {
        bytes[end] = held;
        bytes[end + 1] = held >>> 8;
        end += 2;
        held >>>= 16;
        heldBits -= 16;
      }
      if (distance < 4) continue;
      const extraBits = (distance >> 1) - 1;
      held |= (below & ((1 << extraBits) - 1)) << heldBits;
      heldBits += extraBits;
      if (heldBits >= 16) {
        bytes[end] = held;
        bytes[end + 1] = held >>> 8;
        end += 2;
        held >>>= 16;
        heldBits -= 16;
      }
    }
    while (heldBits >= 8) {
      bytes[end++] = held;
      held >>>= 8;
      heldBits -= 8;
    }
    this.end = end;
    this.#held = held;
    this.#heldBits = heldBits;
  }
}

/** Lengths as symbols of the code length code, each with its extra bits: 16 repeats the last, 17 and 18 repeat zero. */
function runLengths(lengths: Uint8Array): [symbol: number, extra: number, extraBits: number][] {
  const runs: [number, number, number][] = [];
  for (let i = 0; i < lengths.length; ) {
    const length = lengths[i];
    let end = i + 1;
    while (end < lengths.length && lengths[end] === length) end++;
    let left = end - i;
    i = end;
    if (length === 0) {
      for (; left >= 11; left -= Math.min(left, 138)) runs.push([18, Math.min(left, 138) - 11, 7]);
      if (left >= 3) {
        runs.push([17, left - 3, 3]);
        left = 0;
      }
    } else {
      runs.push([length, 0, 0]);
      for (left--; left >= 3; left -= Math.min(left, 6)) runs.push([16, Math.min(left, 6) - 3, 2]);
    }
    for (; left > 0; left--) runs.push([length, 0, 0]);
  }
  return runs;
}
