// Flattens a page tree that MuPDF refuses (it has a cycle, or an invalid node), with the pages that can be found. Uses
// only the page tree.
import type { Mupdf } from "./mupdf.ts";
import type { PdfObjects } from "./objects.ts";
import type { MupdfExports, Pointer } from "./raw.ts";

/** Maximum number of nodes that are examined. The tree of a real document has fewer. */
const MAX_NODES = 200_000;
/** Attributes a page inherits from the nodes above it (ISO 32000-1, table 30). */
const INHERITABLE = ["Resources", "MediaBox", "CropBox", "Rotate"];

/** Entries that make a page of a dictionary with another type. All viewers read files that write another type. */
const PAGE_ENTRIES = ["Contents", "MediaBox", "Resources", "Annots", "Parent"];

/** Reports whether a leaf of the tree can be a page: many lack the type that is required (ISO 32000-1, table 30). */
export function looksLikePage(objects: PdfObjects, node: Pointer): boolean {
  if (!objects.isDictionary(node)) return false;
  const type = objects.name(objects.get(node, "Type"));
  return type === "" || type === "Page" || PAGE_ENTRIES.some((key) => objects.get(node, key) !== 0);
}

/** Flattens the tree. @returns the number of pages that the tree has now, in the order of the old one */
export function flattenPageTree(engine: Mupdf, objects: PdfObjects, document: Pointer): number {
  return engine.run((raw) => {
    const root = objects.get(objects.get(raw._wasm_pdf_trailer(document), "Root"), "Pages");
    const pages = collect(raw, objects, root);
    if (pages.length === 0) return 0;
    const kids = raw._wasm_pdf_new_array(document, pages.length);
    for (const { page, inherited } of pages) {
      for (const [key, value] of inherited) objects.put(page, key, value);
      objects.put(page, "Parent", root);
      raw._wasm_pdf_array_push(kids, page);
    }
    // Attributes are looked up through Parent, and a root has none.
    objects.delete(root, "Parent");
    objects.putNew(root, "Kids", kids);
    objects.putNew(root, "Count", raw._wasm_pdf_new_int(pages.length));
    return pages.length;
  });
}

interface Found {
  readonly page: Pointer;
  readonly inherited: ReadonlyMap<string, Pointer>;
}

function collect(raw: MupdfExports, objects: PdfObjects, root: Pointer): Found[] {
  const seen = new Set<number>();
  const pages: Found[] = [];
  const waiting: Found[] = [{ page: root, inherited: new Map() }];
  for (let looked = 0; looked < MAX_NODES; looked++) {
    const next = waiting.pop();
    if (!next) break;
    const node = next.page;
    if (!objects.isDictionary(node)) continue;
    const number = objects.number(node);
    if (number > 0) {
      if (seen.has(number)) continue;
      seen.add(number);
    }
    const kids = objects.get(node, "Kids");
    if (!objects.isArray(kids)) {
      if (looksLikePage(objects, node)) pages.push(next);
      continue;
    }
    const inherited = new Map(next.inherited);
    for (const key of INHERITABLE) {
      const value = objects.get(node, key);
      if (value !== 0) inherited.set(key, value);
    }
    for (let index = Math.min(raw._wasm_pdf_array_len(kids), MAX_NODES) - 1; index >= 0; index--) {
      waiting.push({ page: raw._wasm_pdf_array_get(kids, index), inherited });
    }
  }
  return pages.map(({ page, inherited }) => ({
    page,
    inherited: new Map([...inherited].filter(([key]) => objects.get(page, key) === 0)),
  }));
}
