// Decodes three variants of LZW: TIFF (6.0, section 13); the variant of programs before TIFF 5.0, which write low bits
// first; GIF (GIF89a, Appendix F), which also writes low bits first, with symbols of fewer bits.

const MAX_CODES = 4096;
/** Output buffer size. A string has at most as many bytes as the table has entries. */
const OUTPUT_BYTES = 65_536;

/**
 * Yields the decoded bytes up to the first invalid code, in chunks that are valid until the next one is requested.
 * @param symbolBits bits per symbol of a GIF, 1 to 8. @default 8, for TIFF, whose first code shows the variant
 */
export function* decodeLzw(bytes: Uint8Array, symbolBits?: number): Generator<Uint8Array> {
  const decoder = new LzwDecoder(bytes, symbolBits);
  for (let piece = decoder.next(); piece.length > 0; piece = decoder.next()) yield piece;
}

class LzwDecoder {
  readonly #bytes: Uint8Array;
  /** True if codes start with their low bits, and become wider as late as possible: GIF, and the old variant of TIFF. */
  readonly #isOld: boolean;
  /**
   * Code that clears the table. It follows the codes of the symbols. The next code ends the data, and the codes after
   * that represent strings.
   */
  readonly #clear: number;
  readonly #firstWidth: number;
  /** Strings by code: the code of all but the last byte, the last byte, the first byte and the length. */
  readonly #prefixes = new Uint16Array(MAX_CODES);
  readonly #lasts = new Uint8Array(MAX_CODES);
  readonly #firsts = new Uint8Array(MAX_CODES);
  readonly #lengths = new Uint16Array(MAX_CODES);
  readonly #output = new Uint8Array(OUTPUT_BYTES);
  #free: number;
  #width: number;
  /** The previous code; -1 after a clear code. */
  #before = -1;
  #hold = 0;
  #held = 0;
  #at = 0;
  #isOver = false;

  constructor(bytes: Uint8Array, symbolBits?: number) {
    this.#bytes = bytes;
    // The first code is the clear code. In TIFF, it is 256 in nine bits, so its low eight bits are zero.
    this.#isOld = symbolBits !== undefined || (bytes.length >= 2 && bytes[0] === 0 && (bytes[1]! & 1) === 1);
    this.#clear = 1 << (symbolBits ?? 8);
    this.#firstWidth = (symbolBits ?? 8) + 1;
    this.#free = this.#clear + 2;
    this.#width = this.#firstWidth;
    for (let code = 0; code < this.#clear; code++) {
      this.#lasts[code] = code;
      this.#firsts[code] = code;
      this.#lengths[code] = 1;
    }
  }

  /** @returns an empty array at the end */
  next(): Uint8Array {
    const prefixes = this.#prefixes;
    const lasts = this.#lasts;
    const firsts = this.#firsts;
    const lengths = this.#lengths;
    const output = this.#output;
    const clear = this.#clear;
    const end = clear + 1;
    let free = this.#free;
    let before = this.#before;
    let filled = 0;
    while (filled <= OUTPUT_BYTES - MAX_CODES) {
      const code = this.#read();
      if (code === clear) {
        free = end + 1;
        this.#width = this.#firstWidth;
        before = -1;
        continue;
      }
      // An undefined code is valid only if it is the code that this step creates.
      const isNew = code === free && before >= 0;
      if (code < 0 || code === end || (code >= free && !isNew) || (code > end && before < 0)) {
        this.#isOver = true;
        break;
      }
      const known = isNew ? before : code;
      const length = lengths[known]!;
      let to = filled + length;
      if (isNew) output[to] = firsts[known]!;
      for (let walk = known; to > filled; walk = prefixes[walk]!) output[--to] = lasts[walk]!;
      filled += isNew ? length + 1 : length;
      if (before >= 0 && free < MAX_CODES) {
        prefixes[free] = before;
        lasts[free] = firsts[known]!;
        firsts[free] = firsts[before]!;
        lengths[free] = lengths[before]! + 1;
        free++;
        // The code width grows one code earlier than necessary, except in the old variant.
        if (this.#width < 12 && free + (this.#isOld ? 0 : 1) >= 1 << this.#width) this.#width++;
      }
      before = code;
    }
    this.#free = free;
    this.#before = before;
    return output.subarray(0, filled);
  }

  /** @returns -1 after the last code */
  #read(): number {
    const bytes = this.#bytes;
    const width = this.#width;
    while (this.#held < width) {
      if (this.#at === bytes.length || this.#isOver) return -1;
      const byte = bytes[this.#at++]!;
      this.#hold = this.#isOld ? this.#hold | (byte << this.#held) : ((this.#hold << 8) | byte) & 0xfffff;
      this.#held += 8;
    }
    this.#held -= width;
    const mask = (1 << width) - 1;
    if (!this.#isOld) return (this.#hold >>> this.#held) & mask;
    const code = this.#hold & mask;
    this.#hold >>>= width;
    return code;
  }
}
