// Removes unused fonts, images and other entries from resource dictionaries (ISO 32000-1, 7.8.3). A dictionary shared
// by pages and forms keeps the entries that any of them uses.

import { ResourceUsage } from "../content/resources.ts";
import type { Survey } from "../content/survey.ts";
import { EngineFailure } from "../contract/failure.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Reference } from "../objects/values.ts";
import { pageDictionary, readPages } from "../pages/pages.ts";

/** The used names by category. Null to keep all entries. */
type Used = Map<string, Set<string>> | null;

export class UsedResources {
  readonly #file: PdfFile;
  readonly #canonical: (number: number) => number;
  readonly #usage: ResourceUsage;
  /** Used names, by the object number of a resource dictionary. */
  readonly #shared = new Map<number, Used>();
  /** Used names, by the object number of a page, form or font with direct resources. */
  readonly #own = new Map<number, Used>();

  constructor(file: PdfFile, survey: Survey, canonical: (number: number) => number) {
    this.#file = file;
    this.#canonical = canonical;
    this.#usage = new ResourceUsage(file);
    for (const number of survey.keptResources) this.#shared.set(canonical(number), null);
    for (const page of readPages(file).pages) {
      const dictionary = pageDictionary(file, page);
      const isOwn = file.dictionary(page.reference)?.has("Resources") ?? false;
      this.#add(dictionary, isOwn ? page.reference : undefined, () => this.#usage.ofPage(dictionary));
    }
    for (const number of [...survey.contents, ...survey.fonts.map((font) => font.number)]) {
      const reference = new Reference(number);
      const dictionary = file.dictionary(reference);
      if (dictionary?.has("Resources")) {
        this.#add(dictionary, reference, () => this.#usage.ofObject(dictionary, reference));
      }
    }
  }

  /** @returns the dictionary itself if all of it is used */
  prune(dictionary: Dictionary, number: number): Dictionary {
    const shared = this.#shared.get(number);
    if (shared) return this.#pruned(dictionary, shared);
    const own = this.#own.get(number);
    const resources = dictionary.get("Resources");
    if (!own || !(resources instanceof Dictionary)) return dictionary;
    const pruned = this.#pruned(resources, own);
    return pruned === resources ? dictionary : dictionary.clone().set("Resources", pruned);
  }

  /** @param reference the object that has the resources; undefined for inherited resources */
  #add(user: Dictionary, reference: Reference | undefined, find: () => Dictionary | undefined): void {
    const resources = user.get("Resources");
    const isShared = resources instanceof Reference;
    if (resources === undefined || (!isShared && !reference)) return;
    const map = isShared ? this.#shared : this.#own;
    const number = this.#canonical(isShared ? resources.number : reference!.number);
    const known = map.get(number);
    if (known === null) return;
    const kept = this.#tried(find);
    if (!kept) {
      map.set(number, null);
      return;
    }
    const used = known ?? new Map<string, Set<string>>();
    map.set(number, used);
    for (const [category, value] of kept) {
      const names = used.get(category) ?? new Set();
      used.set(category, names);
      for (const name of this.#file.dictionary(value)?.keys() ?? []) names.add(name);
    }
  }

  /** Returns undefined for damaged content, to keep all its resources. */
  #tried(find: () => Dictionary | undefined): Dictionary | undefined {
    try {
      return find();
    } catch (error) {
      if (error instanceof EngineFailure && error.reason !== "crashed") return undefined;
      throw error;
    }
  }

  #pruned(resources: Dictionary, used: Map<string, Set<string>>): Dictionary {
    let pruned = resources;
    for (const [category, value] of resources) {
      const all = this.#file.dictionary(value);
      const names = used.get(category);
      if (!all || all.keys().every((name) => names?.has(name))) continue;
      const some = new Dictionary();
      for (const [name, entry] of all) if (names?.has(name)) some.set(name, entry);
      pruned = pruned.clone().set(category, some.size > 0 ? some : null);
    }
    return pruned;
  }
}
