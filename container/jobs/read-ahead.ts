// Reads chunks ahead of the consumer, up to a number of bytes, so that the producer need not wait for each read.

export class ReadAhead implements AsyncIterable<Uint8Array> {
  /** Resolves when the producer has ended. */
  readonly ended: Promise<void>;
  readonly #limitBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  /** Wakes the reader or the producer. Only one of them waits at a time. */
  #wake: (() => void) | undefined;

  constructor(chunks: AsyncIterable<Uint8Array>, limitBytes: number) {
    this.#limitBytes = limitBytes;
    this.ended = this.#fill(chunks);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk) {
          this.#bytes -= chunk.length;
          this.#wakeOther();
          yield chunk;
        } else if (this.#failure) throw this.#failure.error;
        else if (this.#isOver) return;
        else await this.#sleep();
      }
    } finally {
      this.#isOver = true;
      this.#wakeOther();
    }
  }

  async #fill(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of chunks) {
        this.#chunks.push(chunk);
        this.#bytes += chunk.length;
        this.#wakeOther();
        while (this.#bytes >= this.#limitBytes && !this.#isOver) await this.#sleep();
        if (this.#isOver) return;
      }
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#isOver = true;
      this.#wakeOther();
    }
  }

  #wakeOther(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  async #sleep(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
