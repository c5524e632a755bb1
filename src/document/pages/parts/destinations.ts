// Updates destinations (ISO 32000-1, 12.3.2) on selected pages, and merges the named destinations of all inputs into
// one tree.

import type { PdfFile } from "../../objects/pdf-file.ts";
import { decodeTextString } from "../../objects/text-strings.ts";
import { readNameTree, writeNameTree } from "../../objects/trees.ts";
import { UniqueNames } from "../../objects/unique-names.ts";
import { Dictionary, Name, PdfString, Reference, type Value } from "../../objects/values.ts";
import type { AssemblyTarget, DocumentPart, InputSelection } from "../assemble.ts";
import type { SourceDocument } from "../source-document.ts";
import { namesOf } from "./catalog-entries.ts";

/** Maximum length of a chain of names that refer to each other. */
const MAX_HOPS = 8;
/** Approximate memory per map entry. */
const ENTRY_BYTES = 160;

/**
 * The name tree and the catalog's Dests are separate namespaces: strings refer to the name tree, name objects to Dests.
 */
type Kind = "string" | "name";
type Key = `${Kind}:${string}`;

interface Named {
  readonly values: ReadonlyMap<Key, Value>;
  /** The names of destinations on each page, by object number of the page. */
  readonly byPage: ReadonlyMap<number, readonly Key[]>;
  readonly pages: ReadonlyMap<Key, Reference>;
}

/** Returns the page of a destination. Undefined if there is none. */
export function pageOfDestination(source: SourceDocument, destination: Value | undefined): Reference | undefined {
  const named = source.once(findNamed);
  const key = keyOf(source.file, destination, named);
  return key === undefined ? explicitPage(source, destination) : named.pages.get(key);
}

function findNamed(source: SourceDocument): Named {
  const { file } = source;
  const values = new Map<Key, Value>();
  for (const [name, value] of readNameTree(file, file.dictionary(file.catalog.get("Names"))?.get("Dests"))) {
    values.set(`string:${name}`, value);
  }
  for (const [name, value] of file.dictionary(file.catalog.get("Dests")) ?? []) values.set(`name:${name}`, value);
  const named = { values, byPage: new Map<number, Key[]>(), pages: new Map<Key, Reference>() };
  file.budget.charge(values.size * ENTRY_BYTES);
  for (const key of values.keys()) {
    const page = explicitPage(source, explicit(file, values.get(key), named));
    if (!page) continue;
    named.pages.set(key, page);
    const keys = named.byPage.get(page.number);
    if (keys) keys.push(key);
    else named.byPage.set(page.number, [key]);
  }
  return named;
}

/** Returns the explicit destination of a name, through any intermediate names. */
function explicit(file: PdfFile, destination: Value | undefined, named: Pick<Named, "values">): Value | undefined {
  let value = destination;
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    const key = keyOf(file, value, named);
    if (key === undefined) return value;
    value = named.values.get(key);
  }
  return undefined;
}

function keyOf(file: PdfFile, destination: Value | undefined, { values }: Pick<Named, "values">): Key | undefined {
  const object = file.resolve(destination);
  const isName = object instanceof Name;
  if (!isName && !(object instanceof PdfString)) return undefined;
  const text = isName ? object.text : object.latin1;
  const keys: Key[] = isName ? [`name:${text}`, `string:${text}`] : [`string:${text}`, `name:${text}`];
  return keys.find((key) => values.has(key)) ?? keys[0];
}

function explicitPage(source: SourceDocument, destination: Value | undefined): Reference | undefined {
  const { file } = source;
  const object = file.resolve(destination);
  const array = file.array(object instanceof Dictionary ? object.get("D") : destination);
  const page = array?.[0];
  if (page instanceof Reference) return source.isPage(page.number) ? page : undefined;
  // Page numbers are for destinations in other documents, but some writers use them in the same document, and readers
  // accept them.
  return typeof page === "number" ? source.pages[page]?.reference : undefined;
}

/** `gone`: the page was omitted. `broken`: the destination was already invalid in the source. */
export type DestinationResolution = { readonly value: Value } | "gone" | "broken";

export class Destinations implements DocumentPart {
  #taking!: InputSelection;
  #named!: Named;
  /** The new names of this input's destinations on selected pages. */
  #names = new Map<Key, string>();
  #changed = new Map<string, string>();
  readonly #written = new Map<string, Value>();
  readonly #unique = new UniqueNames((name, count) => `${name}-${count}`);

  open(taking: InputSelection): void {
    this.#taking = taking;
    this.#named = taking.source.once(findNamed);
    this.#names = new Map();
    this.#changed = new Map();
    for (const { source, repeat } of taking.pages) {
      if (repeat > 0) continue;
      for (const key of this.#named.byPage.get(source.number) ?? []) this.#name(key);
    }
  }

  #name(key: Key): void {
    const before = key.slice(key.indexOf(":") + 1);
    const name = this.#unique.take(before);
    this.#names.set(key, name);
    if (name === before) return;
    const text = decodeTextString(PdfString.ofLatin1(before));
    if (!this.#changed.has(text)) this.#changed.set(text, decodeTextString(PdfString.ofLatin1(name)));
  }

  /** The new names of this input's renamed destinations, by old name, as text. */
  get changed(): ReadonlyMap<string, string> {
    return this.#changed;
  }

  /** @returns a value of the source */
  fateOf(destination: Value | undefined): DestinationResolution {
    const { source } = this.#taking;
    const key = keyOf(source.file, destination, this.#named);
    if (key !== undefined) {
      const name = this.#names.get(key);
      if (name !== undefined) return { value: PdfString.ofLatin1(name) };
      return this.#named.pages.has(key) ? "gone" : "broken";
    }
    const page = explicitPage(source, destination);
    if (!page) return "broken";
    return this.#taking.copiesOf(page).length > 0 ? { value: withPage(source.file, destination!, page) } : "gone";
  }

  close({ copier, source }: InputSelection): void {
    for (const [key, name] of this.#names) {
      const value = explicit(source.file, this.#named.values.get(key), this.#named)!;
      this.#written.set(name, copier.value(withPage(source.file, value, this.#named.pages.get(key)!)));
    }
  }

  finish(result: AssemblyTarget): void {
    if (this.#written.size > 0) namesOf(result).set("Dests", writeNameTree(result.file, this.#written));
  }
}

/**
 * Returns the destination as an array that starts with a page reference, because some readers support no other form.
 */
function withPage(file: PdfFile, destination: Value, page: Reference): Value {
  const object = file.resolve(destination);
  const value = object instanceof Dictionary ? object.get("D")! : destination;
  const array = file.array(value) ?? [];
  return array[0] instanceof Reference ? value : [page, ...array.slice(1)];
}
