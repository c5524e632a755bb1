// Updates the structure tree (ISO 32000-1, 14.7) when annotations become page content, so that the element of an
// annotation contains marked content instead of an object reference; and adds elements of new content.

import type { PdfFile } from "../objects/pdf-file.ts";
import { encodeTextString } from "../objects/text-strings.ts";
import { readNumberTree, writeNumberTree } from "../objects/trees.ts";
import { Dictionary, Name, Reference, type Value } from "../objects/values.ts";
import { putInCatalog } from "../pages/catalog-entry.ts";

/** Standard types that require an annotation (14.8.4.4.1), and the type of the same content without one. */
const WITHOUT_ANNOTATION: Readonly<Record<string, string>> = { Link: "Span", Annot: "Span" };
/** Maximum number of ancestors that an element without content takes with it. */
const MAX_LEVELS = 64;

/** An annotation that becomes page content. */
export interface Replaced {
  readonly annotation: Value;
  readonly page: Reference;
  /** Attributes that describe the content. @default none */
  readonly attributes?: Dictionary | undefined;
}

/** A new element. */
export interface NewElement {
  readonly parent?: Reference;
  /** A standard structure type, for example `P`. */
  readonly type: string;
  readonly language?: string | undefined;
  /** Text that replaces the content for readers. */
  readonly actualText?: string | undefined;
  /** Text that describes the content for readers. */
  readonly alternateText?: string | undefined;
  /** @default none */
  readonly attributes?: Dictionary | undefined;
}

/** A new element with content. */
export interface Tagged extends NewElement {
  readonly page: Reference;
}

/** Identifies content of a page in a content stream. */
export interface MarkedContent {
  readonly type: string;
  readonly id: number;
}

export class StructureLinks {
  readonly #file: PdfFile;
  /** The parent tree. Undefined if the document is not tagged. */
  #parents: Map<number, Value> | undefined;
  #parent: Reference | undefined;
  /** New elements, in the order of the content. */
  readonly #added: Reference[] = [];
  /** New elements of the parent tree, by key: the elements of a page's marked content. */
  readonly #ofPages = new Map<number, Value[]>();
  /** The new StructParents of pages, by object number. */
  readonly #keys = new Map<number, number>();
  /** Object numbers of elements that have lost their last kid. */
  readonly #empty = new Set<number>();
  #nextKey = 0;
  #hasChanged = false;

  constructor(file: PdfFile) {
    this.#file = file;
    const root = file.dictionary(file.catalog.get("StructTreeRoot"));
    this.#parents = root && readNumberTree(file, root.get("ParentTree"));
    for (const key of this.#parents?.keys() ?? []) if (key >= this.#nextKey) this.#nextKey = key + 1;
  }

  /**
   * Adds an element with marked content of a page, after the existing elements. Creates the structure tree of a
   * document that is not tagged.
   * @returns the type and the identifier of the content
   */
  add({ page, ...tagged }: Tagged): MarkedContent {
    return this.mark(this.addElement(tagged), page);
  }

  /**
   * Adds an element without content.
   * @param parent an element that this object added. @default the Document element, or the root
   */
  addElement({ type, parent, ...tagged }: NewElement): Reference {
    this.#parents ??= this.#createTree();
    const { language, actualText, alternateText, attributes } = tagged;
    const entries = Dictionary.of({ Type: Name.of("StructElem"), S: Name.of(type), P: parent ?? this.#top });
    if (language !== undefined) entries.set("Lang", encodeTextString(language));
    if (actualText !== undefined) entries.set("ActualText", encodeTextString(actualText));
    if (alternateText !== undefined) entries.set("Alt", encodeTextString(alternateText));
    if (attributes) entries.set("A", attributes);
    const element = this.#file.add(entries);
    if (parent) this.#addKid(parent, element);
    else this.#added.push(element);
    return element;
  }

  /** Adds marked content of a page to an element that this object added. */
  mark(element: Reference, page: Reference): MarkedContent {
    const dictionary = this.#file.dictionary(element)!;
    const id = this.#contentOf(page).push(element) - 1;
    if (!dictionary.has("Pg")) dictionary.set("Pg", page);
    const own = dictionary.get("Pg");
    const isOnOwnPage = own instanceof Reference && own.number === page.number;
    this.#addKid(element, isOnOwnPage ? id : Dictionary.of({ Type: Name.of("MCR"), Pg: page, MCID: id }));
    return { type: this.#file.name(dictionary.get("S"))!, id };
  }

  #addKid(element: Reference, kid: Value): void {
    const dictionary = this.#file.dictionary(element)!;
    const kids = dictionary.get("K");
    if (Array.isArray(kids)) kids.push(kid);
    else dictionary.set("K", kids === undefined ? kid : [kids, kid]);
  }

  /**
   * Replaces the reference to an annotation by a reference to marked content.
   * @returns the type and the identifier of the content; undefined if no element refers to the annotation
   */
  replace({ annotation, page, attributes }: Replaced): { readonly type: string; readonly id: number } | undefined {
    const element = this.#take(annotation);
    const kids = element && this.#kidsWithout(element, annotation);
    if (!kids) return undefined;
    const type = this.#typeWithoutAnnotation(element.dictionary);
    const content = this.#contentOf(page);
    const id = content.push(element.reference) - 1;
    kids.splice(kids.indexOf(null), 1, Dictionary.of({ Type: Name.of("MCR"), Pg: page, MCID: id }));
    const changed = element.dictionary.clone().set("K", kids).set("S", Name.of(type));
    const before = changed.get("A");
    if (attributes) changed.set("A", before === undefined ? attributes : [...this.#list(before), attributes]);
    this.#file.put(element.reference, changed);
    return { type: /^\w+$/.test(type) ? type : "Span", id };
  }

  /** Removes the reference to an annotation, and elements that are empty without it. */
  remove(annotation: Value): void {
    const element = this.#take(annotation);
    const kids = element && this.#kidsWithout(element, annotation)?.filter((kid) => kid !== null);
    if (!kids) return;
    const type = this.#typeWithoutAnnotation(element.dictionary);
    this.#file.put(element.reference, element.dictionary.clone().set("K", kids).set("S", Name.of(type)));
    if (kids.length === 0) this.#empty.add(element.reference.number);
  }

  /** Removes the references to marked content of a page, and elements that are empty without it. */
  removeContent(page: Reference, ids: readonly number[]): void {
    if (ids.length === 0 || !this.#parents || !this.#file.dictionary(page)?.has("StructParents")) return;
    const elements = this.#contentOf(page);
    const removed = new Set(ids);
    const owners = new Map<number, Reference>();
    for (const id of removed) {
      const owner = elements[id];
      if (owner instanceof Reference) owners.set(owner.number, owner);
      if (owner !== undefined) elements[id] = null;
    }
    for (const owner of owners.values()) {
      const element = this.#file.dictionary(owner);
      if (!element) continue;
      const own = element.get("Pg");
      const kids = this.#list(element.get("K"));
      const kept = kids.filter((kid) => {
        const content = this.#file.dictionary(kid);
        const at = content ? (content.get("Pg") ?? own) : own;
        const id = content ? content.get("MCID") : kid;
        return !(at instanceof Reference && at.number === page.number && typeof id === "number" && removed.has(id));
      });
      this.#file.put(owner, element.clone().set("K", kept));
      if (kept.length === 0) this.#empty.add(owner.number);
    }
  }

  /** Writes the parent tree. Must be called once, after the last change. */
  finish(): void {
    const file = this.#file;
    if (!this.#parents || !this.#hasChanged) return;
    this.#prune();
    for (const [number, key] of this.#keys) {
      const page = new Reference(number);
      file.put(page, file.dictionary(page)!.clone().set("StructParents", key));
    }
    for (const [key, elements] of this.#ofPages) this.#parents.set(key, file.add(elements));
    if (this.#added.length > 0) {
      const top = file.dictionary(this.#top)!;
      file.put(this.#top, top.clone().set("K", [...this.#list(top.get("K")), ...this.#added]));
    }
    const root = file.dictionary(file.catalog.get("StructTreeRoot"))!;
    const changed = root.clone().set("ParentTree", writeNumberTree(file, this.#parents));
    changed.set("ParentTreeNextKey", this.#nextKey);
    putInCatalog(file, "StructTreeRoot", changed);
  }

  /** Returns a new root with a Document element, and declares that the document is tagged. */
  #createTree(): Map<number, Value> {
    const file = this.#file;
    const root = file.add(null);
    const entries = { Type: Name.of("StructElem"), S: Name.of("Document"), P: root, K: [] };
    file.put(root, Dictionary.of({ Type: Name.of("StructTreeRoot"), K: [file.add(Dictionary.of(entries))] }));
    file.catalog = file.catalog
      .clone()
      .set("StructTreeRoot", root)
      .set("MarkInfo", Dictionary.of({ Marked: true }));
    return new Map();
  }

  /** The parent of new elements: the Document element if it is the only child of the root, otherwise the root. */
  get #top(): Reference {
    this.#parent ??= this.#findTop();
    return this.#parent;
  }

  #findTop(): Reference {
    const root = this.#root;
    const [only, ...others] = this.#list(this.#file.dictionary(root)!.get("K"));
    const isDocument = this.#file.name(this.#file.dictionary(only)?.get("S")) === "Document";
    return only instanceof Reference && others.length === 0 && isDocument ? only : root;
  }

  /** The root as an object of its own, to which elements refer. */
  get #root(): Reference {
    const root = this.#file.catalog.get("StructTreeRoot");
    if (root instanceof Reference) return root;
    const reference = this.#file.add(this.#file.dictionary(root)!);
    this.#file.catalog = this.#file.catalog.clone().set("StructTreeRoot", reference);
    return reference;
  }

  /** Returns the element of an annotation, and removes it from the parent tree. */
  #take(annotation: Value): { readonly reference: Reference; readonly dictionary: Dictionary } | undefined {
    const key = this.#file.number(this.#file.dictionary(annotation)?.get("StructParent"));
    const reference = key === undefined ? undefined : this.#parents?.get(key);
    const dictionary = this.#file.dictionary(reference);
    if (!(reference instanceof Reference) || !dictionary) return undefined;
    this.#parents!.delete(key!);
    this.#hasChanged = true;
    return { reference, dictionary };
  }

  /** Returns the kids of an element, with null in place of the annotation; undefined if it is not among them. */
  #kidsWithout({ dictionary }: { readonly dictionary: Dictionary }, annotation: Value): Value[] | undefined {
    if (!(annotation instanceof Reference)) return undefined;
    const isIt = (kid: Value) => {
      const object = this.#file.dictionary(kid)?.get("Obj");
      return object instanceof Reference && object.number === annotation.number;
    };
    const kids = this.#list(dictionary.get("K")).map((kid) => (isIt(kid) ? null : kid));
    return kids.includes(null) ? kids : undefined;
  }

  #list(value: Value | undefined): readonly Value[] {
    return this.#file.array(value) ?? (value === undefined ? [] : [value]);
  }

  #typeWithoutAnnotation(element: Dictionary): string {
    const type = this.#file.name(element.get("S")) ?? "Span";
    return WITHOUT_ANNOTATION[type] ?? type;
  }

  /** Returns the list of elements of a page's marked content, by identifier (14.7.4.4). */
  #contentOf(page: Reference): Value[] {
    const dictionary = this.#file.dictionary(page);
    const key = this.#keys.get(page.number) ?? this.#file.number(dictionary?.get("StructParents")) ?? this.#nextKey++;
    const known = this.#ofPages.get(key);
    if (known) return known;
    const elements = [...(this.#file.array(this.#parents!.get(key)) ?? [])];
    this.#ofPages.set(key, elements);
    this.#keys.set(page.number, key);
    this.#hasChanged = true;
    this.#parents!.set(key, null);
    return elements;
  }

  /** Removes empty elements from their parents, level by level. */
  #prune(): void {
    const file = this.#file;
    for (let level = 0; level < MAX_LEVELS && this.#empty.size > 0; level++) {
      const empty = new Set(this.#empty);
      this.#empty.clear();
      const parents = new Map<number, Reference>();
      for (const number of empty) {
        const parent = file.dictionary(new Reference(number))?.get("P");
        if (parent instanceof Reference) parents.set(parent.number, parent);
      }
      for (const [number, parent] of parents) {
        const dictionary = file.dictionary(parent);
        if (!dictionary?.has("S")) continue;
        const kids = this.#list(dictionary.get("K"));
        const kept = kids.filter((kid) => !(kid instanceof Reference && empty.has(kid.number)));
        file.put(parent, dictionary.clone().set("K", kept));
        if (kept.length === 0 && kids.length > 0) this.#empty.add(number);
      }
    }
  }
}
