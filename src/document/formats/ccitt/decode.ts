// Decodes fax codes (ITU-T T.4 and T.6, TIFF 6.0 sections 10 and 11) into rows, each a list of its color changes.
import { HORIZONTAL_MODE, MODE_BITS, MODE_TABLE, PASS_MODE, RUN_BITS, RUN_TABLES } from "./codes.ts";

export interface FaxOptions {
  readonly columns: number;
  /** Coding: T.4, T.6, or `rows`: T.4 without end-of-line codes, with each row aligned to bytes or words. */
  readonly kind: "rows" | "t4" | "t6";
  /** For `t4`: a bit after each end-of-line code states whether the row is coded relative to the row above. */
  readonly isTwoDimensional?: boolean;
  /** For `rows`: alignment of rows in bits. @default 8 */
  readonly alignment?: 8 | 16;
}

/** Number of zeros in the end-of-line code. A 1 follows them. */
const EOL_ZEROS = 11;
/** Vertical mode of a color change directly below a change of the row above. */
const VERTICAL_ZERO = 3;

export class FaxDecoder {
  readonly #bytes: Uint8Array;
  readonly #options: FaxOptions;
  readonly #end: number;
  /** Position of the next bit. */
  #at = 0;
  #above: Uint32Array;
  #row: Uint32Array;
  #aboveCount = 0;
  #count = 0;
  #isOver = false;
  /** True after a damaged row. */
  #isLost = false;
  #hasEmptyRuns = false;

  constructor(bytes: Uint8Array, options: FaxOptions) {
    this.#bytes = bytes;
    this.#options = options;
    this.#end = bytes.length * 8;
    // A row can have two changes per pixel: every pixel can change the color, and runs can be empty.
    this.#above = new Uint32Array(2 * options.columns);
    this.#row = new Uint32Array(2 * options.columns);
  }

  /**
   * True if an empty run has occurred, other than at the start of a row. Some programs write empty runs and count both
   * ends as color changes, to which the row below then refers. Only libtiff decodes such an image as intended; other
   * readers show a different image.
   */
  get hasEmptyRuns(): boolean {
    return this.#hasEmptyRuns;
  }

  /**
   * Returns the columns where the color changes, starting with white. The second call after this one overwrites the
   * array. A damaged row continues with its last color.
   * @returns undefined after the last row
   */
  next(): Uint32Array | undefined {
    if (this.#isOver || this.#at >= this.#end) return undefined;
    [this.#above, this.#row] = [this.#row, this.#above];
    this.#aboveCount = this.#count;
    this.#count = 0;
    let isSound: boolean;
    switch (this.#options.kind) {
      case "t6":
        isSound = this.#readReferring();
        // The start of the next row is unknown.
        if (!isSound) this.#isOver = true;
        break;
      case "t4": {
        const isReferring = this.#beginLine();
        if (this.#isOver) return undefined;
        isSound = isReferring ? this.#readReferring() : this.#readRuns();
        break;
      }
      default: {
        const alignment = this.#options.alignment ?? 8;
        this.#at = Math.ceil(this.#at / alignment) * alignment;
        if (this.#at >= this.#end) return undefined;
        isSound = this.#readRuns();
      }
    }
    if (!isSound && this.#count === 0) {
      if (this.#options.kind !== "t4" || this.#at >= this.#end) this.#isOver = true;
      if (this.#isOver) return undefined;
    }
    return this.#hasEmptyRuns ? this.#withoutEmptyRuns() : this.#row.subarray(0, this.#count);
  }

  #withoutEmptyRuns(): Uint32Array {
    const row = this.#row;
    const kept = new Uint32Array(this.#count);
    let count = 0;
    for (let index = 0; index < this.#count; index++) {
      if (count > 0 && kept[count - 1] === row[index]) count--;
      else kept[count++] = row[index]!;
    }
    return kept.subarray(0, count);
  }

  /** Returns the next bits, high bits first; zeros after the end. */
  #peek(bits: number): number {
    const byte = this.#at >> 3;
    const bytes = this.#bytes;
    const word = ((bytes[byte] ?? 0) << 16) | ((bytes[byte + 1] ?? 0) << 8) | (bytes[byte + 2] ?? 0);
    return (word >> (24 - (this.#at & 7) - bits)) & ((1 << bits) - 1);
  }

  /** Skips end-of-line codes and fill bits. @returns true if the row is coded relative to the row above */
  #beginLine(): boolean {
    let ends = 0;
    let isReferring = false;
    for (;;) {
      const start = this.#at;
      // After damage, decoding resumes after the next end-of-line code.
      while (this.#isLost && this.#at < this.#end && this.#peek(EOL_ZEROS) !== 0) this.#at++;
      if (this.#peek(EOL_ZEROS) !== 0) break;
      let at = this.#at + EOL_ZEROS;
      while (at < this.#end && !((this.#bytes[at >> 3]! >> (7 - (at & 7))) & 1)) at++;
      if (at >= this.#end) {
        this.#at = start;
        this.#isOver = true;
        return false;
      }
      this.#at = at + 1;
      this.#isLost = false;
      ends++;
      if (this.#options.isTwoDimensional) {
        isReferring = this.#peek(1) === 0;
        this.#at++;
      }
      // Six end-of-line codes end a page (T.4, 4.1.4).
      if (ends === 6) {
        this.#isOver = true;
        return false;
      }
    }
    if (this.#isLost) this.#isOver = true;
    return isReferring;
  }

  #readRuns(): boolean {
    const { columns } = this.#options;
    let at = 0;
    for (let color = 0; at < columns; color ^= 1) {
      const run = this.#readRun(color);
      if (run < 0) return this.#lose();
      at += run;
      this.#change(at);
    }
    return true;
  }

  /** @returns -1 for an invalid run code */
  #readRun(color: number): number {
    const table = RUN_TABLES[color]!;
    for (let run = 0; run <= this.#options.columns; ) {
      const entry = table[this.#peek(RUN_BITS)]!;
      if (entry === 0 || this.#at >= this.#end) return -1;
      this.#at += entry & 15;
      run += entry >> 4;
      if (entry >> 4 < 64) return run;
    }
    return -1;
  }

  /** Reads a row coded relative to the row above (T.6, 2.2). */
  #readReferring(): boolean {
    const { columns } = this.#options;
    const above = this.#above;
    const aboveCount = this.#aboveCount;
    // a0 starts before the first pixel (2.2.1). `color` is the color of the run that starts there.
    let at = -1;
    let color = 0;
    let index = 0;
    while (at < columns) {
      const entry = MODE_TABLE[this.#peek(MODE_BITS)]!;
      if (entry === 0 || this.#at >= this.#end) return this.#lose();
      this.#at += entry & 15;
      const mode = entry >> 4;
      if (mode === HORIZONTAL_MODE) {
        const first = this.#readRun(color);
        const second = first < 0 ? -1 : this.#readRun(color ^ 1);
        if (second < 0) return this.#lose();
        at = Math.max(0, at) + first;
        this.#change(at);
        at += second;
        this.#change(at);
        continue;
      }
      // b1: the first change of the row above that is right of a0 and starts the opposite color. b2: the change after
      // b1.
      while (index > 0 && above[index - 1]! > at) index--;
      while (index < aboveCount && (above[index]! <= at || (index & 1) !== color)) index++;
      if (mode === PASS_MODE) {
        at = index + 1 < aboveCount ? above[index + 1]! : columns;
        continue;
      }
      const to = (index < aboveCount ? above[index]! : columns) + mode - VERTICAL_ZERO;
      if (to < Math.max(0, at)) return this.#lose();
      at = to;
      this.#change(at);
      color ^= 1;
    }
    return true;
  }

  #change(at: number): void {
    if (at >= this.#options.columns || this.#count === this.#row.length) return;
    if (this.#count > 0 && this.#row[this.#count - 1] === at) this.#hasEmptyRuns = true;
    this.#row[this.#count++] = at;
  }

  #lose(): false {
    this.#isLost = true;
    return false;
  }
}
