// Compresses palette indexes with the variable-length codes of GIF (GIF89a, Appendix F).

const MAX_BITS = 12;
const MAX_CODES = 1 << MAX_BITS;
const HASH_BITS = 14;
const HASH_MASK = (1 << HASH_BITS) - 1;
const EMPTY = -1;

/** Maximum number of indexes per call of {@link LzwEncoder.write}. */
export const LZW_SLICE = 8192;

/** Maximum output of a slice: a 12-bit code per index and all possible clear codes, rounded up. */
const SLICE_BYTES = LZW_SLICE * 2;

/** Compresses indexes into {@link LzwEncoder.bytes}, which the caller empties with {@link LzwEncoder.discard}. */
export class LzwEncoder {
  /** The code stream so far. Its first {@link LzwEncoder.length} bytes are valid. */
  readonly bytes: Uint8Array;
  length = 0;

  readonly #clearCode: number;
  readonly #firstBits: number;
  /** Hash table of strings: `prefix << 8 | index` in the upper 20 bits, the code of the string in the lower 12. */
  readonly #table = new Int32Array(1 << HASH_BITS);
  #nextCode = 0;
  #bits: number;
  #held = 0;
  #heldBits = 0;
  /** Code of the string being extended; -1 before the first index. */
  #prefix = -1;

  /**
   * @param codeSize minimum code size, 2 to 8: every index is less than `2 ** codeSize`.
   * @param capacity number of bytes that can be collected before the caller discards them.
   */
  constructor(codeSize: number, capacity: number) {
    this.bytes = new Uint8Array(capacity + SLICE_BYTES);
    this.#clearCode = 1 << codeSize;
    this.#firstBits = codeSize + 1;
    this.#bits = this.#firstBits;
    this.#clear();
  }

  /** Adds the first `count` elements of `indices`, at most {@link LZW_SLICE}. */
  write(indices: Uint8Array, count: number): void {
    if (count === 0) return;
    const table = this.#table;
    let at = 0;
    let prefix = this.#prefix < 0 ? indices[at++]! : this.#prefix;
    while (at < count) {
      const index = indices[at++]!;
      const key = (prefix << 8) | index;
      // Only the index is multiplied: the prefix comes from the previous lookup, and multiplying it would lengthen the
      // critical path.
      let slot = (prefix << (HASH_BITS - MAX_BITS)) ^ (Math.imul(index, 0x9e3779b1) >>> (32 - HASH_BITS));
      let entry = table[slot]!;
      while (entry >>> MAX_BITS !== key && entry !== EMPTY) {
        slot = (slot + 1) & HASH_MASK;
        entry = table[slot]!;
      }
      if (entry !== EMPTY) {
        prefix = entry & (MAX_CODES - 1);
        continue;
      }
      this.#put(prefix);
      if (this.#nextCode < MAX_CODES) {
        table[slot] = (key << MAX_BITS) | this.#nextCode++;
      } else {
        // A delayed clear code (Appendix F) would save one percent, but some readers do not support it.
        this.#clear();
      }
      prefix = index;
    }
    this.#prefix = prefix;
  }

  /** Writes the remaining bits and the end code. Nothing can be written afterwards. */
  finish(): void {
    if (this.#prefix >= 0) this.#put(this.#prefix);
    this.#put(this.#clearCode + 1);
    if (this.#heldBits > 0) this.bytes[this.length++] = this.#held;
  }

  /** Removes the first `count` bytes of {@link LzwEncoder.bytes}. */
  discard(count: number): void {
    this.bytes.copyWithin(0, count, this.length);
    this.length -= count;
  }

  #put(code: number): void {
    let held = this.#held | (code << this.#heldBits);
    let bits = this.#heldBits + this.#bits;
    let length = this.length;
    while (bits >= 8) {
      this.bytes[length++] = held;
      held >>>= 8;
      bits -= 8;
    }
    this.length = length;
    this.#held = held;
    this.#heldBits = bits;
    // The decoder creates a code one step later than the encoder. So the width grows when the next code is written, not
    // when a code is created.
    if (this.#nextCode === 1 << this.#bits && this.#bits < MAX_BITS) this.#bits++;
  }

  #clear(): void {
    this.#put(this.#clearCode);
    this.#table.fill(EMPTY);
    this.#bits = this.#firstBits;
    this.#nextCode = this.#clearCode + 2;
  }
}
