// Counts the parts of a PDF with poppler and qpdf.
import { type Json, type OutlineItem, PdfJson } from "./pdf-json.ts";
import { textOf } from "./pdf-readers.ts";

export interface Counts {
  /** Number of characters, without spaces. */
  readonly characters: number;
  readonly bookmarks: number;
  readonly links: number;
  /** Number of elements in the structure tree. */
  readonly tags: number;
}

export function countsOf(pdf: Uint8Array): Counts {
  const characters = textOf(pdf).join("").replace(/\s/g, "").length;
  const json = new PdfJson(pdf);
  return { characters, bookmarks: bookmarks(json.outlines), links: links(json), tags: tags(json) };
}

const bookmarks = (items: readonly OutlineItem[]): number =>
  items.reduce((sum, { kids }) => sum + 1 + bookmarks(kids), 0);

function links(json: PdfJson): number {
  const annotations = json.pages.flatMap((_, index) => json.annotations(index + 1));
  return annotations.filter((annotation: Json) => annotation?.["/Subtype"] === "/Link").length;
}

function tags(json: PdfJson): number {
  const seen = new Set<string>();
  const waiting: Json[] = [json.at(json.catalog, "StructTreeRoot", "K")];
  let count = 0;
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "string") {
      if (seen.has(value)) continue;
      seen.add(value);
    }
    const element = json.get(value);
    if (Array.isArray(element)) waiting.push(...element);
    if (element?.["/S"] === undefined) continue;
    count++;
    waiting.push(element["/K"]);
  }
  return count;
}
