// Finds equal objects, so that a font or an image in several inputs is stored once. Equality includes all referenced
// objects. A copier copies only the first of several equal objects, so its visitors must treat them alike.
import { createHash } from "node:crypto";
import type { Budget } from "./budget.ts";
import type { PdfFile } from "./pdf-file.ts";
import { serialize, sortEntries } from "./serialize.ts";
import { Dictionary, Name, type PdfObject, PdfStream, Reference, type Value } from "./values.ts";

export interface Interned {
  readonly reference: Reference;
  /** True if an equal object already exists. Otherwise, `reference` is new and must be filled. */
  readonly known: boolean;
}

/** The source of objects: a file, or a filtered file. */
type Objects = Pick<PdfFile, "get">;

/** Approximate memory per map entry, in bytes. */
const ENTRY_BYTES = 160;
/** Entries that bind an object to one document: to its structure, layers or pages. */
const PERSONAL_KEYS = ["StructParent", "StructParents", "OC", "AF", "P", "Parent", "Pg", "Kids", "IRT", "Popup"];
/** Types of dictionaries whose meaning depends only on their contents. */
const SHARED_TYPES = new Set(["Font", "FontDescriptor", "Encoding", "ExtGState", "Pattern", "Halftone"]);
/** Keys that identify dictionaries without a Type: functions, shadings, patterns. */
const SHARED_KEYS = ["FunctionType", "ShadingType", "PatternType", "CIDSystemInfo"];
/** Categories of resources (ISO 32000-1, table 33). */
const RESOURCES = new Set("ExtGState ColorSpace Pattern Shading XObject Font ProcSet Properties".split(" "));

/** Equal objects in one target file. */
export class Interning {
  readonly #budget: Budget;
  /**
   * Classes of equal objects, by hash. The hash covers the object, with the class of each referenced object in place of
   * the reference.
   */
  readonly #classes = new Map<string, number>();
  /** Reference in the target to each class of equal objects. */
  readonly #references = new Map<number, Reference>();
  #source: Objects | undefined;
  /** Classes by object number of the source; null for a unique object. */
  #found = new Map<number, number | null>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /**
   * Finds the object equal to a source object. Callers finish one source before they start the next: a new source
   * discards the classes of the previous one.
   * @param reserve reserves a reference in the target
   * @returns undefined for a unique object
   */
  find(source: Objects, reference: Reference, reserve: () => Reference): Interned | undefined {
    if (source !== this.#source) {
      this.#budget.release(ENTRY_BYTES * this.#found.size);
      this.#found = new Map();
      this.#source = source;
    }
    const found = this.#classify(source, reference.number);
    if (found === null) return undefined;
    const known = this.#references.get(found);
    if (known) return { reference: known, known: true };
    const reserved = reserve();
    this.#references.set(found, reserved);
    return { reference: reserved, known: false };
  }

  /** Classifies an object after all objects that it refers to. An object in a reference cycle is unique. */
  #classify(source: Objects, first: number): number | null {
    const open = new Set<number>();
    const waiting = [first];
    while (waiting.length > 0) {
      const number = waiting.at(-1)!;
      const object = this.#found.has(number) ? null : source.get(new Reference(number));
      if (object === null || !canBeShared(object)) {
        this.#settle(number, null);
        waiting.pop();
        continue;
      }
      const next = referencesOf(object);
      if (open.has(number)) {
        const isShared = next.every((one) => typeof this.#found.get(one) === "number");
        this.#settle(number, isShared ? this.#class(object) : null);
        waiting.pop();
      } else {
        open.add(number);
        // A reference to an open object is a cycle, so this object is unique.
        for (const one of next) if (!this.#found.has(one) && !open.has(one)) waiting.push(one);
      }
    }
    return this.#found.get(first)!;
  }

  #settle(number: number, found: number | null): void {
    if (this.#found.has(number)) return;
    this.#budget.charge(ENTRY_BYTES);
    this.#found.set(number, found);
  }

  #class(object: PdfObject): number {
    const hash = createHash("sha256");
    const value = object instanceof PdfStream ? object.dictionary : object;
    hash.update(
      serialize(sortEntries(value), ({ number }) => this.#found.get(number)!),
      "latin1",
    );
    if (object instanceof PdfStream) hash.update("stream").update(object.body.raw());
    const digest = hash.digest("base64");
    const known = this.#classes.get(digest);
    if (known !== undefined) return known;
    this.#budget.charge(ENTRY_BYTES);
    this.#classes.set(digest, this.#classes.size);
    return this.#classes.size - 1;
  }
}

function canBeShared(object: PdfObject): boolean {
  const dictionary = object instanceof PdfStream ? object.dictionary : object;
  if (!(dictionary instanceof Dictionary)) return true;
  if (PERSONAL_KEYS.some((key) => dictionary.has(key))) return false;
  if (object instanceof PdfStream) return true;
  const type = dictionary.get("Type");
  if (type !== undefined) return type instanceof Name && SHARED_TYPES.has(type.text);
  if (SHARED_KEYS.some((key) => dictionary.has(key))) return true;
  if (dictionary.keys().every((key) => RESOURCES.has(key))) return true;
  // Only references: for example the `Font` category of a resource dictionary, or an appearance dictionary.
  return dictionary.values().every((value) => value instanceof Reference);
}

function referencesOf(object: PdfObject): number[] {
  const found: number[] = [];
  const waiting: Value[] = [object instanceof PdfStream ? object.dictionary : object];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next instanceof Reference) found.push(next.number);
    else if (next instanceof Dictionary) for (const value of next.values()) waiting.push(value);
    else if (Array.isArray(next)) for (const element of next) waiting.push(element);
  }
  return found;
}
