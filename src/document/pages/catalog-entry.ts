// Replaces a dictionary of the catalog, which is an object of its own or in the catalog.
import type { PdfFile } from "../objects/pdf-file.ts";
import { type Dictionary, Reference } from "../objects/values.ts";

export function putInCatalog(file: PdfFile, key: string, dictionary: Dictionary): void {
  const value = file.catalog.get(key);
  if (value instanceof Reference) file.put(value, dictionary);
  else file.catalog = file.catalog.clone().set(key, dictionary);
}
