// A PDF file as numbered objects. Objects of the source are read on demand; changed and added objects stay in memory.
// Only the catalog is interpreted.
import { EngineFailure } from "../contract/failure.ts";
import { type Budget, sizeOf } from "./budget.ts";
import {
  Dictionary,
  Name,
  type PdfObject,
  PdfStream,
  PdfString,
  plainBody,
  Reference,
  type StreamBody,
  type Value,
} from "./values.ts";

/** A source of objects. */
export interface ObjectSource {
  /** Upper bound of object numbers, exclusive. */
  readonly size: number;
  /** The higher of the versions in the header and in the catalog, for example `1.7`. */
  readonly version: string;
  /** Returns a trailer with only the entries Root, Info and ID. */
  trailer(): Dictionary;
  /** @returns an object that the caller owns; null for a missing object */
  load(number: number): PdfObject;
  /** @returns the object if reading it again costs less than caching it; otherwise undefined */
  glance?(number: number): Value | undefined;
  /** Frees memory if reads have used much of it. Must not be called during a read. */
  relieve(): Promise<void>;
  close(): void;
}

/** Writes each stream of a file as soon as it is added. */
export interface StreamSink {
  /** Writes a stream immediately. Later changes of the dictionary have no effect, and the body can be released. */
  writeStream(number: number, dictionary: Dictionary, body: StreamBody): void;
}

/** Maximum length of a chain of references to references. */
const MAX_HOPS = 10;
/** Fraction of the budget for cached, unchanged objects. */
const CACHE_PART = 1 / 4;

/**
 * The objects of a file. Objects from the source are read-only: to change one, put a changed copy. Objects that were
 * put or added can be changed in place.
 */
export class PdfFile {
  readonly budget: Budget;
  readonly version: string;
  /** The trailer, with only the entries Root, Info and ID. */
  readonly trailer: Dictionary;
  readonly #source: ObjectSource | undefined;
  readonly #sink: StreamSink | undefined;
  readonly #changed = new Map<number, PdfObject>();
  #isInPasses = false;
  #size: number;
  /** Cached objects in two generations: the older one is dropped when the younger one is full. */
  #young = new Map<number, PdfObject>();
  #old = new Map<number, PdfObject>();
  #youngBytes = 0;
  #oldBytes = 0;

  private constructor(budget: Budget, source?: ObjectSource, sink?: StreamSink) {
    this.budget = budget;
    this.#source = source;
    this.#sink = sink;
    this.#size = Math.max(1, source?.size ?? 1);
    this.version = source?.version ?? "1.5";
    this.trailer = source?.trailer() ?? new Dictionary();
  }

  static of(source: ObjectSource, budget: Budget): PdfFile {
    return new PdfFile(budget, source);
  }

  /**
   * Opens a file for several passes over all objects. Objects that are cheap to read are not cached, so two reads of
   * one object return different instances.
   */
  static inPasses(source: ObjectSource, budget: Budget): PdfFile {
    const file = PdfFile.of(source, budget);
    file.#isInPasses = true;
    return file;
  }

  /**
   * Creates a file that contains only an empty catalog.
   * @param sink writes each stream when it is put; afterwards, the stream can be referenced but not read
   */
  static create(budget: Budget, sink?: StreamSink): PdfFile {
    const file = new PdfFile(budget, undefined, sink);
    file.trailer.set("Root", file.add(Dictionary.of({ Type: Name.of("Catalog") })));
    return file;
  }

  /** Upper bound of object numbers, exclusive. */
  get size(): number {
    return this.#size;
  }

  /** The objects that were put or added, by number. */
  get changes(): ReadonlyMap<number, PdfObject> {
    return this.#changed;
  }

  /** @throws EngineFailure `damaged` if there is no catalog */
  get catalog(): Dictionary {
    const catalog = this.dictionary(this.trailer.get("Root"));
    if (!catalog) throw new EngineFailure("damaged", "it has no catalog");
    return catalog;
  }

  set catalog(catalog: Dictionary) {
    const root = this.trailer.get("Root");
    if (root instanceof Reference) this.put(root, catalog);
    else this.trailer.set("Root", this.add(catalog));
  }

  /** @returns null for a missing object */
  get(reference: Reference): PdfObject {
    const { number } = reference;
    const changed = this.#changed.get(number);
    if (changed !== undefined) return changed;
    return this.#source ? this.#read(this.#source, number) : null;
  }

  /** Returns the object itself, or the referenced object. */
  resolve(value: Value | undefined): PdfObject {
    let object: PdfObject = value ?? null;
    for (let hops = 0; object instanceof Reference; hops++) {
      if (hops >= MAX_HOPS) return null;
      object = this.get(object);
    }
    return object;
  }

  /**
   * Returns a dictionary, or the dictionary of a stream. This method and those below resolve references, and return
   * undefined for objects of other types.
   */
  dictionary(value: Value | undefined): Dictionary | undefined {
    const object = this.resolve(value);
    if (object instanceof Dictionary) return object;
    return object instanceof PdfStream ? object.dictionary : undefined;
  }

  stream(value: Value | undefined): PdfStream | undefined {
    const object = this.resolve(value);
    return object instanceof PdfStream ? object : undefined;
  }

  array(value: Value | undefined): readonly Value[] | undefined {
    const object = this.resolve(value);
    return Array.isArray(object) ? object : undefined;
  }

  /** Returns the text of a name. */
  name(value: Value | undefined): string | undefined {
    const object = this.resolve(value);
    return object instanceof Name ? object.text : undefined;
  }

  string(value: Value | undefined): PdfString | undefined {
    const object = this.resolve(value);
    return object instanceof PdfString ? object : undefined;
  }

  number(value: Value | undefined): number | undefined {
    const object = this.resolve(value);
    return typeof object === "number" ? object : undefined;
  }

  boolean(value: Value | undefined): boolean | undefined {
    const object = this.resolve(value);
    return typeof object === "boolean" ? object : undefined;
  }

  /** Replaces an object, or fills a reference from {@link reserve}. */
  put(reference: Reference, object: PdfObject): void {
    const { number } = reference;
    const before = this.#changed.get(number);
    if (before !== undefined) this.budget.release(sizeOf(before));
    this.budget.charge(sizeOf(object));
    if (object instanceof PdfStream && this.#sink) {
      this.#sink.writeStream(number, object.dictionary, object.body);
      this.#changed.set(number, new PdfStream(object.dictionary, WRITTEN));
    } else {
      this.#changed.set(number, object);
    }
    this.#size = Math.max(this.#size, number + 1);
  }

  add(object: PdfObject): Reference {
    const reference = this.reserve();
    this.put(reference, object);
    return reference;
  }

  /** Reserves a reference for an object that is put later. Until then, the reference resolves to null. */
  reserve(): Reference {
    return new Reference(this.#size++);
  }

  /**
   * Reads the bodies of all streams that were put from this number on. Must be called before the engine closes whose
   * streams were copied.
   * @returns number of bytes
   */
  readBodies(first = 1): number {
    let size = 0;
    for (const [number, object] of this.#changed) {
      if (number < first || !(object instanceof PdfStream)) continue;
      const bytes = object.body.raw();
      size += bytes.length;
      this.#changed.set(number, new PdfStream(object.dictionary, plainBody(bytes)));
    }
    return size;
  }

  #read(source: ObjectSource, number: number): PdfObject {
    const young = this.#young.get(number);
    if (young !== undefined) return young;
    const old = this.#old.get(number);
    const glanced = old === undefined && this.#isInPasses ? source.glance?.(number) : undefined;
    if (glanced !== undefined) return glanced;
    const object = old ?? source.load(number);
    const bytes = sizeOf(object);
    this.budget.charge(bytes);
    this.#young.set(number, object);
    this.#youngBytes += bytes;
    if (this.#youngBytes > (this.budget.limitBytes * CACHE_PART) / 2) {
      this.budget.release(this.#oldBytes);
      this.#old = this.#young;
      this.#oldBytes = this.#youngBytes;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    return object;
  }

  /** Frees memory if reads have used much of it. Must not be called during a read. */
  async relieve(): Promise<void> {
    await this.#source?.relieve();
  }

  /** Closes the source and drops cached objects. Nothing can be read afterwards. */
  close(): void {
    this.#source?.close();
    this.budget.release(this.#youngBytes + this.#oldBytes);
    this.#young = new Map();
    this.#old = new Map();
    this.#youngBytes = 0;
    this.#oldBytes = 0;
  }
}

/** The body of a stream that has already been written. */
const WRITTEN: StreamBody = {
  raw: () => {
    throw new Error("the stream has been written and is not kept");
  },
  decoded: () => {
    throw new Error("the stream has been written and is not kept");
  },
};
