// Reads a document sequentially in pieces of requested sizes, regardless of chunk boundaries.

export class ByteReader implements AsyncDisposable {
  /** Offset of the next byte from the start of the document. */
  position = 0;
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);
  #isAtEnd = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /**
   * @returns exactly `count` bytes, valid until the next call; undefined if fewer bytes remain, which the reader then
   * skips
   */
  async read(count: number): Promise<Uint8Array | undefined> {
    if (this.#chunk.length === 0) await this.#fill();
    if (this.#chunk.length >= count) return this.#take(count);
    // Memory is allocated only for bytes that have arrived, because `count` comes from the file and can be wrong.
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

  /** Yields at most the next `count` bytes as they arrive. Bytes that the caller does not consume stay unread. */
  async *pieces(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      if (this.#chunk.length === 0 && !(await this.#fill())) return;
      const part = this.#take(Math.min(left, this.#chunk.length));
      left -= part.length;
      yield part;
    }
  }

  /** @returns false if fewer than `count` bytes remained */
  async skip(count: number): Promise<boolean> {
    let left = count;
    while (left > 0) {
      if (this.#chunk.length === 0 && !(await this.#fill())) return false;
      left -= this.#take(Math.min(left, this.#chunk.length)).length;
    }
    return true;
  }

  /** Stops reading and cancels the source. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks.return?.();
  }

  #take(count: number): Uint8Array {
    const part = this.#chunk.subarray(0, count);
    this.#chunk = this.#chunk.subarray(count);
    this.position += count;
    return part;
  }

  /** Fetches the next non-empty chunk. @returns false at the end */
  async #fill(): Promise<boolean> {
    while (this.#chunk.length === 0 && !this.#isAtEnd) {
      const { done, value } = await this.#chunks.next();
      if (done) this.#isAtEnd = true;
      else this.#chunk = toUint8Array(value);
    }
    return this.#chunk.length > 0;
  }
}

/** Returns the bytes as a plain Uint8Array on the same memory. Its `slice` copies, unlike that of a Node Buffer. */
export const toUint8Array = ({ buffer, byteOffset, length }: Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, length);
