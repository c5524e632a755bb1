// Reads the structure tree of a source (ISO 32000-1, 14.7): its elements, and the pages with their content. Elements
// that are direct objects become indirect; nothing else changes.
import type { PdfFile } from "../../../objects/pdf-file.ts";
import { readNumberTree } from "../../../objects/trees.ts";
import { Dictionary, Reference, type Value } from "../../../objects/values.ts";
import type { SourceDocument } from "../../source-document.ts";

/** Approximate memory per element. */
const ELEMENT_BYTES = 120;
/** Maximum number of items read from all elements. */
const MAX_ITEMS = 10_000_000;

export interface StructureElement {
  readonly index: number;
  readonly reference: Reference;
  /** Index of the parent element, -1 at the top level. */
  readonly parent: number;
  /** Number of kids that are elements. */
  kidCount: number;
  /** Kids that are elements without content. */
  readonly bareKids: StructureElement[];
  /** Default page of marked-content kids: the Pg entry of the element, or of its nearest ancestor with Pg. */
  readonly page: Reference | undefined;
  /** True if the element itself has content. */
  hasOwnContent: boolean;
  /** True if the element or a descendant has content. */
  hasContent: boolean;
}

export interface StructureIndex {
  readonly root: Dictionary;
  /** The elements, parents first. */
  readonly elements: readonly StructureElement[];
  /** Top-level elements without content. */
  readonly bareTops: readonly StructureElement[];
  readonly byNumber: ReadonlyMap<number, StructureElement>;
  /** By object number of a page: the elements that have content on the page, not only in descendants. */
  readonly byPage: ReadonlyMap<number, ReadonlySet<StructureElement>>;
  /** The parent tree, by StructParents and StructParent keys. */
  readonly parents: ReadonlyMap<number, Value>;
}

/** An item of K (14.7.4.2). */
export type Kid =
  | { readonly kind: "element"; readonly reference: Reference }
  | {
      readonly kind: "content";
      readonly page: Reference | undefined;
      readonly id: number;
      readonly dictionary?: Dictionary;
    }
  | {
      readonly kind: "object";
      readonly page: Reference | undefined;
      readonly object: Reference;
      readonly dictionary: Dictionary;
    };

/** @returns undefined if the document has no structure tree */
export function findStructure(source: SourceDocument): StructureIndex | undefined {
  const { file } = source;
  const found = file.dictionary(file.catalog.get("StructTreeRoot"));
  if (!found) return undefined;
  const root = withNumberedKids(file, found);
  const elements: StructureElement[] = [];
  const byNumber = new Map<number, StructureElement>();
  const byPage = new Map<number, Set<StructureElement>>();
  const waiting: { reference: Reference; parent: number; page: Reference | undefined }[] = [];
  const push = (holder: Dictionary, parent: number, page: Reference | undefined) => {
    const kids = [...kidsOf(source, holder, page)];
    for (const kid of kids.reverse()) {
      const element = elements[parent];
      if (kid.kind === "element") waiting.push({ reference: kid.reference, parent, page });
      else if (element) {
        element.hasContent = element.hasOwnContent = true;
        if (kid.page) get(byPage, kid.page.number, () => new Set()).add(element);
      }
    }
  };
  push(root, -1, undefined);
  for (let next = waiting.pop(), items = 0; next && items < MAX_ITEMS; next = waiting.pop(), items++) {
    const { reference } = next;
    if (byNumber.has(reference.number)) continue;
    file.budget.charge(ELEMENT_BYTES);
    const before = file.dictionary(reference)!;
    const dictionary = withNumberedKids(file, before);
    if (dictionary !== before) file.put(reference, dictionary);
    const page = pageOf(source, dictionary) ?? next.page;
    const place = { index: elements.length, reference, parent: next.parent, page };
    const element = { ...place, kidCount: 0, bareKids: [], hasOwnContent: false, hasContent: false };
    elements.push(element);
    if (next.parent >= 0) elements[next.parent]!.kidCount++;
    byNumber.set(reference.number, element);
    push(dictionary, element.index, page);
  }
  for (const { hasContent, parent } of elements.toReversed()) {
    if (hasContent && parent >= 0) elements[parent]!.hasContent = true;
  }
  const bareTops: StructureElement[] = [];
  for (const element of elements)
    if (!element.hasContent) (elements[element.parent]?.bareKids ?? bareTops).push(element);
  return { root, elements, bareTops, byNumber, byPage, parents: readNumberTree(file, root.get("ParentTree")) };
}

function get<T>(map: Map<number, T>, key: number, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

export function pageOf(source: SourceDocument, dictionary: Dictionary): Reference | undefined {
  const page = dictionary.get("Pg");
  return page instanceof Reference && source.isPage(page.number) ? page : undefined;
}

/**
 * @param page default page of marked-content kids
 * @param known elements by object number, which are not read again
 */
export function* kidsOf(
  source: SourceDocument,
  holder: Dictionary,
  page: Reference | undefined,
  known?: StructureIndex["byNumber"],
): Generator<Kid, void, undefined> {
  const { file } = source;
  const value = holder.get("K");
  if (value === undefined) return;
  for (const item of file.array(value) ?? [value]) {
    if (item instanceof Reference && known?.has(item.number)) {
      yield { kind: "element", reference: item };
      continue;
    }
    const object = file.resolve(item);
    if (typeof object === "number") yield { kind: "content", page, id: object };
    if (!(object instanceof Dictionary)) continue;
    const type = file.name(object.get("Type"));
    const own = pageOf(source, object) ?? page;
    const id = file.number(object.get("MCID"));
    const target = object.get("Obj");
    if (type === "MCR" || (type === undefined && id !== undefined)) {
      if (id !== undefined) yield { kind: "content", page: own, id, dictionary: object };
    } else if (type === "OBJR" || (type === undefined && target !== undefined)) {
      if (target instanceof Reference) yield { kind: "object", page: own, object: target, dictionary: object };
    } else if (item instanceof Reference) yield { kind: "element", reference: item };
  }
}

/** Makes direct elements indirect, because many objects refer to elements. */
function withNumberedKids(file: PdfFile, holder: Dictionary): Dictionary {
  const value = holder.get("K");
  const items = file.array(value) ?? [value ?? null];
  const isElement = (item: Value) => item instanceof Dictionary && item.has("S");
  if (!items.some(isElement)) return holder;
  return holder.clone().set(
    "K",
    items.map((item) => (isElement(item) ? file.add(item) : item)),
  );
}
