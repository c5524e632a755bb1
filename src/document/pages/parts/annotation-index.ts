// Lists the annotations of a document with their pages.

import { Reference, type Value } from "../../objects/values.ts";
import type { SourceDocument } from "../source-document.ts";

/** Approximate memory per annotation. */
const ENTRY_BYTES = 100;

export interface AnnotationIndex {
  /** The page of each indirect annotation, by object number. For an annotation on several pages, the first page. */
  readonly pages: ReadonlyMap<number, Reference>;
  /** Object numbers of form widgets, in page order. */
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

/** Returns the annotations of a page, as references or as direct objects. */
export function annotationsOf({ file }: SourceDocument, page: Reference): readonly Value[] {
  return file.array(file.dictionary(page)?.get("Annots")) ?? [];
}
