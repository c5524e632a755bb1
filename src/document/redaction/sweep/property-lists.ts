// Removes the replacement texts of property lists (ISO 32000-1, 14.6.2) that content named before a match was removed from
// it. Each list has only a part of the match, so it does not match by itself.
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, type Name, type PdfObject, PdfStream, type Value } from "../../objects/values.ts";

export class PropertyLists {
  readonly #file: PdfFile;
  /** Number of times that content names a list. */
  readonly #uses = new Map<Dictionary, number>();
  /** Lists by their copies. */
  readonly #lists = new WeakMap<Dictionary, Dictionary>();
  readonly #unused = new Set<Dictionary>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** Returns a copy of a list with its replacement text as a direct object; undefined without such a text. */
  named(resources: Dictionary | undefined, name: Name): Dictionary | undefined {
    const file = this.#file;
    const list = file.dictionary(file.dictionary(resources?.get("Properties"))?.get(name.text));
    const text = file.string(list?.get("ActualText"));
    if (!list || !text) return undefined;
    const copy = list.clone().set("ActualText", text);
    this.#uses.set(list, (this.#uses.get(list) ?? 0) + 1);
    this.#unused.delete(list);
    this.#lists.set(copy, list);
    return copy;
  }

  /** Records that content no longer names a list. Ignores other dictionaries. */
  readonly replace = (copy: Dictionary): void => {
    const list = this.#lists.get(copy);
    const uses = list && this.#uses.get(list)! - 1;
    if (!list || uses === undefined) return;
    this.#uses.set(list, uses);
    if (uses === 0) this.#unused.add(list);
  };

  /** True if content named a list that it no longer names. */
  get hasUnused(): boolean {
    return this.#unused.size > 0;
  }

  /** Removes the replacement texts of such lists. @returns the same object if it has none */
  clean(object: PdfObject): PdfObject {
    if (!(object instanceof PdfStream)) return this.#value(object);
    const dictionary = this.#dictionary(object.dictionary);
    return dictionary === object.dictionary ? object : new PdfStream(dictionary, object.body);
  }

  #value(value: Value): Value {
    if (value instanceof Dictionary) return this.#dictionary(value);
    if (!Array.isArray(value)) return value;
    const elements = value.map((element) => this.#value(element));
    return elements.every((element, at) => element === value[at]) ? value : elements;
  }

  #dictionary(dictionary: Dictionary): Dictionary {
    if (this.#unused.has(dictionary)) return dictionary.clone().set("ActualText", null);
    const cleaned = dictionary.map((value) => this.#value(value));
    return dictionary.keys().every((key) => cleaned.get(key) === dictionary.get(key)) ? dictionary : cleaned;
  }
}
