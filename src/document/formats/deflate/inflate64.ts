// Inflates Deflate64 (APPNOTE.TXT 4.4.5, method 9), which Windows writes for large files: Deflate (RFC 1951) with a window
// and matches of 64 KiB. Streams, and uses about 320 KiB.
import { BitReader } from "./bit-reader.ts";
import { PrefixCode } from "./prefix-code.ts";

const WINDOW_BYTES = 2 ** 16;
const LONGEST_MATCH = 2 ** 16 + 2;
/** Bytes between two outputs. */
const STEP_BYTES = 2 ** 17;
/** Bytes that hold any match with its distance, and those that hold the start of any block. */
const [SYMBOL_BYTES, START_BYTES] = [16, 1024];
const END_OF_BLOCK = 256;
const ORDER_OF_LENGTHS = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/** Number of extra bits, smallest value and kind of repeated lengths (3.2.7). */
const REPEATS = { 16: [2, 3], 17: [3, 3], 18: [7, 11] } as const;

/** The smallest length or distance, and the number of extra bits, by symbol. */
type Steps = readonly (readonly [base: number, bits: number])[];

function stepsOf(bits: readonly number[], first: number): Steps {
  let base = first;
  return bits.map((count) => {
    base += 2 ** count;
    return [base - 2 ** count, count];
  });
}
const inGroups = (groups: number, size: number) =>
  Array.from({ length: groups * size }, (_, at) => Math.floor(at / size));
/** The last length has 16 extra bits, unlike that of Deflate. */
const LENGTHS: Steps = [...stepsOf([0, 0, 0, 0, ...inGroups(6, 4)], 3), [3, 16]];
const DISTANCES = stepsOf([0, 0, ...inGroups(15, 2)], 1);

interface Codes {
  readonly literals: PrefixCode;
  readonly distances: PrefixCode;
}

/** @param fail creates the error about a damaged stream */
export async function* inflate64(packed: AsyncIterable<Uint8Array>, fail: () => Error): AsyncGenerator<Uint8Array> {
  const inflater = new Inflater64(packed, fail);
  for (let isLast = false; !isLast; ) {
    isLast = await inflater.startBlock();
    while (await inflater.step()) yield* inflater.output(STEP_BYTES);
  }
  yield* inflater.output(0);
}

class Inflater64 {
  readonly #bits: BitReader;
  readonly #fail: () => Error;
  /** The window, then bytes that are not output yet. */
  readonly #bytes = new Uint8Array(WINDOW_BYTES + STEP_BYTES + LONGEST_MATCH);
  #at = 0;
  #outputUntil = 0;
  #codes: Codes | undefined;
  /** Number of bytes that are left of a stored block. */
  #stored = 0;

  constructor(packed: AsyncIterable<Uint8Array>, fail: () => Error) {
    this.#bits = new BitReader(packed);
    this.#fail = fail;
  }

  /** @returns true for the last block */
  async startBlock(): Promise<boolean> {
    await this.#bits.ensure(START_BYTES);
    const isLast = this.#take(1) === 1;
    const kind = this.#take(2);
    this.#codes = kind === 0 ? undefined : kind === 1 ? fixedCodes() : kind === 2 ? this.#readCodes() : undefined;
    if (kind === 3) throw this.#fail();
    if (kind === 0) {
      const [low, high, lowInverse, highInverse] = this.#bits.bytes(4);
      if (highInverse === undefined || (low! ^ 255) !== lowInverse || (high! ^ 255) !== highInverse) throw this.#fail();
      this.#stored = low! | (high! << 8);
    }
    return isLast;
  }

  /** Inflates a part of a block. @returns false at its end */
  async step(): Promise<boolean> {
    await this.#bits.ensure(START_BYTES);
    return this.#codes ? this.#decode(this.#codes) : this.#copyStored();
  }

  /** Yields the bytes that are ready, if there are at least `count`. */
  *output(count: number): Generator<Uint8Array> {
    if (this.#at - this.#outputUntil < Math.max(1, count)) return;
    yield this.#bytes.slice(this.#outputUntil, this.#at);
    const start = Math.max(0, this.#at - WINDOW_BYTES);
    this.#bytes.copyWithin(0, start, this.#at);
    this.#at -= start;
    this.#outputUntil = this.#at;
  }

  #copyStored(): boolean {
    if (this.#stored === 0) return false;
    const part = this.#bits.bytes(Math.min(this.#stored, STEP_BYTES - (this.#at - this.#outputUntil)));
    if (part.length === 0) throw this.#fail();
    this.#bytes.set(part, this.#at);
    this.#at += part.length;
    this.#stored -= part.length;
    return true;
  }

  /** Decodes until the input, or the space for the output, is nearly used up. @returns false at the end of the block */
  #decode({ literals, distances }: Codes): boolean {
    const until = this.#outputUntil + STEP_BYTES;
    // Near the end of the stream, one symbol is decoded at a time.
    do {
      const symbol = literals.next(this.#bits);
      if (symbol === undefined) throw this.#fail();
      if (symbol === END_OF_BLOCK) return false;
      if (symbol < END_OF_BLOCK) this.#bytes[this.#at++] = symbol;
      else
        this.#copyMatch(
          this.#value(LENGTHS, symbol - END_OF_BLOCK - 1),
          this.#value(DISTANCES, distances.next(this.#bits)),
        );
    } while (this.#at < until && this.#bits.available >= SYMBOL_BYTES);
    return true;
  }

  #copyMatch(length: number, distance: number): void {
    if (distance > this.#at) throw this.#fail();
    const end = this.#at + length;
    if (distance >= length) this.#bytes.copyWithin(this.#at, this.#at - distance, end - distance);
    else for (let at = this.#at; at < end; at++) this.#bytes[at] = this.#bytes[at - distance]!;
    this.#at = end;
  }

  #value(steps: Steps, symbol: number | undefined): number {
    const step = symbol === undefined ? undefined : steps[symbol];
    if (!step) throw this.#fail();
    const [base, bits] = step;
    return bits === 0 ? base : base + this.#take(bits);
  }

  #take(count: number): number {
    const value = this.#bits.peek(count);
    if (!this.#bits.drop(count)) throw this.#fail();
    return value;
  }

  /** Reads the codes of a block (3.2.7). */
  #readCodes(): Codes {
    const [literalCount, distanceCount] = [this.#take(5) + 257, this.#take(5) + 1];
    const ofLengths = new Uint8Array(ORDER_OF_LENGTHS.length);
    for (const symbol of ORDER_OF_LENGTHS.slice(0, this.#take(4) + 4)) ofLengths[symbol] = this.#take(3);
    const code = this.#codeOf(ofLengths);
    const lengths = new Uint8Array(literalCount + distanceCount);
    for (let at = 0; at < lengths.length; ) {
      const symbol = code.next(this.#bits);
      if (symbol === undefined || (symbol === 16 && at === 0)) throw this.#fail();
      if (symbol < 16) lengths[at++] = symbol;
      else {
        const [bits, least] = REPEATS[symbol as keyof typeof REPEATS];
        const end = at + least + this.#take(bits);
        if (end > lengths.length) throw this.#fail();
        lengths.fill(symbol === 16 ? lengths[at - 1]! : 0, at, end);
        at = end;
      }
    }
    return {
      literals: this.#codeOf(lengths.subarray(0, literalCount)),
      distances: this.#codeOf(lengths.subarray(literalCount)),
    };
  }

  #codeOf(lengths: Uint8Array): PrefixCode {
    const code = PrefixCode.of(lengths);
    if (!code) throw this.#fail();
    return code;
  }
}

let fixed: Codes | undefined;

/** Returns the codes of blocks without codes of their own (3.2.6). */
function fixedCodes(): Codes {
  const lengths = Uint8Array.from({ length: 288 }, (_, at) => (at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8));
  fixed ??= { literals: PrefixCode.of(lengths)!, distances: PrefixCode.of(new Uint8Array(32).fill(5))! };
  return fixed;
}
