// Which annotations a document has, and on which of its pages. Reads only.

import { Reference, type Value } from "../../objects/values.ts";
import type { SourceDocument } from "../source-document.ts";

/** What an annotation takes in memory here, about. */
const ENTRY_BYTES = 100;

export interface AnnotationIndex {
  /** The page of an annotation that has a number; the first, where several pages have it. */
  readonly pages: ReadonlyMap<number, Reference>;
  /** Numbers of those that are widgets of a form, in the order of the pages. */
  readonly widgets: readonly number[];
}

export function findAnnotations(source: SourceDocument): AnnotationIndex {
  const { file } = source;
  const pages = new Map<number, Reference>();
  const widgets: number[] = [];
  for (const { reference: page } of source.pages) {
    for (const value of annotationsOf(source, page)) {
      if (!(value instanceof Reference) || pages.has(value.number)) continue;
      pages.set(value.number, page);
      if (file.name(file.dictionary(value)?.get("Subtype")) === "Widget") widgets.push(value.number);
    }
  }
  file.budget.charge(pages.size * ENTRY_BYTES);
  return { pages, widgets };
}

/** References to annotations, and such as stand in the array itself. */
export function annotationsOf({ file }: SourceDocument, page: Reference): readonly Value[] {
  return file.array(file.dictionary(page)?.get("Annots")) ?? [];
}
