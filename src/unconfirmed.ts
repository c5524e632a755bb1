// Files on their way whose storage R2 has not confirmed yet: work goes on meanwhile, but only so far ahead.
import { type Arrival, PART_BYTES } from "./store.ts";

/** A Worker has six connections. */
const MAX_FILES = 6;
const MAX_BYTES = PART_BYTES;

export class Unconfirmed {
  readonly #waiting: { readonly stored: Promise<unknown>; readonly bytes: number }[] = [];
  #bytes = 0;

  /**
   * Settles once there is room for one more.
   * @throws what kept a file from being stored
   */
  async add({ stored, size }: Arrival): Promise<void> {
    // Of a large file only the last part is on its way.
    const bytes = Math.min(size, PART_BYTES);
    this.#waiting.push({ stored, bytes });
    this.#bytes += bytes;
    while (this.#waiting.length > MAX_FILES || (this.#bytes > MAX_BYTES && this.#waiting.length > 1))
      await this.#next();
  }

  /** Settles once all are stored. */
  async all(): Promise<void> {
    while (this.#waiting.length > 0) await this.#next();
  }

  /** Settles once each is stored or has failed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#waiting.map(({ stored }) => stored));
  }

  async #next(): Promise<void> {
    const { stored, bytes } = this.#waiting.shift()!;
    this.#bytes -= bytes;
    await stored;
  }
}
