// A page tree that MuPDF refuses (it comes back to itself, or has a node that is none) made flat, with the pages that can be
// found. Knows only the tree.
import type { Mupdf } from "./mupdf.ts";
import type { MupdfExports, Pointer } from "./mupdf-raw.ts";

/** Nodes that are looked at; a tree of a real document has fewer. */
const MAX_NODES = 200_000;
/** Attributes a page inherits from the nodes above it (ISO 32000-1, table 30). */
const INHERITABLE = ["Resources", "MediaBox", "CropBox", "Rotate"];

/** @returns how many pages the tree has now, in the order in which the old one had them */
export function flattenPageTree(engine: Mupdf, document: Pointer): number {
  return engine.run((raw) => {
    const get = (dictionary: Pointer, key: string) =>
      engine.withText(key, (name) => raw._wasm_pdf_dict_gets(dictionary, name));
    const root = get(get(raw._wasm_pdf_trailer(document), "Root"), "Pages");
    if (!raw._wasm_pdf_is_dict(root)) return 0;
    const pages = collect(raw, get, root);
    const kids = raw._wasm_pdf_new_array(document, pages.length);
    for (const { page, inherited } of pages) {
      for (const [key, value] of inherited) engine.withText(key, (name) => raw._wasm_pdf_dict_puts(page, name, value));
      engine.withText("Parent", (name) => raw._wasm_pdf_dict_puts(page, name, root));
      raw._wasm_pdf_array_push(kids, page);
    }
    // Attributes are looked up through Parent, and a root has none.
    engine.withText("Parent", (name) => raw._wasm_pdf_dict_dels(root, name));
    engine.withText("Kids", (name) => raw._wasm_pdf_dict_puts(root, name, kids));
    engine.withText("Count", (name) => raw._wasm_pdf_dict_puts(root, name, raw._wasm_pdf_new_int(pages.length)));
    return pages.length;
  });
}

interface Found {
  readonly page: Pointer;
  readonly inherited: ReadonlyMap<string, Pointer>;
}

function collect(raw: MupdfExports, get: (dictionary: Pointer, key: string) => Pointer, root: Pointer): Found[] {
  const seen = new Set<number>();
  const pages: Found[] = [];
  const waiting: Found[] = [{ page: root, inherited: new Map() }];
  for (let looked = 0; looked < MAX_NODES; looked++) {
    const next = waiting.pop();
    if (!next) break;
    const node = next.page;
    if (!raw._wasm_pdf_is_dict(node)) continue;
    if (raw._wasm_pdf_is_indirect(node)) {
      const number = raw._wasm_pdf_to_num(node);
      if (seen.has(number)) continue;
      seen.add(number);
    }
    const kids = get(node, "Kids");
    if (!raw._wasm_pdf_is_array(kids)) {
      pages.push(next);
      continue;
    }
    const inherited = new Map(next.inherited);
    for (const key of INHERITABLE) {
      const value = get(node, key);
      if (value !== 0) inherited.set(key, value);
    }
    for (let index = Math.min(raw._wasm_pdf_array_len(kids), MAX_NODES) - 1; index >= 0; index--) {
      waiting.push({ page: raw._wasm_pdf_array_get(kids, index), inherited });
    }
  }
  return pages.map(({ page, inherited }) => ({
    page,
    inherited: new Map([...inherited].filter(([key]) => get(page, key) === 0)),
  }));
}
