// Determines the visibility of optional content (ISO 32000-1, 8.11) in a parsed file.

import type { PdfFile } from "../objects/pdf-file.ts";
import { Reference, type Value } from "../objects/values.ts";
import { type ObjectReader, OptionalContent } from "../visibility/optional-content.ts";

/** @param content an optional content group or a membership dictionary */
export type LayerVisibility = (content: Value) => boolean;

export const optionalContentOf = (file: PdfFile): OptionalContent<Value> =>
  new OptionalContent(readerOf(file), file.catalog.get("OCProperties") ?? null);

/** Returns the visibility of content when a viewer opens the file. The result ignores later changes to the file. */
export function defaultVisibility(file: PdfFile): LayerVisibility {
  const content = optionalContentOf(file);
  return (value) => content.isShown(value);
}

const readerOf = (file: PdfFile): ObjectReader<Value> => ({
  get: (dictionary, key) => file.dictionary(dictionary)?.get(key) ?? null,
  isDictionary: (object) => file.dictionary(object) !== undefined,
  isArray: (object) => file.array(object) !== undefined,
  elements: (array, limit) => (file.array(array) ?? []).slice(0, limit),
  name: (object) => file.name(object) ?? "",
  number: (object) => (object instanceof Reference ? object.number : 0),
});
