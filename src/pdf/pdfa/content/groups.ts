// Transparency groups (ISO 19005-1, 6.4; -2, 6.2.10).
import type { Archive } from "../archive.ts";

/** Part 1 has none. Where nothing is transparent a group changes nothing. */
export function removeGroups(archive: Archive): void {
  const { file } = archive;
  for (const { dictionary } of archive.places) {
    if (file.name(file.dictionary(dictionary.get("Group"))?.get("S")) === "Transparency") dictionary.delete("Group");
  }
}
