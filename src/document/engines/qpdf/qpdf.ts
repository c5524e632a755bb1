// Runs qpdf as a program. Callers choose the arguments, and receive the exit code and the output. Each run has a new
// instance of the module, with limits of memory and work.
import module from "#wasm/qpdf.wasm";
import { EngineFailure } from "../../contract/failure.ts";
import { namedExports } from "./names.ts";
import { ProgramEnd } from "./program.ts";
import { INPUT_PATH, OUTPUT_PATH, QpdfSystem } from "./system.ts";

/** File names of the input document and of the output. */
export const QPDF_PATHS = { input: INPUT_PATH, output: OUTPUT_PATH } as const;

export interface QpdfOptions {
  readonly input: Uint8Array;
  /** Maximum heap, in bytes. */
  readonly heapLimitBytes: number;
  /** Called with each chunk of standard output, valid during the call. @default standard output is discarded */
  print?(chunk: Uint8Array): void;
}

export interface QpdfRun {
  /** Exit code: 0, or 3 after warnings. Other codes depend on the arguments. */
  readonly status: number;
  /** The output file, in chunks of 256 KiB. */
  readonly output: Uint8Array[];
  /** The first bytes of standard error, for the log. */
  readonly messages: string;
  /** Final size of the heap. */
  readonly heapBytes: number;
  /** Fuel used: function calls and loop iterations. */
  readonly fuelUsed: number;
}

/** End of the stack, which grows down to the static data (wasm/qpdf/build.ts). */
const STACK_END = 343_712;
const CANARY_BYTES = 4096;
const CANARY = 0xa5;
/**
 * Maximum fuel of a run, per byte of the heap limit, in units of 1 to 4 ns. A document that needs more counts as too
 * complex. An object needs up to 1.4 KiB of heap and 15,000 units, so a valid document reaches the heap limit first.
 */
const FUEL_PER_HEAP_BYTE = 24;
/** Capacity of the module's counter, which has 31 bits and is refilled while the document is read. */
const TANK = 2 ** 30;
const KEPT_MESSAGE_LENGTH = 2000;
const CHUNK_BYTES = 2 ** 18;

/** Runs the program. @throws EngineFailure `too-large`, `too-complex`, `crashed` */
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
  const exports = namedExports(new WebAssembly.Instance(module, system.imports()).exports);
  system.attach(exports);
  const stackEnd = () => new Uint8Array(exports.memory.buffer, STACK_END, CANARY_BYTES);
  stackEnd().fill(CANARY);
  const hasOverflowed = () => stackEnd().some((byte) => byte !== CANARY);
  exports.fuel.value = 0;
  fillUp();

  const failure = (reason: "too-large" | "too-complex" | "crashed", detail: string, cause?: unknown) =>
    new EngineFailure(reason, `${detail} ${messages}`, { cause });
  let status: number;
  try {
    exports.callConstructors();
    status = exports.main(values.length + 1, system.arguments(["qpdf", ...values]));
  } catch (error) {
    if (error instanceof ProgramEnd) status = error.status;
    else if (exports.fuel.value < 0) throw failure("too-complex", "the fuel ran out", error);
    else if (error instanceof RangeError) throw failure("too-complex", "the engine nested too deeply", error);
    else if (hasOverflowed()) throw failure("too-complex", "the engine's stack overflowed", error);
    else if (refused) throw failure("too-large", "the heap's limit was reached", error);
    else throw failure("crashed", `it ended by ${error}`, error);
  }
  if (hasOverflowed()) throw failure("too-complex", "the engine's stack overflowed");
  // After a failed allocation, qpdf exits with its general error status.
  if (refused && status !== 0) throw failure("too-large", "the heap's limit was reached");
  const fuelUsed = heapLimitBytes * FUEL_PER_HEAP_BYTE - fuelLeft - exports.fuel.value;
  return { status, output: output.chunks(), messages, heapBytes: exports.memory.buffer.byteLength, fuelUsed };
}

/** Collects small pieces into large chunks. */
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
