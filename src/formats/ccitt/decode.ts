// Fax codes (ITU-T T.4 and T.6, TIFF 6.0 sections 10 and 11) as rows, each the places where its colour changes. Knows no TIFF.
import { HORIZONTAL_MODE, MODE_BITS, MODE_TABLE, PASS_MODE, RUN_BITS, RUN_TABLES } from "./codes.ts";

export interface FaxOptions {
  readonly columns: number;
  /** `rows`: T.4 without end-of-line codes, each row at a whole byte, or two; `t4`; `t6`. */
  readonly kind: "rows" | "t4" | "t6";
  /** Of T.4: rows may refer to the one above, as a bit after the end-of-line code tells. */
  readonly isTwoDimensional?: boolean;
  /** Of `rows`: bits that a row begins at a multiple of. @default 8 */
  readonly alignment?: 8 | 16;
}

/** Eleven zeros and a one end a line. */
const EOL_ZEROS = 11;
/** The mode of a change that is right below the one above. */
const VERTICAL_ZERO = 3;

export class FaxDecoder {
  readonly #bytes: Uint8Array;
  readonly #options: FaxOptions;
  readonly #end: number;
  /** Of the next bit. */
  #at = 0;
  #above: Uint32Array;
  #row: Uint32Array;
  #aboveCount = 0;
  #count = 0;
  #isOver = false;
  /** A row was damaged. */
  #isLost = false;
  #hasEmptyRuns = false;

  constructor(bytes: Uint8Array, options: FaxOptions) {
    this.#bytes = bytes;
    this.#options = options;
    this.#end = bytes.length * 8;
    // Each pixel may be of another colour, and runs may be empty.
    this.#above = new Uint32Array(2 * options.columns);
    this.#row = new Uint32Array(2 * options.columns);
  }

  /**
   * Whether a run but the first of its row had no pixels so far. Some programs write them and take the places of both its sides for
   * changes of colour to which the row below refers; readers other than libtiff do not, and see something else.
   */
  get hasEmptyRuns(): boolean {
    return this.#hasEmptyRuns;
  }

  /**
   * Columns at which the colour changes, white being the first; valid until the next call but one. A row that is damaged ends
   * in the colour it had.
   * @returns undefined where there are no more
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
        // Nothing tells where a next row would begin.
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
      else kept[count++] = row[index];
    }
    return kept.subarray(0, count);
  }

  /** The next bits, high ones first; zeros behind the end. */
  #peek(bits: number): number {
    const byte = this.#at >> 3;
    const bytes = this.#bytes;
    const word = ((bytes[byte] ?? 0) << 16) | ((bytes[byte + 1] ?? 0) << 8) | (bytes[byte + 2] ?? 0);
    return (word >> (24 - (this.#at & 7) - bits)) & ((1 << bits) - 1);
  }

  /** Passes end-of-line codes and what fills up before them. @returns whether the line refers to the one above */
  #beginLine(): boolean {
    let ends = 0;
    let isReferring = false;
    for (;;) {
      const start = this.#at;
      // After damage the next line begins after the next of these codes.
      while (this.#isLost && this.#at < this.#end && this.#peek(EOL_ZEROS) !== 0) this.#at++;
      if (this.#peek(EOL_ZEROS) !== 0) break;
      let at = this.#at + EOL_ZEROS;
      while (at < this.#end && !((this.#bytes[at >> 3] >> (7 - (at & 7))) & 1)) at++;
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
      // T.4, 4.1.4: six of them end a page.
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

  /** @returns -1 for what is no run */
  #readRun(color: number): number {
    const table = RUN_TABLES[color];
    for (let run = 0; run <= this.#options.columns; ) {
      const entry = table[this.#peek(RUN_BITS)];
      if (entry === 0 || this.#at >= this.#end) return -1;
      this.#at += entry & 15;
      run += entry >> 4;
      if (entry >> 4 < 64) return run;
    }
    return -1;
  }

  /** T.6, 2.2. */
  #readReferring(): boolean {
    const { columns } = this.#options;
    const above = this.#above;
    const aboveCount = this.#aboveCount;
    // Before the first pixel (2.2.1), and the colour of the run that begins there.
    let at = -1;
    let color = 0;
    let index = 0;
    while (at < columns) {
      const entry = MODE_TABLE[this.#peek(MODE_BITS)];
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
      // b1: the first change above, right of here, from the present colour to the other; b2 is the next.
      while (index > 0 && above[index - 1] > at) index--;
      while (index < aboveCount && (above[index] <= at || (index & 1) !== color)) index++;
      if (mode === PASS_MODE) {
        at = index + 1 < aboveCount ? above[index + 1] : columns;
        continue;
      }
      const to = (index < aboveCount ? above[index] : columns) + mode - VERTICAL_ZERO;
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
