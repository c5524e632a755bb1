// Converts annotations that lose their function but keep their look to stamps (ISO 32000-1, 12.5.6.12). Knows nothing
// about the reason.
import { type Dictionary, Name } from "../objects/values.ts";

/** Entries that a stamp keeps from the former annotation; all others are specific to its type. */
const STAMP_ENTRIES = [
  "Rect",
  "AP",
  "AS",
  "P",
  "F",
  "Contents",
  "NM",
  "M",
  "C",
  "CA",
  "T",
  "Subj",
  "StructParent",
  "OC",
];

/** Makes an annotation a stamp, and removes the entries of its former type. */
export function convertToStamp(dictionary: Dictionary): void {
  for (const key of [...dictionary.keys()]) if (!STAMP_ENTRIES.includes(key)) dictionary.delete(key);
  dictionary.set("Type", Name.of("Annot")).set("Subtype", Name.of("Stamp"));
}
