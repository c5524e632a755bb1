// Reads the part of the structure tree that describes a page (ISO 32000-1, 14.7), upwards from the elements of its marked
// content: a tree has millions of elements, but a page few.

import type { FuelBudget, Mupdf } from "../instance/mupdf.ts";
import type { Pointer } from "../instance/raw.ts";
import type { PdfObjects } from "../objects.ts";
import { readAttributes, type StructureAttributes } from "./attributes.ts";
import { ContentElements, type MarkPage } from "./content-elements.ts";

/** An element with content on a page. */
export interface StructureNode extends StructureAttributes {
  /** Standard type if the role map leads to one. */
  readonly type: string;
  /** Elements, and identifiers of marked content, in the order of the tree. */
  readonly kids: readonly (StructureNode | number)[];
}

/** Maximum number of elements and of marked contents of a page; pages with more are read without tags. */
const MAX_CONTENTS = 10_000;
const MAX_ELEMENTS = 20_000;
const MAX_DEPTH = 100;
/** Maximum number of kids that are examined for a page, and of elements whose last place is remembered. */
const MAX_STEPS = 200_000;
const MAX_PLACES = 10_000;
const MAX_ROLES = 8;
const MAX_NUMBER_TREE_DEPTH = 16;
const MAX_NUMBER_TREE_KIDS = 10_000;

/** An element whose kids are being put in order. */
interface Draft {
  readonly number: number;
  readonly pointer: Pointer;
  readonly parent: Draft | undefined;
  readonly depth: number;
  readonly kids: (Draft | number)[];
  /** Identifiers of its marked content on the page, until their places are known. */
  readonly contents: Set<number>;
  /** Number of kids whose places are not known. */
  missing: number;
  /** True if its place among the kids of its parent is known. */
  isPlaced: boolean;
}

/** A page that refers to the structure tree, while its elements are collected. */
interface Page {
  readonly number: number;
  readonly drafts: Map<number, Draft>;
  steps: number;
}

export class DocumentStructure {
  readonly #engine: Mupdf;
  readonly #objects: PdfObjects;
  readonly #root: Pointer;
  readonly #elements: ContentElements;
  readonly #types = new Map<string, string>();
  /** Place of the last kid that was found, by the object number of its parent: the next page has those after it. */
  readonly #places = new Map<number, number>();

  /** @param root the tree, which the catalog does not refer to any more */
  constructor(engine: Mupdf, objects: PdfObjects, document: Pointer, root: Pointer) {
    this.#engine = engine;
    this.#objects = objects;
    this.#root = root;
    this.#elements = new ContentElements(engine, objects, document);
  }

  /**
   * Reads the elements of a page, and makes MuPDF state its marked content.
   * @returns undefined if the page is not tagged, or its tags exceed the limits
   * @throws MupdfError, EngineFailure
   */
  read(page: Pointer, mark: MarkPage, tank: FuelBudget): StructureNode | undefined {
    return this.#engine.run(() => {
      const objects = this.#objects;
      const key = objects.real(objects.get(page, "StructParents"));
      const owners = key === undefined ? 0 : this.#parentsOf(key);
      const count = objects.isArray(owners) ? this.#engine.raw._wasm_pdf_array_len(owners) : 0;
      if (count === 0 || count > MAX_CONTENTS) return undefined;
      const read: Page = { number: objects.number(page), drafts: new Map(), steps: 0 };
      const root = draftOf(this.#root, 0, undefined);
      for (const [id, owner] of objects.elements(owners).entries()) {
        const draft = this.#draft(owner, root, read);
        if (read.drafts.size > MAX_ELEMENTS) return undefined;
        if (!draft) continue;
        draft.contents.add(id);
        draft.missing++;
      }
      for (const draft of [root, ...read.drafts.values()]) this.#order(draft, read);
      if (read.steps > MAX_STEPS || root.kids.length === 0) return undefined;
      const node = this.#nodeOf(root);
      return this.#elements.attach(page, count, mark) ? node : undefined;
    }, tank);
  }

  /** Makes MuPDF ignore the marked content of the page that was read last. */
  forget(page: Pointer): void {
    this.#engine.run(() => this.#elements.detach(page));
  }

  /** Returns the entry of the parent tree for a key. */
  #parentsOf(key: number): Pointer {
    const objects = this.#objects;
    let node = objects.get(this.#root, "ParentTree");
    for (let depth = 0; depth < MAX_NUMBER_TREE_DEPTH && objects.isDictionary(node); depth++) {
      const numbers = objects.get(node, "Nums");
      if (objects.isArray(numbers)) return this.#entryOf(numbers, key);
      const kids = objects.elements(objects.get(node, "Kids"), MAX_NUMBER_TREE_KIDS);
      node = kids.find((kid) => this.#includes(kid, key)) ?? 0;
    }
    return 0;
  }

  #includes(node: Pointer, key: number): boolean {
    const [least, most] = this.#objects.elements(this.#objects.get(node, "Limits"), 2);
    if (least === undefined || most === undefined) return false;
    return key >= (this.#objects.real(least) ?? Infinity) && key <= (this.#objects.real(most) ?? -Infinity);
  }

  /** Returns the value of a key in an array of sorted keys and values. */
  #entryOf(numbers: Pointer, key: number): Pointer {
    const { raw } = this.#engine;
    let [from, to] = [0, raw._wasm_pdf_array_len(numbers) >> 1];
    while (from < to) {
      const at = (from + to) >> 1;
      const found = this.#objects.real(raw._wasm_pdf_array_get(numbers, 2 * at));
      if (found === undefined) return 0;
      if (found === key) return raw._wasm_pdf_array_get(numbers, 2 * at + 1);
      if (found < key) from = at + 1;
      else to = at;
    }
    return 0;
  }

  /** Returns an element with its ancestors. @returns undefined if no way leads to the root */
  #draft(element: Pointer, root: Draft, page: Page): Draft | undefined {
    const objects = this.#objects;
    const rootNumber = objects.number(this.#root);
    const line: Pointer[] = [];
    let parent: Draft | undefined;
    for (let next = element; parent === undefined; next = objects.get(next, "P")) {
      const number = objects.number(next);
      if (number === rootNumber && number > 0) parent = root;
      else parent = page.drafts.get(number);
      if (parent) break;
      if (number === 0 || !objects.isDictionary(next) || line.length > MAX_DEPTH) return undefined;
      line.push(next);
    }
    if (!parent || parent.depth + line.length > MAX_DEPTH) return undefined;
    for (const pointer of line.reverse()) {
      const draft = draftOf(pointer, objects.number(pointer), parent);
      page.drafts.set(draft.number, draft);
      parent.missing++;
      parent = draft;
    }
    return parent;
  }

  /** Puts the kids of an element in the order of its K entry. */
  #order(draft: Draft, page: Page): void {
    const { raw } = this.#engine;
    const kids = this.#objects.get(draft.pointer, "K");
    if (!this.#objects.isArray(kids)) {
      const kid = this.#kidOf(kids, draft, page);
      if (kid !== undefined) draft.kids.push(kid);
      return;
    }
    const count = raw._wasm_pdf_array_len(kids);
    const start = Math.min(this.#places.get(draft.number) ?? 0, count);
    const after = this.#kidsIn(kids, [start, count], draft, page);
    draft.kids.push(...this.#kidsIn(kids, [0, start], draft, page), ...after);
  }

  #kidsIn(kids: Pointer, [from, to]: readonly [number, number], draft: Draft, page: Page): readonly (Draft | number)[] {
    const found: (Draft | number)[] = [];
    for (let at = from; at < to && draft.missing > 0 && page.steps <= MAX_STEPS; at++) {
      page.steps++;
      const kid = this.#kidOf(this.#engine.raw._wasm_pdf_array_get(kids, at), draft, page);
      if (kid === undefined) continue;
      found.push(kid);
      if (this.#places.size > MAX_PLACES) this.#places.clear();
      this.#places.set(draft.number, at);
    }
    return found;
  }

  /** Returns an element, or the identifier of marked content, if it belongs to the page and its place was not known. */
  #kidOf(kid: Pointer, draft: Draft, page: Page): Draft | number | undefined {
    const objects = this.#objects;
    const element = page.drafts.get(objects.number(kid));
    if (element?.parent === draft) {
      if (element.isPlaced) return undefined;
      element.isPlaced = true;
      draft.missing--;
      return element;
    }
    const isReference = objects.isDictionary(kid);
    const id = objects.real(isReference ? objects.get(kid, "MCID") : kid);
    const own = objects.number(objects.get(kid, "Pg"));
    const pageNumber = own > 0 ? own : objects.number(objects.get(draft.pointer, "Pg"));
    if (id === undefined || (pageNumber > 0 && page.number > 0 && pageNumber !== page.number)) return undefined;
    if (!draft.contents.delete(id)) return undefined;
    draft.missing--;
    return id;
  }

  #nodeOf(draft: Draft): StructureNode {
    const kids = draft.kids.map((kid) => (typeof kid === "number" ? kid : this.#nodeOf(kid)));
    const type = draft.parent ? this.#typeOf(this.#objects.name(this.#objects.get(draft.pointer, "S"))) : "Document";
    return { type, kids, ...readAttributes(this.#engine, this.#objects, draft.pointer, type) };
  }

  /** Returns the standard type of a type (14.8.4). */
  #typeOf(name: string): string {
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const roles = this.#objects.get(this.#root, "RoleMap");
    let type = name;
    for (let count = 0; count < MAX_ROLES && !STANDARD.has(type); count++) {
      const next = this.#objects.isDictionary(roles) ? this.#objects.name(this.#objects.get(roles, type)) : "";
      if (next === "") break;
      type = next;
    }
    if (this.#types.size < MAX_PLACES) this.#types.set(name, type);
    return type;
  }
}

const draftOf = (pointer: Pointer, number: number, parent: Draft | undefined): Draft => ({
  ...{ number, pointer, parent, depth: parent ? parent.depth + 1 : 0 },
  ...{ kids: [], contents: new Set(), missing: 0, isPlaced: false },
});

/** The standard types of PDF 1.7 and 2.0. */
const STANDARD: ReadonlySet<string> = new Set(
  (
    "Document DocumentFragment Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private Aside Title Sub " +
    "P H H1 H2 H3 H4 H5 H6 L LI Lbl LBody Table TR TH TD THead TBody TFoot Span Quote Note FENote Reference BibEntry " +
    "Code Link Annot Em Strong Ruby RB RT RP Warichu WT WP Figure Formula Form Artifact"
  ).split(" "),
);
