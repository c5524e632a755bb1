// Removes the files attached to a document (ISO 32000-1, 7.11.4).
import type { PdfFile } from "../objects/pdf-file.ts";
import { decodeTextString } from "../objects/text-strings.ts";
import { readNameTree } from "../objects/trees.ts";
import { Dictionary, PdfString } from "../objects/values.ts";

/** Catalog entries that contain or present attached files. */
const CATALOG_ENTRIES = ["AF", "Collection"];

/** @returns the names of the files that the document lists */
export function removeAttachments(file: PdfFile): { readonly name: string }[] {
  const catalog = file.catalog.clone();
  const names = file.dictionary(catalog.get("Names"))?.clone() ?? new Dictionary();
  const attached = [...readNameTree(file, names.get("EmbeddedFiles")).keys()];
  names.delete("EmbeddedFiles");
  catalog.set("Names", names.size > 0 ? names : null);
  for (const key of CATALOG_ENTRIES) catalog.delete(key);
  file.catalog = catalog;
  return attached.map((name) => ({ name: decodeTextString(PdfString.ofLatin1(name)) }));
}
