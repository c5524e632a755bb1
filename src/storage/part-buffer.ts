// Cuts a stream of chunks into parts of equal size, in one buffer that grows as it is needed. Knows nothing of what they are.

/** A buffer of this size stays for the next file. */
const FIRST_BUFFER_BYTES = 2 ** 17;

export class PartBuffer {
  #partBytes = 0;
  #buffer = new Uint8Array(0);
  #length = 0;

  /**
   * Begins anew.
   * @param partBytes how long a part is
   * @param sizeHint bytes that will come at most, where something tells
   */
  begin(partBytes: number, sizeHint = FIRST_BUFFER_BYTES): void {
    this.#partBytes = partBytes;
    this.#length = 0;
    const size = Math.max(1, Math.min(sizeHint, partBytes));
    if (this.#buffer.length < size || this.#buffer.length > partBytes) this.#buffer = new Uint8Array(size);
  }

  /** Each part is valid until the next is asked for. */
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

  /** What is left after the last whole part, for whoever asks to keep; in no buffer that is much too large for it. */
  rest(): Uint8Array {
    const rest = this.#buffer.subarray(0, this.#length);
    const isCopied = rest.length < this.#buffer.length / 2;
    if (!isCopied || this.#buffer.length > FIRST_BUFFER_BYTES) this.#buffer = new Uint8Array(0);
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
