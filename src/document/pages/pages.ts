// Reads the pages of a file in order (ISO 32000-1, 7.7.3).
import { EngineFailure } from "../contract/failure.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Reference, type Value } from "../objects/values.ts";

export interface SourcePage {
  readonly reference: Reference;
  /** The page index, from 0. */
  readonly index: number;
  /** Attributes inherited from ancestors. Attributes of the page itself take precedence. */
  readonly inherited: Inherited;
}

export interface PageTree {
  readonly pages: readonly SourcePage[];
  /** The intermediate nodes of the tree. */
  readonly nodes: readonly Reference[];
}

/** Attributes that a page inherits from its ancestors (table 30). */
type Inherited = Readonly<Partial<Record<(typeof INHERITABLE)[number], Value>>>;
const INHERITABLE = ["Resources", "MediaBox", "CropBox", "Rotate"] as const;
/** Approximate memory per page. */
const PAGE_BYTES = 200;

/**
 * Reads a page tree that is already valid: MuPDF repairs it when it opens the file.
 * @throws EngineFailure `damaged` if there is no page, `too-large` if there are too many pages for the memory
 */
export function readPages(file: PdfFile): PageTree {
  const pages: SourcePage[] = [];
  const nodes: Reference[] = [];
  const waiting: { readonly value: Value; readonly inherited: Inherited }[] = [];
  const root = file.catalog.get("Pages");
  if (root !== undefined) waiting.push({ value: root, inherited: {} });
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, inherited } = next;
    const node = file.resolve(value);
    if (!(value instanceof Reference && node instanceof Dictionary)) continue;
    file.budget.charge(PAGE_BYTES);
    const kids = file.array(node.get("Kids"));
    if (!kids) {
      pages.push({ reference: value, index: pages.length, inherited });
      continue;
    }
    nodes.push(value);
    const passedOn = inheritedBy(node, inherited);
    for (let index = kids.length - 1; index >= 0; index--) waiting.push({ value: kids[index]!, inherited: passedOn });
  }
  if (pages.length === 0) throw new EngineFailure("damaged", "it has no pages");
  return { pages, nodes };
}

/** Returns a new page dictionary with the inherited attributes, without Parent. */
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
