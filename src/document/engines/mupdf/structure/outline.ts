// Reads the outline of a document, and the places in it that links lead to.
import type { Mupdf } from "../instance/mupdf.ts";
import { MupdfError } from "../instance/mupdf.ts";
import type { MupdfExports, Pointer } from "../instance/raw.ts";

/** A place on a page. */
export interface Destination {
  /** Page number, from 1. */
  readonly page: number;
  /** In points from the upper left corner of the page as viewers show it; NaN if it is not given. */
  readonly left: number;
  readonly top: number;
}

export interface OutlineItem extends Destination {
  readonly title: string;
  /** Depth in the outline, from 1. */
  readonly level: number;
}

const MAX_ITEMS = 20_000;
const MAX_TITLE = 500;

/** Returns the items that lead to pages, parents first. A damaged outline has none. */
export function readOutline(engine: Mupdf, document: Pointer): readonly OutlineItem[] {
  const items: OutlineItem[] = [];
  let root: Pointer = 0;
  try {
    root = engine.run((raw) => raw._wasm_load_outline(document));
    engine.run((raw) => {
      const waiting: (readonly [item: Pointer, level: number])[] = [[root, 1]];
      for (let next = waiting.pop(); next && items.length < MAX_ITEMS; next = waiting.pop()) {
        const [item, level] = next;
        if (item === 0) continue;
        const [title, uri] = [raw._wasm_outline_get_title(item), raw._wasm_outline_get_uri(item)];
        const place = uri === 0 ? undefined : destinationOf(raw, document, uri);
        const text = title === 0 ? "" : raw.UTF8ToString(title).slice(0, MAX_TITLE);
        if (place) items.push({ ...place, title: text, level });
        waiting.push([raw._wasm_outline_get_next(item), level], [raw._wasm_outline_get_down(item), level + 1]);
      }
    });
  } catch (error) {
    if (!(error instanceof MupdfError)) throw error;
    engine.complain();
  } finally {
    if (root !== 0) engine.release((raw) => raw._wasm_drop_outline(root));
  }
  return items;
}

/** @param uri an address of MuPDF @returns undefined if it leads to no page */
export function destinationOf(raw: MupdfExports, document: Pointer, uri: Pointer): Destination | undefined {
  const found = raw._wasm_resolve_link_dest(document, uri);
  const page = raw._wasm_link_dest_get_page(found);
  if (page < 0) return undefined;
  return { page: page + 1, left: raw._wasm_link_dest_get_x(found), top: raw._wasm_link_dest_get_y(found) };
}
