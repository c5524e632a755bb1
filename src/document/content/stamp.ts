// Converts annotations to rubber stamps (ISO 32000-1, 12.5.6.12): they lose their function, but keep their appearance.
import { type Dictionary, Name } from "../objects/values.ts";

/** Entries that the stamp keeps. Other entries belong to the former annotation type. */
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
