// Replaces the interactive form dictionary (ISO 32000-1, 12.7.2), which is an object of its own or in the catalog.
import type { PdfFile } from "../../../objects/pdf-file.ts";
import { type Dictionary, Reference } from "../../../objects/values.ts";

export function putForm(file: PdfFile, form: Dictionary): void {
  const root = file.catalog.get("AcroForm");
  if (root instanceof Reference) file.put(root, form);
  else file.catalog = file.catalog.clone().set("AcroForm", form);
}

/** Removes the XFA form. Viewers then use the fields (12.7.8). */
export function removeXfa(file: PdfFile): void {
  const form = file.dictionary(file.catalog.get("AcroForm"))?.clone();
  if (!form?.has("XFA")) return;
  form.delete("XFA");
  putForm(file, form);
}
