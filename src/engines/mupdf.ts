// One instance of MuPDF: made for one job, bounded in memory and in work, thrown away afterwards. Knows no document;
// mupdf-document.ts opens one in it.
import module from "#wasm/mupdf.wasm";
import createGlue, { CMYK_PROFILE } from "../../wasm/dist/mupdf-glue.js";
import { EngineFailure } from "../operations/operation.ts";
import type { MupdfExports, MupdfHooks, Pointer } from "./mupdf-raw.ts";

const MIB = 1024 * 1024;
/** The module is linked with a stack of 64 KiB that overflows into its data; deep documents need more. */
const STACK_BYTES = MIB;
const CANARY_BYTES = 4096;
const CANARY = 0xa5;
const UNHARMED = Buffer.alloc(CANARY_BYTES, CANARY);
const SCRATCH_BYTES = 64;
/** Messages kept for the log; a hostile document causes millions. */
const KEPT_MESSAGES = 20;
/**
 * What opening a document, interpreting a page or drawing one may cost before the document counts as too complex. A unit is
 * a call of a function in the module or a turn of a loop there: 300 to 800 millions a second.
 */
const PAGE_FUEL = 2_000_000_000;

/** A WebAssembly.Global of type i32. */
interface Counter {
  value: number;
}

/** What a piece of work may still cost. */
export interface Tank {
  fuel: number;
}

/** Which annotations are drawn (decisions/0025). */
export type ShownAnnotations = "on-screen" | "none";

export interface MupdfOptions {
  /** The most bytes the heap may grow to. */
  readonly heapLimitBytes: number;
  /** Part of the usual fuel that a piece of work gets. @default 1 */
  readonly effort?: number;
  /** @default "on-screen" */
  readonly annotations?: ShownAnnotations;
  /** For what is only drawn: in damaged structure MuPDF reads what is no object. @default false */
  readonly withoutStructure?: boolean;
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

  #options: MupdfOptions;
  #dead = false;
  #canary = 0;
  #scratch: Pointer = 0;
  #area: Pointer = 0;
  readonly #fuel: Counter;
  readonly #stackPointer: Counter;

  private constructor(raw: MupdfExports, instance: WebAssembly.Instance, options: MupdfOptions) {
    this.raw = raw;
    this.#options = options;
    this.#fuel = instance.exports.fuel as Counter;
    this.#stackPointer = instance.exports.stackPointer as Counter;
  }

  /** Takes 5 ms: worth doing while the document's bytes are on their way. */
  static async create(options: MupdfOptions): Promise<Mupdf> {
    let instance: WebAssembly.Instance | undefined;
    let engine: Mupdf | undefined;
    const raw = (await createGlue({
      hooks: hooksOf(() => engine!),
      failure: (text: string) => new MupdfError(text),
      growHeap: (bytes: number, grow: (bytes: number) => unknown) => (engine ? engine.#growHeap(bytes, grow) : false),
      print: ignore,
      printErr: ignore,
      instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
        instance = new WebAssembly.Instance(module, imports);
        done(instance);
      },
    })) as unknown as MupdfExports;
    engine = new Mupdf(raw, instance!, options);
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
    this.#area = this.#stackPointer.value - 16;
    this.#stackPointer.value = (this.#canary + STACK_BYTES) & ~15;
  }

  /** Sets other limits, for an engine that was made before its job was known. */
  limit(options: MupdfOptions): void {
    this.#options = options;
  }

  get heapBytes(): number {
    return this.raw.HEAPU8.length;
  }

  /** Whether it trapped or was closed; nothing can be asked of it then. */
  get dead(): boolean {
    return this.#dead;
  }

  /**
   * Everything that can fail inside the engine happens in here.
   * @param tank what the work may cost, and others after it that share the tank; @default a full one of its own
   * @throws MupdfError what MuPDF reported
   * @throws EngineFailure `too-complex` or `crashed`
   */
  run<T>(work: (raw: MupdfExports) => T, tank: Tank = this.tank()): T {
    if (this.#dead) throw new EngineFailure("crashed", "the engine has been given up");
    const stackPointer = this.#stackPointer.value;
    const fuel = Math.min(tank.fuel, 2 ** 31 - 1);
    this.#fuel.value = fuel;
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
    } finally {
      tank.fuel -= fuel - this.#fuel.value;
    }
  }

  /** @returns a full tank for a piece of work that may cost so much beyond {@link PAGE_FUEL} */
  tank(extra = 0): Tank {
    return { fuel: Math.floor((PAGE_FUEL + extra) * (this.#options.effort ?? 1)) };
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

  identity(): Pointer {
    return this.floats(1, 0, 0, 1, 0, 0);
  }

  /** @returns the profile that gives MuPDF's device CMYK its meaning, a copy */
  cmykProfile(): Uint8Array {
    return this.raw.HEAPU8.slice(CMYK_PROFILE.address, CMYK_PROFILE.address + CMYK_PROFILE.size);
  }

  /** Limits what the next display lists draw to a rectangle of the target: left, top, right, bottom. */
  clipTo(...area: [number, number, number, number]): void {
    this.raw.HEAPF32.set(area, this.#area >> 2);
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

  /** Keeps what was reported or went wrong, for the log. */
  complain(message: string | Pointer): void {
    this.messageCount++;
    if (this.messages.length >= KEPT_MESSAGES) return;
    this.messages.push(typeof message === "string" ? message : this.raw.UTF8ToString(message));
  }

  /**
   * MuPDF answers a refusal by emptying its store and trying again, and mostly succeeds; where it does not, it reports an
   * error and leaves the object out.
   * @returns a question: has something been left out since then, as far as can be told, because memory was refused?
   */
  shortage(): () => boolean {
    const { refusals, messageCount } = this;
    return () => this.refusals > refusals && this.messageCount > messageCount;
  }

  #growHeap(bytes: number, grow: (bytes: number) => unknown): boolean {
    const { heapLimitBytes } = this.#options;
    const wanted = Math.min(Math.ceil(bytes / MIB) * MIB, heapLimitBytes - (heapLimitBytes % 65536));
    if (wanted >= bytes && grow(wanted)) return true;
    this.refusals++;
    return false;
  }

  #overflowed(): boolean {
    return !UNHARMED.equals(this.raw.HEAPU8.subarray(this.#canary, this.#canary + CANARY_BYTES));
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

function hooksOf(engine: () => Mupdf): MupdfHooks {
  return {
    log_error: (text) => engine().complain(text),
    log_warning: (text) => engine().complain(text),
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
