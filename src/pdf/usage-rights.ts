// Takes usage rights off a document (ISO 32000-1, 12.8.2.3): what its maker allowed Adobe's reader to do with this file, as it is, byte
// for byte. Signatures of people are no business of this.
import type { PdfFile } from "./pdf-file.ts";
import { Reference } from "./values.ts";

export function removeUsageRights(file: PdfFile): void {
  const root = file.trailer.get("Root");
  const rights = file.dictionary(file.catalog.get("Perms"));
  if (!rights || !(root instanceof Reference)) return;
  const kept = rights.clone();
  for (const key of ["UR", "UR3"]) kept.delete(key);
  const catalog = file.catalog.clone();
  if (kept.keys().length > 0) catalog.set("Perms", kept);
  else catalog.delete("Perms");
  file.put(root, catalog);
}
