// Reads resource dictionaries (ISO 32000-1, 7.8.3), and creates names that they do not use.
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary } from "../objects/values.ts";

/** @returns a copy of the resource dictionary of a category, or an empty dictionary */
export function namesOf(file: PdfFile, resources: Dictionary | undefined, category: string): Dictionary {
  return file.dictionary(resources?.get(category))?.clone() ?? new Dictionary();
}

/** Creates names that a dictionary does not use. */
export class NameAllocator {
  readonly #prefix: string;
  #next = 0;

  constructor(prefix: string, ...taken: readonly (Dictionary | undefined)[]) {
    let free = prefix;
    const isTaken = (name: string) => taken.some((names) => names?.keys().some((key) => key.startsWith(name)));
    for (let suffix = 0; isTaken(free); suffix++)
      free = `${prefix}${String.fromCharCode(97 + (suffix % 26)).repeat(1 + suffix / 26)}`;
    this.#prefix = free;
  }

  next(): string {
    return `${this.#prefix}${this.#next++}`;
  }
}
