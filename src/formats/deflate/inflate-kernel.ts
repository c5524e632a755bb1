// The Wasm kernel that turns zlib streams into bytes, and the few instances of it that wait for work. Knows no picture formats.
import inflateModule from "#wasm/inflate.wasm";

/** As wasm/inflate/assembly/index.ts exports it. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  start(): void;
  place(): number;
  room(): number;
  add(count: number): void;
  run(): number;
  output(): number;
  size(): number;
}

/** `open`: it may go on. `checksum-differs`: all is there, but not all as it was. */
export type StreamState = "open" | "ended" | "damaged" | "checksum-differs";

const OUTPUT_IS_FULL = 1;
const STATES: readonly StreamState[] = ["open", "open", "ended", "damaged", "checksum-differs"];

/** More instances than this never wait. */
const MAX_IDLE = 4;
const idle: Exports[] = [];

/** One stream. Whatever it claims, it holds about 400 KiB. */
export class Inflater implements Disposable {
  #exports: Exports | undefined;
  readonly #memory: Uint8Array;
  #state: StreamState = "open";

  constructor() {
    this.#exports = idle.pop() ?? (new WebAssembly.Instance(inflateModule).exports as unknown as Exports);
    this.#exports.start();
    this.#memory = new Uint8Array(this.#exports.memory.buffer);
  }

  /** What there is after the stream's end is not looked at. */
  get state(): StreamState {
    return this.#state;
  }

  /** What becomes of more of the stream; each piece is valid until the next is asked for. Must be read to its end. */
  *push(bytes: Uint8Array): Generator<Uint8Array> {
    const kernel = this.#exports!;
    for (let at = 0; at < bytes.length && this.#state === "open"; ) {
      const place = kernel.place();
      const part = bytes.subarray(at, at + kernel.room());
      this.#memory.set(part, place);
      kernel.add(part.length);
      at += part.length;
      let outcome: number;
      do {
        outcome = kernel.run();
        const size = kernel.size();
        if (size > 0) yield this.#memory.subarray(kernel.output(), kernel.output() + size);
      } while (outcome === OUTPUT_IS_FULL);
      this.#state = STATES[outcome];
    }
  }

  /** Lets another stream have the instance. */
  [Symbol.dispose](): void {
    if (this.#exports && idle.length < MAX_IDLE) idle.push(this.#exports);
    this.#exports = undefined;
  }
}
