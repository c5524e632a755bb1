// Removes transparency groups (ISO 19005-1, 6.4; -2, 6.2.10).
import type { PdfaDocument } from "../pdfa-document.ts";

/** Removes all transparency groups, which part 1 forbids. Without transparency, a group has no effect. */
export function removeGroups(archive: PdfaDocument): void {
  const { file } = archive;
  for (const { dictionary } of archive.places) {
    if (file.name(file.dictionary(dictionary.get("Group"))?.get("S")) === "Transparency") dictionary.delete("Group");
  }
}
