// qpdf as a program that runs once: arguments in, exit code and what it wrote out. Each run has an instance of its own, bounded
// in memory and in work. Knows what its exit codes mean, but not what it is asked.
import module from "#wasm/qpdf.wasm";
import { EngineFailure } from "../../core/failure.ts";
import { ProgramEnd, type QpdfExports } from "./program.ts";
import { INPUT_PATH, OUTPUT_PATH, QpdfSystem } from "./system.ts";

/** Under which names a run finds its document, and leaves what it makes. */
export const QPDF_PATHS = { input: INPUT_PATH, output: OUTPUT_PATH } as const;

export interface QpdfOptions {
  readonly input: Uint8Array;
  /** The most bytes the heap may grow to. */
  readonly heapLimitBytes: number;
  /** Called with each chunk of what goes to standard output; valid during the call. @default nobody wants it */
  print?(chunk: Uint8Array): void;
}

export interface QpdfRun {
  /** 0, or 3 when there was something to warn of; what else there is depends on the arguments. */
  readonly status: number;
  /** What was written to the output file, in its order, in chunks of 256 KiB. */
  readonly output: Uint8Array[];
  /** What was written to standard error, from its beginning, for the log. */
  readonly messages: string;
  /** To which the heap grew. */
  readonly heapBytes: number;
  /** Units of work: calls of functions and turns of loops. */
  readonly fuelUsed: number;
}

/** Where the stack ends, below which lie data; it grows down (wasm/qpdf/build.ts). */
const STACK_END = 343_712;
const CANARY_BYTES = 4096;
const CANARY = 0xa5;
/**
 * What a run may cost, 1 to 4 ns each, before the document counts as too complex. An object takes 1.4 KiB of heap and 15,000
 * units where it is most, so the heap's limit says what an honest document can need.
 */
const FUEL_PER_HEAP_BYTE = 24;
/** The module's counter has 31 bits: it is filled up while the document is read. */
const TANK = 2 ** 30;
const KEPT_MESSAGE_LENGTH = 2000;
const CHUNK_BYTES = 2 ** 18;

/** @throws EngineFailure `too-large`, `too-complex`, `crashed` */
export function runQpdf(values: readonly string[], options: QpdfOptions): QpdfRun {
  const { input, heapLimitBytes, print = () => {} } = options;
  const output = new ChunkList();
  let messages = "";
  let refused = false;
  let fuelLeft = heapLimitBytes * FUEL_PER_HEAP_BYTE;
  const fillUp = () => {
    const { fuel } = exports;
    const taken = Math.min(fuelLeft, TANK - fuel.value);
    fuel.value += taken;
    fuelLeft -= taken;
  };
  const system = new QpdfSystem({
    input,
    output: (chunk) => output.add(chunk),
    print,
    complain: (chunk) => {
      if (messages.length < KEPT_MESSAGE_LENGTH) messages += new TextDecoder().decode(chunk);
    },
    mayGrow(bytes) {
      if (bytes <= heapLimitBytes) return true;
      refused = true;
      return false;
    },
    worked() {
      if (exports.fuel.value < TANK / 2) fillUp();
    },
  });
  const exports = new WebAssembly.Instance(module, system.imports()).exports as unknown as QpdfExports;
  system.attach(exports);
  const stackEnd = () => new Uint8Array(exports.aa.buffer, STACK_END, CANARY_BYTES);
  stackEnd().fill(CANARY);
  const hasOverflowed = () => stackEnd().some((byte) => byte !== CANARY);
  exports.fuel.value = 0;
  fillUp();

  const failure = (reason: "too-large" | "too-complex" | "crashed", detail: string, cause?: unknown) =>
    new EngineFailure(reason, `${detail} ${messages}`, { cause });
  let status: number;
  try {
    exports.ba();
    status = exports.ca(values.length + 1, system.arguments(["qpdf", ...values]));
  } catch (error) {
    if (error instanceof ProgramEnd) status = error.status;
    else if (exports.fuel.value < 0) throw failure("too-complex", "the fuel ran out", error);
    else if (error instanceof RangeError) throw failure("too-complex", "the engine nested too deeply", error);
    else if (hasOverflowed()) throw failure("too-complex", "the engine's stack overflowed", error);
    else if (refused) throw failure("too-large", "the heap's limit was reached", error);
    else throw failure("crashed", `it ended by ${error}`, error);
  }
  if (hasOverflowed()) throw failure("too-complex", "the engine's stack overflowed");
  // An allocation that failed is an error like others to it, and ends with the same status.
  if (refused && status !== 0) throw failure("too-large", "the heap's limit was reached");
  const fuelUsed = heapLimitBytes * FUEL_PER_HEAP_BYTE - fuelLeft - exports.fuel.value;
  return { status, output: output.chunks(), messages, heapBytes: exports.aa.buffer.byteLength, fuelUsed };
}

/** Small pieces in large chunks. */
class ChunkList {
  readonly #full: Uint8Array[] = [];
  #current = new Uint8Array(CHUNK_BYTES);
  #filled = 0;

  add(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + CHUNK_BYTES - this.#filled);
      this.#current.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled < CHUNK_BYTES) return;
      this.#full.push(this.#current);
      this.#current = new Uint8Array(CHUNK_BYTES);
      this.#filled = 0;
    }
  }

  chunks(): Uint8Array[] {
    return this.#filled > 0 ? [...this.#full, this.#current.subarray(0, this.#filled)] : this.#full;
  }
}
