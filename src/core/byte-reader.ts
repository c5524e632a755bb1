// A document read from its beginning, so many bytes at a time, whatever chunks it comes in. Knows no format.

export class ByteReader implements AsyncDisposable {
  /** Of the next byte, from the beginning. */
  position = 0;
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);
  #isAtEnd = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** @returns exactly so many bytes, valid until the next call; undefined where there are fewer, which are skipped then */
  async read(count: number): Promise<Uint8Array | undefined> {
    if (this.#chunk.length === 0) await this.#fill();
    if (this.#chunk.length >= count) return this.#take(count);
    // In several chunks: what a file claims is not reserved before it is there.
    const parts: Uint8Array[] = [];
    let collected = 0;
    for await (const part of this.pieces(count)) {
      parts.push(part.slice());
      collected += part.length;
    }
    if (collected < count) return undefined;
    const bytes = new Uint8Array(count);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  /** The next bytes, at most so many, as they come. What is not read of them is not skipped. */
  async *pieces(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      if (this.#chunk.length === 0 && !(await this.#fill())) return;
      const part = this.#take(Math.min(left, this.#chunk.length));
      left -= part.length;
      yield part;
    }
  }

  /** @returns whether so many were there */
  async skip(count: number): Promise<boolean> {
    let left = count;
    while (left > 0) {
      if (this.#chunk.length === 0 && !(await this.#fill())) return false;
      left -= this.#take(Math.min(left, this.#chunk.length)).length;
    }
    return true;
  }

  /** Leaves the rest unread. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks.return?.();
  }

  #take(count: number): Uint8Array {
    const part = this.#chunk.subarray(0, count);
    this.#chunk = this.#chunk.subarray(count);
    this.position += count;
    return part;
  }

  /** Has a chunk, if there was none. @returns false at the end */
  async #fill(): Promise<boolean> {
    while (this.#chunk.length === 0 && !this.#isAtEnd) {
      const { done, value } = await this.#chunks.next();
      if (done) this.#isAtEnd = true;
      else this.#chunk = plain(value);
    }
    return this.#chunk.length > 0;
  }
}

/** Node's Buffers are not quite what they extend: what is sliced from one is no copy. */
export const plain = ({ buffer, byteOffset, length }: Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, length);
