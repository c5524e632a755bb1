// Copies graphs of objects from one file into another, without recursion: what an object leads to waits in a queue. Knows no
// meaning of what it copies; that is the business of its visitors.
import type { Interning } from "./interning.ts";
import type { PdfFile } from "./pdf-file.ts";
import { Dictionary, type PdfObject, PdfStream, Reference, type Value } from "./values.ts";

/**
 * Looks at a dictionary before it is copied, and may change it: it is a shallow copy, whose values are still those of the source
 * (arrays in it must be replaced, not changed). Entries that are deleted are not followed. Values that are set are copied like all
 * others: references in them refer to the source.
 * @param reference of the object that the dictionary is (a stream's, too), undefined for one inside of another object
 * @param copier the one at work, which is another one where annotations of a page are copied once more
 */
export type Visit = (dictionary: Dictionary, reference: Reference | undefined, copier: Copier) => void;

export interface CopierOptions {
  /** Objects that are not to be reached by any way, by number: a reference to one becomes null unless it has a target. */
  readonly isExcluded?: (number: number) => boolean;
  /** Where equal objects of several sources are found. @default every object is copied */
  readonly interning?: Interning;
}

/** What a copier and those for its repeats have in common. */
interface Shared extends CopierOptions {
  readonly queue: { readonly copier: Copier; readonly source: Reference; readonly target: Reference }[];
  readonly visits: Visit[];
}

/** What an entry of the map takes in memory, about. */
const ENTRY_BYTES = 80;

/** From one source into one target. Every object is copied once; all references to it lead to the one copy. */
export class Copier {
  readonly source: PdfFile;
  readonly target: PdfFile;
  /** The page of the target whose annotations this copier copies once more, if that is what it is for. */
  readonly repeat: Reference | undefined;
  readonly #parent: Copier | undefined;
  readonly #shared: Shared;
  readonly #targets = new Map<number, Reference | null>();
  /** Numbers of what a copier for a repeat copies anew; all else is its parent's. */
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

  /** Adds a visitor; they are called in the order in which they were added. */
  onVisit(visit: Visit): void {
    this.#shared.visits.push(visit);
  }

  /** Settles what a reference of the source becomes: the object itself is then not copied. Null drops it. */
  seed(source: Reference, target: Reference | null): void {
    this.target.budget.charge(ENTRY_BYTES);
    this.#targets.set(source.number, target);
  }

  /** @returns the target as far as it is settled; undefined for what nothing referred to yet */
  targetOf(source: Reference): Reference | null | undefined {
    const copier = this.#keeperOf(source.number);
    return copier.#targets.get(source.number);
  }

  /** The reference in the target; the object is copied when its turn comes. @returns null for what is dropped */
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

  /** A copy of a value of the source, for the target; what it refers to is copied when its turn comes. */
  value(value: Value): Value {
    if (value instanceof Reference) return this.reference(value);
    if (value instanceof Dictionary) return this.dictionary(value);
    if (Array.isArray(value)) return value.map((element) => this.value(element));
    return value;
  }

  /** @param reference of the object that the dictionary is, for the visitors */
  dictionary(dictionary: Dictionary, reference?: Reference): Dictionary {
    let seen = dictionary;
    if (this.#shared.visits.length > 0) {
      seen = dictionary.clone();
      for (const visit of this.#shared.visits) visit(seen, reference, this);
    }
    return seen.map((value) => this.value(value));
  }

  /**
   * Copies one object that waits.
   * @returns false where none did
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
   * A copier for annotations of a page that is in the target already: they are copied anew, all else is shared.
   * @param own numbers of the objects that are copied anew
   * @param page of the source
   * @param target the page in the target that they are for
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
