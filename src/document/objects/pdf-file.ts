// Presents a file as numbered objects: those of a source, read on demand, and those that were changed or added.
// Interprets no object except the catalog, and no syntax.
import { EngineFailure } from "../contract/failure.ts";
import { type Budget, sizeOf } from "./budget.ts";
import {
  Dictionary,
  Name,
  type PdfObject,
  PdfStream,
  PdfString,
  Reference,
  type StreamBody,
  type Value,
} from "./values.ts";

/** A source of objects. */
export interface ObjectSource {
  /** Exclusive upper bound of all object numbers. */
  readonly size: number;
  /** The version of the header or the catalog, whichever is higher, for example `1.7`. */
  readonly version: string;
  /** Returns the entries in use: Root, Info, ID. */
  trailer(): Dictionary;
  /** @returns values that the caller owns; null if there is no such object */
  load(number: number): PdfObject;
  /** @returns the object if reading it again costs less than keeping it; otherwise undefined */
  glance?(number: number): Value | undefined;
  /** Releases memory if reading has used much of it. Call it between pieces of work. */
  relieve(): Promise<void>;
  close(): void;
}

/** Writes the streams of a file as they are put into it. */
export interface StreamSink {
  /** Writes a stream immediately: the dictionary is final, and the body need not be kept. */
  writeStream(number: number, dictionary: Dictionary, body: StreamBody): void;
}

/** Limits references that lead to references. */
const MAX_HOPS = 10;
/** Part of the budget for objects that were read and not changed. */
const CACHE_PART = 1 / 4;

/**
 * The objects of a file. Objects from a source are read-only: to change one, put a changed copy in its place. Objects
 * that were put or added here may be changed in place.
 */
export class PdfFile {
  readonly budget: Budget;
  readonly version: string;
  /** Root, Info and ID. */
  readonly trailer: Dictionary;
  readonly #source: ObjectSource | undefined;
  readonly #sink: StreamSink | undefined;
  readonly #changed = new Map<number, PdfObject>();
  #isInPasses = false;
  #size: number;
  /** Objects that were read, in two generations: the older generation is dropped when the younger one is full. */
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
   * Opens a file for several passes over all objects. Objects that are cheap to read are not kept, so two reads of one
   * object return different instances.
   */
  static inPasses(source: ObjectSource, budget: Budget): PdfFile {
    const file = PdfFile.of(source, budget);
    file.#isInPasses = true;
    return file;
  }

  /**
   * Creates a file that contains only an empty catalog.
   * @param sink writes streams as they are put; afterwards, they can be referred to but no longer read
   */
  static create(budget: Budget, sink?: StreamSink): PdfFile {
    const file = new PdfFile(budget, undefined, sink);
    file.trailer.set("Root", file.add(Dictionary.of({ Type: Name.of("Catalog") })));
    return file;
  }

  /** Exclusive upper bound of all object numbers. */
  get size(): number {
    return this.#size;
  }

  /** @throws EngineFailure `damaged` if there is no catalog */
  get catalog(): Dictionary {
    const catalog = this.dictionary(this.trailer.get("Root"));
    if (!catalog) throw new EngineFailure("damaged", "it has no catalog");
    return catalog;
  }

  /** @returns null if there is no such object */
  get(reference: Reference): PdfObject {
    const { number } = reference;
    const changed = this.#changed.get(number);
    if (changed !== undefined) return changed;
    return this.#source ? this.#read(this.#source, number) : null;
  }

  /** Returns the object itself, or the one that the reference leads to. */
  resolve(value: Value | undefined): PdfObject {
    let object: PdfObject = value ?? null;
    for (let hops = 0; object instanceof Reference; hops++) {
      if (hops >= MAX_HOPS) return null;
      object = this.get(object);
    }
    return object;
  }

  /**
   * Returns a dictionary, or the dictionary of a stream. Like the methods below, it follows references and returns
   * undefined for any other object.
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

  /** Reserves a reference for an object that follows later. It is null until then. */
  reserve(): Reference {
    return new Reference(this.#size++);
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

  /** Releases memory if reading has used much of it. Call it between pieces of work. */
  async relieve(): Promise<void> {
    await this.#source?.relieve();
  }

  /** Closes the source. Objects that were read are dropped, and nothing can be read anymore. */
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
