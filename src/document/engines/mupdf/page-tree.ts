// Reads the page tree of a document. Rewrites it in memory if a count, a kid, a parent or the root is wrong (ISO
// 32000-1, 7.7.3), so that all code that reads the document finds the same pages.
import { EngineFailure } from "../../contract/failure.ts";
import type { Mupdf } from "./instance/mupdf.ts";
import type { MupdfExports, Pointer } from "./instance/raw.ts";
import type { PdfObjects } from "./objects.ts";

/** Maximum number of pages. */
const MAX_KIDS = 1_000_000;
/**
 * Expected maximum number of kids: `perObject` for each object of the file, plus `more`. A larger tree contains
 * repeated nodes, which multiply the pages.
 */
const MULTIPLIED = { perObject: 2, more: 10_000 };
/** Maximum depth. Deeper trees are rewritten, because readers that search the tree for each page are slow in them. */
const MAX_DEPTH = 64;
/** Attributes that a page inherits from its ancestors (table 30). */
const INHERITABLE = ["Resources", "MediaBox", "CropBox", "Rotate"];
/** Entries that identify a page whose Type is wrong. All viewers accept such pages. */
const PAGE_ENTRIES = ["Contents", "MediaBox", "Resources", "Annots"];

/** The pages of a tree. */
export interface PageTreeReading {
  readonly pageCount: number;
  /** True if the tree was rewritten, so that the engine's objects differ from the objects in the file. */
  readonly isRewritten: boolean;
}

/**
 * Reads the pages, and rewrites the tree unless it is valid. Must be called before the engine searches for a page.
 * @throws EngineFailure `too-complex`; MupdfError
 */
export function settlePageTree(engine: Mupdf, objects: PdfObjects, document: Pointer): PageTreeReading {
  return engine.run((raw) => {
    let tree = new PageTree(raw, objects, document);
    // A missing or misplaced object makes the engine search the whole file for objects. The tree is then read again.
    if (raw._wasm_pdf_was_repaired(document) !== tree.wasRepaired) tree = new PageTree(raw, objects, document);
    if (tree.isMultiplied) tree = new PageTree(raw, objects, document, true);
    if (!tree.isSound && tree.pages.length > 0) rewrite(raw, objects, document, tree.pages);
    return { pageCount: tree.pages.length, isRewritten: !tree.isSound };
  });
}

type Inherited = ReadonlyMap<string, Pointer>;
const NOTHING: Inherited = new Map();

interface Found {
  readonly page: Pointer;
  readonly inherited: Inherited;
}

/** A node whose kids are being examined. */
interface Node {
  readonly pointer: Pointer;
  /** Object number; 0 for a direct object. */
  readonly number: number;
  readonly kids: Pointer;
  readonly kidCount: number;
  readonly inherited: Inherited;
  /** Index of the next kid, and number of pages so far. */
  next: number;
  pageCount: number;
}

class PageTree {
  readonly pages: Found[] = [];
  readonly wasRepaired: number;
  isSound = true;
  isMultiplied = false;
  readonly #nodesComeOnce: boolean;
  readonly #mostKids: number;
  readonly #raw: MupdfExports;
  readonly #objects: PdfObjects;
  readonly #seen = new Set<number>();
  /** The nodes from the root to the current node, and their object numbers. */
  readonly #path: Node[] = [];
  readonly #above = new Set<number>();
  #examined = 0;

  /** @param nodesComeOnce true to ignore repeated nodes */
  constructor(raw: MupdfExports, objects: PdfObjects, document: Pointer, nodesComeOnce = false) {
    const objectCount = raw._wasm_pdf_xref_len(document);
    this.#mostKids = nodesComeOnce ? MAX_KIDS : MULTIPLIED.perObject * objectCount + MULTIPLIED.more;
    this.#nodesComeOnce = nodesComeOnce;
    this.#raw = raw;
    this.#objects = objects;
    this.wasRepaired = raw._wasm_pdf_was_repaired(document);
    this.#read(this.#root(document));
    if (this.pages.length === 0) this.#search(document);
  }

  /** Returns the root. Some files name a page or a lower node as the root; its topmost ancestor is then the root. */
  #root(document: Pointer): Pointer {
    const objects = this.#objects;
    let root = objects.get(objects.get(this.#raw._wasm_pdf_trailer(document), "Root"), "Pages");
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      const parent = objects.get(root, "Parent");
      const number = objects.number(root);
      if (number === 0 || !objects.elements(objects.get(parent, "Kids")).some((kid) => objects.number(kid) === number))
        break;
      root = parent;
      this.isSound = false;
    }
    return root;
  }

  #read(root: Pointer): void {
    if (this.#isNode(root)) this.#enter(root);
    else this.#addLeaf(root, 0);
    for (let node = this.#path.at(-1); node && !this.isMultiplied; node = this.#path.at(-1)) {
      if (node.next === node.kidCount) this.#leave();
      else this.#examine(this.#raw._wasm_pdf_array_get(node.kids, node.next++), node);
    }
  }

  #examine(kid: Pointer, parent: Node): void {
    if (this.#examined++ > MAX_KIDS) throw new EngineFailure("too-complex", `a page tree of over ${MAX_KIDS} kids`);
    this.isMultiplied = this.#examined > this.#mostKids;
    const objects = this.#objects;
    const number = objects.number(kid);
    const isOwn = number > 0 && objects.number(objects.get(kid, "Parent")) === parent.number;
    if (!isOwn) this.isSound = false;
    if (!this.#isNode(kid)) this.#addLeaf(kid, parent.number);
    else if ((this.#nodesComeOnce ? this.#seen : this.#above).has(number)) this.isSound = false;
    else this.#enter(kid);
  }

  /**
   * Reports whether an object has pages below it. Some intermediate nodes have the Type of a page, and some pages have
   * unrelated Kids.
   */
  #isNode(object: Pointer): boolean {
    const objects = this.#objects;
    const kids = objects.get(object, "Kids");
    if (kids === 0 || !objects.isArray(kids) || this.#raw._wasm_pdf_is_stream(object)) return false;
    if (objects.name(objects.get(object, "Type")) !== "Page") return true;
    return objects.elements(kids).some((kid) => objects.name(objects.get(kid, "Type")).startsWith("Page"));
  }

  #enter(pointer: Pointer): void {
    const objects = this.#objects;
    const number = objects.number(pointer);
    const type = objects.name(objects.get(pointer, "Type"));
    if (number === 0 || this.#seen.has(number) || type !== "Pages" || this.#path.length > MAX_DEPTH) {
      this.isSound = false;
    }
    if (number > 0) {
      this.#seen.add(number);
      this.#above.add(number);
    }
    const kids = objects.get(pointer, "Kids");
    const inherited = this.#inheritedFrom(pointer, this.#path.at(-1)?.inherited ?? NOTHING);
    const kidCount = this.#raw._wasm_pdf_array_len(kids);
    this.#path.push({ pointer, number, kids, kidCount, inherited, next: 0, pageCount: 0 });
  }

  #leave(): void {
    const { pointer, number, pageCount } = this.#path.pop()!;
    this.#above.delete(number);
    const count = this.#objects.get(pointer, "Count");
    if (!this.#raw._wasm_pdf_is_int(count) || this.#raw._wasm_pdf_to_real(count) !== pageCount) this.isSound = false;
    const parent = this.#path.at(-1);
    if (parent) parent.pageCount += pageCount;
  }

  #addLeaf(page: Pointer, parent: number): void {
    const objects = this.#objects;
    const type = objects.get(page, "Type");
    const isTyped = objects.name(type) === "Page";
    const isPage = isTyped || this.#isUntypedPage(page, parent);
    // All readers accept a leaf without a Type.
    if (!isPage || !(isTyped || type === 0) || objects.get(page, "Kids") !== 0) this.isSound = false;
    if (!isPage) return;
    const node = this.#path.at(-1);
    if (node) node.pageCount++;
    else this.isSound = false;
    this.pages.push({ page, inherited: node?.inherited ?? NOTHING });
  }

  /** Reports whether a leaf with a wrong or missing Type is a page. */
  #isUntypedPage(leaf: Pointer, parent: number): boolean {
    const objects = this.#objects;
    if (!objects.isDictionary(leaf) || this.#raw._wasm_pdf_is_stream(leaf)) return false;
    const isNode = objects.name(objects.get(leaf, "Type")) === "Pages" && objects.get(leaf, "Count") !== 0;
    if (isNode) return objects.get(leaf, "Contents") !== 0;
    if (PAGE_ENTRIES.some((key) => objects.get(leaf, key) !== 0)) return true;
    return parent > 0 && objects.number(objects.get(leaf, "Parent")) === parent;
  }

  #inheritedFrom(node: Pointer, above: Inherited): Inherited {
    let inherited: Map<string, Pointer> | undefined;
    for (const key of INHERITABLE) {
      const value = this.#objects.get(node, key);
      if (value === 0) continue;
      inherited ??= new Map(above);
      inherited.set(key, value);
    }
    return inherited ?? above;
  }

  /**
   * Searches all objects for tree nodes without a parent, and reads their pages. If they have none, adds all page
   * objects.
   */
  #search(document: Pointer): void {
    this.isSound = false;
    const objects = this.#objects;
    const pages: Pointer[] = [];
    const roots: Pointer[] = [];
    const count = this.#raw._wasm_pdf_xref_len(document);
    for (let number = 1; number < count; number++) {
      const object = this.#raw._wasm_pdf_new_indirect(document, number);
      const type = objects.name(objects.get(object, "Type"));
      if (type === "Page" && !this.#isNode(object)) pages.push(object);
      else if (type.startsWith("Page") && this.#isNode(object) && !this.#isNode(objects.get(object, "Parent"))) {
        roots.push(object);
      } else this.#raw._wasm_pdf_drop_obj(object);
    }
    for (const root of roots) this.#read(root);
    if (this.pages.length === 0) for (const page of pages) this.#addLeaf(page, 0);
  }
}

/** Puts the pages below a new root, with their inherited attributes. */
function rewrite(raw: MupdfExports, objects: PdfObjects, document: Pointer, pages: readonly Found[]): void {
  const root = raw._wasm_pdf_new_indirect(document, raw._wasm_pdf_create_object(document));
  const kids = raw._wasm_pdf_new_array(document, pages.length);
  for (const { page: found, inherited } of pages) {
    const page = indirect(raw, objects, document, found);
    for (const [key, value] of inherited) if (objects.get(page, key) === 0) objects.put(page, key, value);
    objects.putNew(page, "Type", objects.newName("Page"));
    objects.put(page, "Parent", root);
    objects.delete(page, "Kids");
    raw._wasm_pdf_array_push(kids, page);
  }
  const entries = { Type: objects.newName("Pages"), Kids: kids, Count: raw._wasm_pdf_new_int(pages.length) };
  const node = objects.newDictionary(document, entries);
  raw._wasm_pdf_update_object(document, objects.number(root), node);
  objects.putNew(objects.get(raw._wasm_pdf_trailer(document), "Root"), "Pages", root);
}

/** Returns a reference to the page. Some files have direct page dictionaries in Kids. */
function indirect(raw: MupdfExports, objects: PdfObjects, document: Pointer, page: Pointer): Pointer {
  if (objects.number(page) > 0) return page;
  const number = raw._wasm_pdf_create_object(document);
  raw._wasm_pdf_update_object(document, number, page);
  return raw._wasm_pdf_new_indirect(document, number);
}
