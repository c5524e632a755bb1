// Reads a stream bit by bit, from the lowest bit of each byte (RFC 1951, 3.1.1).

const NOTHING = new Uint8Array(0);

export class BitReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #bytes: Uint8Array = NOTHING;
  #at = 0;
  #held = 0;
  #heldCount = 0;
  /** Number of held bits after the end of the stream, which are zero. */
  #missing = 0;
  #isAtEnd = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Number of bytes that can be read without waiting. */
  get available(): number {
    return this.#bytes.length - this.#at;
  }

  /** Waits until a number of bytes, or all that are left, can be read without waiting. */
  async ensure(count: number): Promise<void> {
    while (this.available < count && !this.#isAtEnd) {
      const { done, value } = await this.#chunks.next();
      if (done) this.#isAtEnd = true;
      else this.#append(value);
    }
  }

  #append(chunk: Uint8Array): void {
    const bytes = new Uint8Array(this.available + chunk.length);
    bytes.set(this.#bytes.subarray(this.#at));
    bytes.set(chunk, this.available);
    [this.#bytes, this.#at] = [bytes, 0];
  }

  /** Returns the next bits, at most 16, without consuming them; zero after the end of the stream. */
  peek(count: number): number {
    if (this.#heldCount < count) this.#hold(count);
    return this.#held & ((1 << count) - 1);
  }

  #hold(count: number): void {
    const bytes = this.#bytes;
    while (this.#heldCount < count) {
      if (this.#at < bytes.length) this.#held |= bytes[this.#at++]! << this.#heldCount;
      else this.#missing += 8;
      this.#heldCount += 8;
    }
  }

  /** Consumes bits that were peeked at. @returns false if the stream has ended before */
  drop(count: number): boolean {
    this.#held >>>= count;
    this.#heldCount -= count;
    return this.#heldCount >= this.#missing;
  }

  /** Consumes the rest of a byte, and returns up to `count` of the bytes that follow, which change with the next call. */
  bytes(count: number): Uint8Array {
    // Whole bytes that were peeked at are read again.
    this.#at -= (this.#heldCount - this.#missing) >> 3;
    [this.#held, this.#heldCount, this.#missing] = [0, 0, 0];
    const bytes = this.#bytes.subarray(this.#at, this.#at + count);
    this.#at += bytes.length;
    return bytes;
  }
}
