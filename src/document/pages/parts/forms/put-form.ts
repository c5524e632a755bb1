// Replaces the interactive form dictionary (ISO 32000-1, 12.7.2).
import type { PdfFile } from "../../../objects/pdf-file.ts";
import type { Dictionary } from "../../../objects/values.ts";
import { putInCatalog } from "../../catalog-entry.ts";

export const putForm = (file: PdfFile, form: Dictionary): void => putInCatalog(file, "AcroForm", form);

/** Removes the XFA form. Viewers then use the fields (12.7.8). */
export function removeXfa(file: PdfFile): void {
  const form = file.dictionary(file.catalog.get("AcroForm"))?.clone();
  if (!form?.has("XFA")) return;
  form.delete("XFA");
  putForm(file, form);
}
