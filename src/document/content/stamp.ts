// Converts annotations that lose their function but keep their appearance to rubber stamps (ISO 32000-1, 12.5.6.12).
import { type Dictionary, Name } from "../objects/values.ts";

/** Entries that a stamp keeps; all others belong to the former type. */
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

/** Converts an annotation to a stamp in place. */
export function convertToStamp(dictionary: Dictionary): void {
  for (const key of [...dictionary.keys()]) if (!STAMP_ENTRIES.includes(key)) dictionary.delete(key);
  dictionary.set("Type", Name.of("Annot")).set("Subtype", Name.of("Stamp"));
}
