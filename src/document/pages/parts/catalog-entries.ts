// Catalog entries of the target that several parts write.

import { Dictionary } from "../../objects/values.ts";
import type { AssemblyTarget } from "../assemble.ts";

/** The target's name dictionary (ISO 32000-1, 7.7.4). */
export function namesOf({ file, catalog }: AssemblyTarget): Dictionary {
  const names = file.dictionary(catalog.get("Names"));
  if (names) return names;
  const made = new Dictionary();
  catalog.set("Names", made);
  return made;
}
