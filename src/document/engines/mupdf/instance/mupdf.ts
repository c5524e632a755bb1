// Wraps one instance of MuPDF. It serves one job, with limits of memory and work, and is then discarded.
// mupdf/document.ts opens documents in it.
import module from "#wasm/mupdf.wasm";
import createGlue, { CMYK_PROFILE } from "../../../../../wasm/dist/mupdf-glue.js";
import { EngineFailure } from "../../../contract/failure.ts";
import type { EngineFont, EngineFonts } from "./engine-font.ts";
import { hooksOf } from "./hooks.ts";
import { acquireMemory, type Block, differences, releaseMemory } from "./memory-pool.ts";
import type { MupdfExports, Pointer } from "./raw.ts";

const MIB = 1024 * 1024;
/**
 * Stack size. The module is linked with a stack of 64 KiB. Deeply nested documents would overflow it and overwrite the
 * module's data.
 */
const STACK_BYTES = MIB;
const CANARY_BYTES = 4096;
const CANARY = 0xa5;
const UNHARMED = Buffer.alloc(CANARY_BYTES, CANARY);
const SCRATCH_BYTES = 64;
const NOTHING = new Uint8Array(0);
/**
 * Maximum fuel to open a document, or to interpret or draw a page. A document that needs more is too complex. One unit
 * is a function call or loop iteration in the module; a second uses 300 to 800 million.
 */
export const DRAWING_FUEL = 2_000_000_000;

/** A WebAssembly.Global of type i32. */
interface Counter {
  value: number;
}

/** The remaining fuel of a task, or of several tasks that share it. */
export interface FuelBudget {
  fuel: number;
}

/** The annotations to draw (decisions/0025). */
export type ShownAnnotations = "on-screen" | "none";

export interface MupdfOptions {
  /** Maximum heap, in bytes. */
  readonly heapLimitBytes: number;
  /** Multiple of the usual fuel per task. @default 1 */
  readonly effort?: number;
  /** @default "on-screen" */
  readonly annotations?: ShownAnnotations;
  /**
   * True to ignore the structure tree, which drawing does not need. In a damaged tree, MuPDF would take invalid values
   * for objects.
   * @default false
   */
  readonly withoutStructure?: boolean;
  /** True to read the structure tree for its elements, if MuPDF itself ignores it. @default false */
  readonly readsStructure?: boolean;
  /** @default MuPDF's built-in fonts replace fonts that are not embedded */
  readonly fonts?: EngineFonts;
}

/** The state of an engine that has prepared what most jobs need, and never seen a client's document. */
let prepared: { readonly blocks: readonly Block[]; readonly places: Places } | undefined;

/** Addresses in an engine's memory: scratch, canary below the stack, and the area to draw. */
type Places = Readonly<Record<"scratch" | "canary" | "area", Pointer>>;

/** Open engines. The references are weak, so that an engine that is never closed can be garbage-collected. */
const live = new Set<WeakRef<Mupdf>>();

/** Returns the current memory of this process's engines and of the documents open in them, in bytes. */
export function liveEngineBytes(): number {
  let bytes = 0;
  for (const reference of live) {
    const engine = reference.deref();
    if (!engine || engine.dead) live.delete(reference);
    else bytes += engine.heapBytes + engine.sourceBytes;
  }
  return bytes;
}

type GrowthListener = (engine: Mupdf, bytes: number) => void;
const growthListeners: GrowthListener[] = [];

/** Adds a listener that is called before an engine grows by a number of bytes. The listener can close idle engines. */
export function onEngineGrowth(listener: GrowthListener): void {
  growthListeners.push(listener);
}

/** An error reported by MuPDF. The engine is still usable. */
export class MupdfError extends Error {
  override readonly name = "MupdfError";
}

/** A job's instance of MuPDF. */
export class Mupdf {
  readonly raw: MupdfExports;
  /** Number of warnings and errors reported by MuPDF. */
  messageCount = 0;
  /** Number of refused memory requests. MuPDF can recover from a refusal by emptying its cache. */
  refusals = 0;
  /** Number of the latest stream. */
  #streams = 0;
  /** The documents that the engine reads through stream callbacks, by stream number. */
  readonly #sources = new Map<number, Uint8Array>();

  #options: MupdfOptions;
  #dead = false;
  /** The failure that made the engine unusable. Later calls throw it again. */
  #failure = new EngineFailure("crashed", "the engine has been closed");
  #memory: WebAssembly.Memory | undefined;
  #places: Places = { scratch: 0, canary: 0, area: 0 };
  /** Host fonts, by name and index. */
  readonly #fonts = new Map<string, Pointer>();
  readonly #fuel: Counter;
  readonly #stackPointer: Counter;

  private constructor(
    raw: MupdfExports,
    instance: WebAssembly.Instance,
    memory: WebAssembly.Memory,
    options: MupdfOptions,
  ) {
    this.raw = raw;
    this.#memory = memory;
    this.#options = options;
    this.#fuel = instance.exports.fuel as Counter;
    this.#stackPointer = instance.exports.stackPointer as Counter;
  }

  /** Creates an engine. This takes 5 ms, so callers do it while the document arrives. */
  static async create(options: MupdfOptions): Promise<Mupdf> {
    const engine = await Mupdf.#instantiate(options);
    if (prepared) {
      for (const [address, bytes] of prepared.blocks) engine.raw.HEAPU8.set(bytes, address);
      engine.#settle(prepared.places);
    } else {
      engine.#prepare();
    }
    live.add(new WeakRef(engine));
    return engine;
  }

  static async #instantiate(options: MupdfOptions): Promise<Mupdf> {
    let instance: WebAssembly.Instance | undefined;
    let engine: Mupdf | undefined;
    const memory = acquireMemory();
    const raw = (await createGlue({
      hooks: hooksOf(() => engine!),
      failure: (text: string) => new MupdfError(text),
      growHeap: (bytes: number, grow: (bytes: number) => unknown) => (engine ? engine.#growHeap(bytes, grow) : false),
      print: ignore,
      printErr: ignore,
      instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
        instance = new WebAssembly.Instance(module, { ...imports, engine: { memory } });
        done(instance);
      },
    })) as unknown as MupdfExports;
    engine = new Mupdf(raw, instance!, memory, options);
    return engine;
  }

  #prepare(): void {
    const { raw } = this;
    raw._wasm_init_context();
    raw._wasm_enable_icc();
    raw._wasm_enable_log_callback(1);
    const [scratch, canary] = [raw._wasm_malloc(SCRATCH_BYTES), raw._wasm_malloc(STACK_BYTES)];
    raw.HEAPU8.fill(CANARY, canary, canary + CANARY_BYTES);
    this.#settle({ scratch, canary, area: this.#stackPointer.value - 16 });
  }

  /**
   * Makes later engines start with the memory of this one, which must never have seen a client's document, and has none
   * open. Does nothing if the heap has grown.
   */
  async shareMemory(): Promise<void> {
    const bare = await Mupdf.#instantiate(this.#options);
    const own = this.raw.HEAPU8;
    // No call is running, so the stack has no content.
    const { canary } = this.#places;
    own.fill(0, canary + CANARY_BYTES, canary + STACK_BYTES);
    if (bare.heapBytes === this.heapBytes) {
      prepared = { blocks: differences(bare.raw.HEAPU8, own), places: this.#places };
    }
    bare.close();
  }

  #settle(places: Places): void {
    this.#places = places;
    this.#stackPointer.value = (places.canary + STACK_BYTES) & ~15;
  }

  /** Sets the limits of an engine that was created before its job was known. */
  limit(options: MupdfOptions): void {
    this.#options = options;
  }

  get heapBytes(): number {
    return this.raw.HEAPU8.length;
  }

  /** Returns the document of a stream number. */
  source(stream: number): Uint8Array {
    return this.#sources.get(stream) ?? NOTHING;
  }

  /** Adds a document that the engine can read until {@link removeSource}. @returns its stream number */
  addSource(bytes: Uint8Array): number {
    this.#announce(bytes.length);
    this.#sources.set(++this.#streams, bytes);
    return this.#streams;
  }

  removeSource(stream: number): void {
    this.#sources.delete(stream);
  }

  /** Memory of the documents outside the heap, in bytes. */
  get sourceBytes(): number {
    let bytes = 0;
    for (const source of this.#sources.values()) bytes += source.length;
    return bytes;
  }

  /** True after the engine trapped or was closed. It is then unusable. */
  get dead(): boolean {
    return this.#dead;
  }

  /**
   * Runs work in the engine. Every call that can fail inside the engine must run here.
   * @param tank fuel of this work; other work can use the same tank. @default a new full tank
   * @throws MupdfError if MuPDF reports an error
   * @throws EngineFailure `too-complex` or `crashed`
   */
  run<T>(work: (raw: MupdfExports) => T, tank: FuelBudget = this.tank()): T {
    if (this.#dead) throw this.#failure;
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
      // An exception that leaves the module does not unwind the module's stack.
      this.#stackPointer.value = stackPointer;
      throw error;
    } finally {
      tank.fuel -= fuel - this.#fuel.value;
    }
  }

  /**
   * @param extra fuel in addition to {@link DRAWING_FUEL}
   * @returns a full tank
   */
  tank(extra = 0): FuelBudget {
    return { fuel: Math.floor((DRAWING_FUEL + extra) * (this.#options.effort ?? 1)) };
  }

  /** Runs code that frees memory. Does nothing in a failed engine; closes the engine if the code fails. */
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
    this.#sources.clear();
    if (this.#memory) releaseMemory(this.#memory);
    this.#memory = undefined;
  }

  /** @returns a pointer to a rectangle (4 values) or a matrix (6), which the next call overwrites */
  floats(...values: number[]): Pointer {
    this.raw.HEAPF32.set(values, this.#places.scratch >> 2);
    return this.#places.scratch;
  }

  identity(): Pointer {
    return this.floats(1, 0, 0, 1, 0, 0);
  }

  /** @returns a copy of the profile that defines MuPDF's device CMYK */
  cmykProfile(): Uint8Array {
    return this.raw.HEAPU8.slice(CMYK_PROFILE.address, CMYK_PROFILE.address + CMYK_PROFILE.size);
  }

  /** Clips display lists that are drawn later to a rectangle of the target: left, top, right, bottom. */
  clipTo(...area: [number, number, number, number]): void {
    this.raw.HEAPF32.set(area, this.#places.area >> 2);
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

  /** Returns the host font for a font that is not embedded; 0 if there is none. */
  hostFont(name: Pointer, language: Pointer): Pointer {
    const { raw } = this;
    const found = this.#options.fonts?.(raw.UTF8ToString(name), raw.UTF8ToString(language));
    if (!found) return 0;
    const key = `${found.index} ${found.name}`;
    let font = this.#fonts.get(key);
    if (font === undefined) {
      font = this.#newFont(found);
      this.#fonts.set(key, font);
    }
    return font && raw._wasm_keep_font(font);
  }

  /** @returns 0 if MuPDF cannot read the font or has no memory for it */
  #newFont({ name, bytes, index }: EngineFont): Pointer {
    const { raw } = this;
    try {
      const copy = raw._wasm_malloc(bytes.length);
      raw.HEAPU8.set(bytes, copy);
      const buffer = raw._wasm_new_buffer_from_data(copy, bytes.length);
      const font = this.withText(name, (text) => raw._wasm_new_font_from_buffer(text, buffer, index));
      raw._wasm_drop_buffer(buffer);
      return font;
    } catch (error) {
      if (!(error instanceof MupdfError)) throw error;
      this.complain();
      return 0;
    }
  }

  /** Counts a warning or an error. Its text can quote the document, so it is not logged. */
  complain(): void {
    this.messageCount++;
  }

  /**
   * Starts to watch for refused memory. After a refusal, MuPDF empties its cache and retries, mostly with success. If
   * the retry fails, MuPDF reports an error and omits the object.
   * @returns a function that reports whether, since this call, objects were probably omitted because memory was refused
   */
  shortage(): () => boolean {
    const { refusals, messageCount } = this;
    return () => this.refusals > refusals && this.messageCount > messageCount;
  }

  #growHeap(bytes: number, grow: (bytes: number) => unknown): boolean {
    const { heapLimitBytes } = this.#options;
    const wanted = Math.min(Math.ceil(bytes / MIB) * MIB, heapLimitBytes - (heapLimitBytes % 65536));
    if (wanted >= bytes) {
      this.#announce(wanted - this.heapBytes);
      if (grow(wanted)) return true;
    }
    this.refusals++;
    return false;
  }

  #announce(bytes: number): void {
    for (const listener of growthListeners) listener(this, bytes);
  }

  #overflowed(): boolean {
    const { canary } = this.#places;
    return !UNHARMED.equals(this.raw.HEAPU8.subarray(canary, canary + CANARY_BYTES));
  }

  #diagnose(error: unknown): EngineFailure {
    if (this.#fuel.value < 0) return this.#giveUp("too-complex", "the fuel ran out", error);
    if (error instanceof RangeError) return this.#giveUp("too-complex", "the engine nested too deeply", error);
    return this.#giveUp("crashed", String(error), error);
  }

  #giveUp(reason: "too-complex" | "crashed", detail: string, cause?: unknown): EngineFailure {
    this.close();
    this.#failure = new EngineFailure(reason, detail, { cause });
    return this.#failure;
  }
}

function ignore(): void {}
