// Wraps the Wasm kernel that inflates zlib streams, and pools idle instances.
import inflateModule from "#wasm/inflate.wasm";

/** Exports of wasm/inflate/assembly/index.ts. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  start(): void;
  inputAddress(): number;
  inputCapacity(): number;
  appendInput(count: number): void;
  run(): number;
  output(): number;
  size(): number;
}

/** `open`: the stream is incomplete so far. `checksum-differs`: the stream is complete, but its data are damaged. */
export type StreamState = "open" | "ended" | "damaged" | "checksum-differs";

const OUTPUT_IS_FULL = 1;
const STATES: readonly StreamState[] = ["open", "open", "ended", "damaged", "checksum-differs"];

/** Maximum number of idle instances. */
const MAX_IDLE = 4;
const idle: Exports[] = [];

/** Inflates one stream. Uses about 400 KiB, independent of the stream's size. */
export class Inflater implements Disposable {
  #exports: Exports | undefined;
  readonly #memory: Uint8Array;
  #state: StreamState = "open";

  constructor() {
    this.#exports = idle.pop() ?? (new WebAssembly.Instance(inflateModule).exports as unknown as Exports);
    this.#exports.start();
    this.#memory = new Uint8Array(this.#exports.memory.buffer);
  }

  /** Returns the state. Bytes after the end of the stream are ignored. */
  get state(): StreamState {
    return this.#state;
  }

  /**
   * Yields the inflated bytes of the next input. Each chunk is valid until the next one is requested. The caller must
   * consume all chunks.
   */
  *push(bytes: Uint8Array): Generator<Uint8Array> {
    const kernel = this.#exports!;
    for (let at = 0; at < bytes.length && this.#state === "open"; ) {
      const address = kernel.inputAddress();
      const part = bytes.subarray(at, at + kernel.inputCapacity());
      this.#memory.set(part, address);
      kernel.appendInput(part.length);
      at += part.length;
      let outcome: number;
      do {
        outcome = kernel.run();
        const size = kernel.size();
        if (size > 0) yield this.#memory.subarray(kernel.output(), kernel.output() + size);
      } while (outcome === OUTPUT_IS_FULL);
      this.#state = STATES[outcome]!;
    }
  }

  /** Returns the instance to the pool. */
  [Symbol.dispose](): void {
    if (this.#exports && idle.length < MAX_IDLE) idle.push(this.#exports);
    this.#exports = undefined;
  }
}
