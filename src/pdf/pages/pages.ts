// The pages of a file in their order, however its page tree is made (ISO 32000-1, 7.7.3). Knows nothing of what is on them.
import { EngineFailure } from "../../core/failure.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Reference, type Value } from "../objects/values.ts";

export interface SourcePage {
  readonly reference: Reference;
  /** From 0. */
  readonly index: number;
  /** What the nodes above say of attributes that can be inherited; the page's own come first. */
  readonly inherited: Inherited;
}

export interface PageTree {
  readonly pages: readonly SourcePage[];
  /** Nodes of the tree that are no pages. */
  readonly nodes: readonly Reference[];
}

/** Attributes a page inherits from the nodes above it (table 30). */
type Inherited = Readonly<Partial<Record<(typeof INHERITABLE)[number], Value>>>;
const INHERITABLE = ["Resources", "MediaBox", "CropBox", "Rotate"] as const;
/** What makes a page of a dictionary that says it is something else; files that write another type are read by all viewers. */
const PAGE_ENTRIES = ["Contents", "MediaBox", "Resources", "Annots", "Parent"];
/** What a page takes in memory here, about. */
const PAGE_BYTES = 200;

/** @throws EngineFailure `damaged` where there is no page, `too-large` where there is no room for so many */
export function readPages(file: PdfFile): PageTree {
  const pages: SourcePage[] = [];
  const nodes: Reference[] = [];
  const seen = new Set<number>();
  const waiting: { readonly value: Value; readonly inherited: Inherited }[] = [];
  const root = file.catalog.get("Pages");
  if (root !== undefined) waiting.push({ value: root, inherited: {} });
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, inherited } = next;
    const node = file.resolve(value);
    if (!(node instanceof Dictionary)) continue;
    const kids = file.array(node.get("Kids"));
    if (!kids) {
      if (!looksLikePage(file, node)) continue;
      file.budget.charge(PAGE_BYTES);
      // A page inside of the array of kids is an error; as an object of its own it can be told from others.
      const reference = value instanceof Reference ? value : file.add(node);
      pages.push({ reference, index: pages.length, inherited });
      continue;
    }
    if (value instanceof Reference) {
      // A node that comes again would bring all its pages again, and one that is below itself for ever.
      if (seen.has(value.number)) continue;
      seen.add(value.number);
      nodes.push(value);
      file.budget.charge(PAGE_BYTES);
    }
    const passedOn = inheritedBy(node, inherited);
    for (let index = kids.length - 1; index >= 0; index--) waiting.push({ value: kids[index], inherited: passedOn });
  }
  if (pages.length === 0) throw new EngineFailure("damaged", "it has no pages");
  return { pages, nodes };
}

/** The page's dictionary with what it inherits and without its place in the tree; the caller's own. */
export function pageDictionary(file: PdfFile, { reference, inherited }: SourcePage): Dictionary {
  const page = file.dictionary(reference)?.clone() ?? new Dictionary();
  for (const [key, value] of Object.entries(inherited)) if (!page.has(key)) page.set(key, value);
  page.delete("Parent");
  return page;
}

function inheritedBy(node: Dictionary, above: Inherited): Inherited {
  let inherited = above;
  for (const key of INHERITABLE) {
    const value = node.get(key);
    if (value !== undefined) inherited = { ...inherited, [key]: value };
  }
  return inherited;
}

/** Many pages are without the type that is required (table 30). */
function looksLikePage(file: PdfFile, node: Dictionary): boolean {
  const type = file.name(node.get("Type"));
  return type === undefined || type === "Page" || PAGE_ENTRIES.some((key) => node.has(key));
}
