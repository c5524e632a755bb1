// Splits a stream of chunks into parts of equal size. Uses one buffer, which grows if necessary.

const FIRST_BUFFER_BYTES = 2 ** 17;
/** Maximum size of a buffer that is reused for the next file. */
const KEPT_BUFFER_BYTES = 2 ** 19;

export class PartBuffer {
  #partBytes = 0;
  #buffer = new Uint8Array(0);
  #length = 0;

  /**
   * Starts a new stream.
   * @param partBytes size of a part
   * @param sizeHint maximum number of bytes that follow, if known
   */
  begin(partBytes: number, sizeHint = FIRST_BUFFER_BYTES): void {
    this.#partBytes = partBytes;
    this.#length = 0;
    const size = Math.max(1, Math.min(sizeHint, partBytes));
    if (this.#buffer.length < size || this.#buffer.length > partBytes) this.#buffer = new Uint8Array(size);
  }

  /** Yields each complete part. A part is valid only until the next one is requested. */
  *add(chunk: Uint8Array): Generator<Uint8Array> {
    let taken = 0;
    while (taken < chunk.length) {
      const count = Math.min(chunk.length - taken, this.#partBytes - this.#length);
      this.#reserve(this.#length + count);
      this.#buffer.set(chunk.subarray(taken, taken + count), this.#length);
      this.#length += count;
      taken += count;
      if (this.#length === this.#partBytes) {
        yield this.#buffer.subarray(0, this.#partBytes);
        this.#length = 0;
      }
    }
  }

  /**
   * Returns the bytes after the last complete part. They remain valid. Copies them if they occupy less than half of a
   * large buffer, or if the buffer is reused.
   */
  rest(): Uint8Array {
    const rest = this.#buffer.subarray(0, this.#length);
    if (this.#buffer.length <= KEPT_BUFFER_BYTES) return rest.slice();
    const isCopied = rest.length < this.#buffer.length / 2;
    this.#buffer = new Uint8Array(0);
    return isCopied ? rest.slice() : rest;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    let size = this.#buffer.length;
    while (size < bytes) size *= 2;
    const larger = new Uint8Array(Math.min(size, this.#partBytes));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}
