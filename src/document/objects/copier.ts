// Copies object graphs from one file to another. Referenced objects are queued, not copied by recursion. The copier
// treats all objects alike; visitors change those that need it, such as pages.
import type { Interning } from "./interning.ts";
import type { PdfFile } from "./pdf-file.ts";
import { Dictionary, type PdfObject, PdfStream, Reference, type Value } from "./values.ts";

/**
 * Examines a dictionary before the copier copies it, and can change it. The dictionary is a shallow copy whose values
 * still belong to the source, so arrays in it must be replaced, not modified. The copier does not follow references in
 * deleted entries. References in new values must refer to the source, because the copier translates them too.
 * @param reference reference to the object (or stream) of this dictionary; undefined for a nested dictionary
 * @param copier the copier of this dictionary; for annotations of a repeated page, the copier that {@link
 * Copier.forRepeat} created
 */
export type Visit = (dictionary: Dictionary, reference: Reference | undefined, copier: Copier) => void;

export interface CopierOptions {
  /**
   * Reports whether the object with this number must not be copied. References to it become null, unless {@link
   * Copier.seed} has set its target.
   */
  readonly isExcluded?: (number: number) => boolean;
  /** Finds equal objects in several sources, which are then copied once. @default every object is copied */
  readonly interning?: Interning;
}

/** State shared by a copier and its copiers for repeated pages. */
interface Shared extends CopierOptions {
  readonly queue: { readonly copier: Copier; readonly source: Reference; readonly target: Reference }[];
  readonly visits: Visit[];
}

/** Approximate memory per map entry, in bytes. */
const ENTRY_BYTES = 80;

/**
 * Copies objects from one source to one target. Each object is copied once, and all references to it refer to that
 * copy.
 */
export class Copier {
  readonly source: PdfFile;
  readonly target: PdfFile;
  /**
   * The target page whose annotations this copier copies again; undefined unless {@link forRepeat} created the copier.
   */
  readonly repeat: Reference | undefined;
  readonly #parent: Copier | undefined;
  readonly #shared: Shared;
  readonly #targets = new Map<number, Reference | null>();
  /**
   * Numbers of the objects that are copied again for a repeated page. All other objects are shared with the parent
   * copier.
   */
  readonly #own: ReadonlySet<number> | undefined;

  private constructor(
    files: { readonly source: PdfFile; readonly target: PdfFile },
    shared: Shared,
    repeat?: { readonly parent: Copier; readonly page: Reference; readonly own: ReadonlySet<number> },
  ) {
    this.source = files.source;
    this.target = files.target;
    this.#shared = shared;
    this.#parent = repeat?.parent;
    this.repeat = repeat?.page;
    this.#own = repeat?.own;
  }

  static between(source: PdfFile, target: PdfFile, options: CopierOptions = {}): Copier {
    return new Copier({ source, target }, { ...options, queue: [], visits: [] });
  }

  /** Adds a visitor. Visitors run in the order in which they were added. */
  onVisit(visit: Visit): void {
    this.#shared.visits.push(visit);
  }

  /** Sets the target of a source reference, so that its object is not copied. Null drops the reference. */
  seed(source: Reference, target: Reference | null): void {
    this.target.budget.charge(ENTRY_BYTES);
    this.#targets.set(source.number, target);
  }

  /** @returns the target; undefined if no object copied so far contains the source reference */
  targetOf(source: Reference): Reference | null | undefined {
    const copier = this.#keeperOf(source.number);
    return copier.#targets.get(source.number);
  }

  /**
   * Returns the target of a source reference, and queues a new object for copying.
   * @returns null for a dropped object
   */
  reference(source: Reference): Reference | null {
    const { number } = source;
    const keeper = this.#keeperOf(number);
    const known = keeper.#targets.get(number);
    if (known !== undefined) return known;
    if (this.#shared.isExcluded?.(number)) return null;
    const interned = this.#shared.interning?.find(this.source, source, () => keeper.target.reserve());
    const target = interned?.reference ?? this.target.reserve();
    keeper.seed(source, target);
    if (!interned?.known) this.#shared.queue.push({ copier: keeper, source, target });
    return target;
  }

  /** Returns a copy of a source value for the target. Queues the objects that it refers to. */
  value(value: Value): Value {
    if (value instanceof Reference) return this.reference(value);
    if (value instanceof Dictionary) return this.dictionary(value);
    if (Array.isArray(value)) return value.map((element) => this.value(element));
    return value;
  }

  /** @param reference reference to the object of this dictionary, for the visitors */
  dictionary(dictionary: Dictionary, reference?: Reference): Dictionary {
    let seen = dictionary;
    if (this.#shared.visits.length > 0) {
      seen = dictionary.clone();
      for (const visit of this.#shared.visits) visit(seen, reference, this);
    }
    return seen.map((value) => this.value(value));
  }

  /**
   * Copies one queued object.
   * @returns false if the queue is empty
   */
  step(): boolean {
    const next = this.#shared.queue.pop();
    if (!next) return false;
    const { copier, source, target } = next;
    const copy = copier.#object(copier.source.resolve(source), source);
    if (copy !== null) this.target.put(target, copy);
    return true;
  }

  /**
   * Returns a copier for a page that the target already contains. The new copier copies the page's annotations again,
   * and shares all other objects with this copier.
   * @param own numbers of the objects to copy again
   * @param page the page in the source
   * @param target the page in the target that receives the annotations
   */
  forRepeat(own: ReadonlySet<number>, page: Reference, target: Reference): Copier {
    const copier = new Copier(this, this.#shared, {
      parent: this,
      page: target,
      own: new Set([...own, page.number]),
    });
    copier.seed(page, target);
    return copier;
  }

  #keeperOf(number: number): Copier {
    return this.#parent && !this.#own!.has(number) ? this.#parent : this;
  }

  #object(object: PdfObject, reference: Reference): PdfObject {
    if (object instanceof PdfStream) {
      return new PdfStream(this.dictionary(object.dictionary, reference), object.body);
    }
    return object instanceof Dictionary ? this.dictionary(object, reference) : this.value(object);
  }
}
