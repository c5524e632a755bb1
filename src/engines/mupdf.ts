// One instance of MuPDF: made for one job, bounded in memory and in work, thrown away afterwards. Knows no document;
// mupdf-document.ts opens one in it.
import module from "#wasm/mupdf.wasm";
import createGlue from "../../wasm/dist/mupdf-glue.js";
import { EngineFailure } from "../operations/operation.ts";
import type { MupdfExports, MupdfHooks, Pointer } from "./mupdf-raw.ts";

const MIB = 1024 * 1024;
/** The module is linked with a stack of 64 KiB that overflows into its data; deep documents need more. */
const STACK_BYTES = MIB;
const CANARY_BYTES = 4096;
const CANARY = 0xa5;
const SCRATCH_BYTES = 64;
/** Messages kept for the log; a hostile document causes millions. */
const KEPT_MESSAGES = 20;
/**
 * Calls of functions inside the module, 60 to 100 millions a second on ordinary pages: what opening a document, or building
 * one page, or drawing one band may cost before the document counts as too complex.
 */
export const DEFAULT_FUEL = 1_000_000_000;
/** A finished engine that grew beyond this leaves no room for a spare beside it until it is collected. */
const SPARE_MARK_BYTES = 64 * MIB;

export interface MupdfOptions {
  /** The most bytes the heap may grow to. */
  readonly heapLimitBytes: number;
  /** @default {@link DEFAULT_FUEL} */
  readonly fuel?: number;
}

/** An error MuPDF itself reported; the engine is still usable. */
export class MupdfError extends Error {
  override readonly name = "MupdfError";
}

/** A job's hold on MuPDF. */
export class Mupdf {
  readonly raw: MupdfExports;
  /** Warnings and errors MuPDF reported, the first of them, for the log. */
  readonly messages: string[] = [];
  /** How many it reported. */
  messageCount = 0;
  /** How often memory was asked for and refused. MuPDF may have helped itself by emptying its store. */
  refusals = 0;
  /** The document that the engine reads through its stream callback. */
  source: Uint8Array = new Uint8Array(0);

  #options: MupdfOptions = { heapLimitBytes: 2048 * MIB };
  #dead = false;
  #canary = 0;
  #scratch: Pointer = 0;
  readonly #fuel: WebAssembly.Global<"i32">;
  readonly #stackPointer: WebAssembly.Global<"i32">;

  private constructor(raw: MupdfExports, instance: WebAssembly.Instance) {
    this.raw = raw;
    this.#fuel = instance.exports.fuel as WebAssembly.Global<"i32">;
    this.#stackPointer = instance.exports.stackPointer as WebAssembly.Global<"i32">;
  }

  static async create(): Promise<Mupdf> {
    let instance: WebAssembly.Instance | undefined;
    let engine: Mupdf | undefined;
    const raw = (await createGlue({
      hooks: hooksOf(() => engine!),
      failure: (text: string) => new MupdfError(text),
      growHeap: (bytes: number, grow: (bytes: number) => unknown) => !engine || engine.#growHeap(bytes, grow),
      print: ignore,
      printErr: ignore,
      instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
        instance = new WebAssembly.Instance(module, imports);
        done(instance);
      },
    })) as unknown as MupdfExports;
    engine = new Mupdf(raw, instance!);
    engine.#prepare();
    return engine;
  }

  #prepare(): void {
    const { raw } = this;
    raw._wasm_init_context();
    raw._wasm_enable_icc();
    raw._wasm_enable_log_callback(1);
    this.#scratch = raw._wasm_malloc(SCRATCH_BYTES);
    this.#canary = raw._wasm_malloc(STACK_BYTES);
    raw.HEAPU8.fill(CANARY, this.#canary, this.#canary + CANARY_BYTES);
    this.#stackPointer.value = (this.#canary + STACK_BYTES) & ~15;
  }

  /** Gives the engine to a job. */
  lease(options: MupdfOptions): this {
    this.#options = options;
    return this;
  }

  get heapBytes(): number {
    return this.raw.HEAPU8.length;
  }

  /** Whether it trapped or was closed; nothing can be asked of it then. */
  get dead(): boolean {
    return this.#dead;
  }

  /** Fuel spent since the last {@link run} began. */
  get spent(): number {
    return (this.#options.fuel ?? DEFAULT_FUEL) - this.#fuel.value;
  }

  /**
   * Everything that can fail inside the engine happens in here, with a full tank.
   * @throws MupdfError what MuPDF reported
   * @throws EngineFailure `too-complex`, `too-large` or `crashed`
   */
  run<T>(work: (raw: MupdfExports) => T): T {
    if (this.#dead) throw new EngineFailure("crashed", "the engine has been given up");
    const stackPointer = this.#stackPointer.value;
    this.#fuel.value = this.#options.fuel ?? DEFAULT_FUEL;
    try {
      const result = work(this.raw);
      if (this.#overflowed()) throw this.#giveUp("too-complex", "the engine's stack overflowed");
      return result;
    } catch (error) {
      if (error instanceof EngineFailure) throw error;
      if (!(error instanceof MupdfError)) throw this.#diagnose(error);
      if (this.#overflowed()) throw this.#giveUp("too-complex", "the engine's stack overflowed", error);
      // An exception that leaves the module does not unwind its stack.
      this.#stackPointer.value = stackPointer;
      throw error;
    }
  }

  /** Runs what frees things: after a failure there may be nothing left to free, and that is no second failure. */
  release(work: (raw: MupdfExports) => void): void {
    if (this.#dead) return;
    try {
      this.run(work);
    } catch {
      this.close();
    }
  }

  close(): void {
    this.#dead = true;
    this.source = new Uint8Array(0);
  }

  /** @returns a place for a rectangle (4) or a matrix (6); the next one overwrites it. */
  floats(...values: number[]): Pointer {
    this.raw.HEAPF32.set(values, this.#scratch >> 2);
    return this.#scratch;
  }

  /** Calls `work` with a copy of the text in the heap. */
  withText<T>(text: string, work: (text: Pointer) => T): T {
    const size = this.raw.lengthBytesUTF8(text) + 1;
    const copy = this.raw._wasm_malloc(size);
    try {
      this.raw.stringToUTF8(text, copy, size);
      return work(copy);
    } finally {
      this.raw._wasm_free(copy);
    }
  }

  note(text: Pointer): void {
    this.messageCount++;
    if (this.messages.length < KEPT_MESSAGES) this.messages.push(this.raw.UTF8ToString(text));
  }

  #growHeap(bytes: number, grow: (bytes: number) => unknown): boolean {
    const { heapLimitBytes } = this.#options;
    const wanted = Math.min(Math.ceil(bytes / MIB) * MIB, heapLimitBytes - (heapLimitBytes % 65536));
    if (wanted >= bytes && grow(wanted)) return true;
    this.refusals++;
    return false;
  }

  #overflowed(): boolean {
    const canary = this.raw.HEAPU8.subarray(this.#canary, this.#canary + CANARY_BYTES);
    return canary.some((byte) => byte !== CANARY);
  }

  #diagnose(error: unknown): EngineFailure {
    if (this.#fuel.value < 0) return this.#giveUp("too-complex", "the fuel ran out", error);
    if (error instanceof RangeError) return this.#giveUp("too-complex", "the engine nested too deeply", error);
    return this.#giveUp("crashed", String(error), error);
  }

  #giveUp(reason: "too-complex" | "crashed", detail: string, cause?: unknown): EngineFailure {
    this.close();
    return new EngineFailure(reason, detail, { cause });
  }
}

let spare: Mupdf | undefined;

/** @returns an engine that has met no document: the spare one if there is one */
export async function createMupdf(options: MupdfOptions): Promise<Mupdf> {
  const engine = spare ?? (await Mupdf.create());
  spare = undefined;
  return engine.lease(options);
}

/** Ends a job's hold on its engine, and prepares the next job's while nobody waits for it. */
export async function discardMupdf(engine: Mupdf): Promise<void> {
  const small = engine.heapBytes <= SPARE_MARK_BYTES;
  engine.close();
  if (small && !spare) spare = await Mupdf.create();
}

function hooksOf(engine: () => Mupdf): MupdfHooks {
  return {
    log_error: (text) => engine().note(text),
    log_warning: (text) => engine().note(text),
    load_font_file: () => 0,
    stm_read(_id, position, target, size) {
      const { source, raw } = engine();
      const bytes = source.subarray(position, position + size);
      raw.HEAPU8.set(bytes, target);
      return bytes.length;
    },
    stm_seek(_id, position, offset, whence) {
      const from = [0, position, engine().source.length][whence];
      return from + offset;
    },
    stm_close: ignore,
  };
}

function ignore(): void {}
