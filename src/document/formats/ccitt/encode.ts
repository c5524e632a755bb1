// Encodes rows, each a list of its color changes, as T.6 (ITU-T T.6, 2.2).
import { type Code, HORIZONTAL, MAKE_UP, PASS, TERMINATING, VERTICAL } from "./codes.ts";

const MAX_RUN = 2560;
/** Two end-of-line codes end the data (T.6, 2.4.1). */
const END_OF_BLOCK: readonly Code[] = [
  { value: 1, bits: 12 },
  { value: 1, bits: 12 },
];
const OUTPUT_BYTES = 65_536;

export class FaxEncoder {
  readonly #columns: number;
  #above: Uint32Array = new Uint32Array(0);
  #output = new Uint8Array(OUTPUT_BYTES);
  #filled = 0;
  #hold = 0;
  #pendingBits = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** True if the caller should {@link take} the output. */
  get isFull(): boolean {
    return this.#filled >= OUTPUT_BYTES / 2;
  }

  /** Returns the output since the last call; valid until the next row. */
  take(): Uint8Array {
    const taken = this.#output.subarray(0, this.#filled);
    this.#filled = 0;
    return taken;
  }

  /** @param row a row as FaxDecoder.next returns it */
  add(row: Uint32Array): void {
    const above = this.#above;
    const columns = this.#columns;
    const changeAt = (changes: Uint32Array, index: number) => (index < changes.length ? changes[index]! : columns);
    let at = -1;
    let color = 0;
    let next = 0;
    let index = 0;
    while (at < columns) {
      const a1 = changeAt(row, next);
      while (index > 0 && above[index - 1]! > at) index--;
      while (index < above.length && (above[index]! <= at || (index & 1) !== color)) index++;
      const b1 = changeAt(above, index);
      const b2 = changeAt(above, index + 1);
      if (b2 < a1) {
        this.#put(PASS);
        at = b2;
        continue;
      }
      const distance = a1 - b1;
      if (distance >= -3 && distance <= 3) {
        this.#put(VERTICAL[distance + 3]!);
        at = a1;
        next++;
        color ^= 1;
        continue;
      }
      const a2 = changeAt(row, next + 1);
      this.#put(HORIZONTAL);
      this.#putRun(color, a1 - Math.max(0, at));
      this.#putRun(color ^ 1, a2 - a1);
      at = a2;
      next += 2;
    }
    this.#above = row.slice();
  }

  end(): void {
    for (const code of END_OF_BLOCK) this.#put(code);
    if (this.#pendingBits > 0) this.#put({ value: 0, bits: 8 - this.#pendingBits });
  }

  #putRun(color: number, length: number): void {
    let left = length;
    for (; left > MAX_RUN + 63; left -= MAX_RUN) this.#put(MAKE_UP[color]![MAX_RUN / 64 - 1]!);
    if (left >= 64) this.#put(MAKE_UP[color]![(left >> 6) - 1]!);
    this.#put(TERMINATING[color]![left & 63]!);
  }

  #put({ value, bits }: Code): void {
    this.#hold = (this.#hold << bits) | value;
    this.#pendingBits += bits;
    while (this.#pendingBits >= 8) {
      this.#pendingBits -= 8;
      if (this.#filled === this.#output.length) this.#grow();
      this.#output[this.#filled++] = this.#hold >> this.#pendingBits;
    }
    this.#hold &= (1 << this.#pendingBits) - 1;
  }

  /** Enlarges the output buffer, because a single row can exceed it. */
  #grow(): void {
    const larger = new Uint8Array(2 * this.#output.length);
    larger.set(this.#output);
    this.#output = larger;
  }
}
