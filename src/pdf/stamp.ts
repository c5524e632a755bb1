// Annotations that lose what they were and keep their look become stamps (ISO 32000-1, 12.5.6.12). Knows no reason why.
import { type Dictionary, Name } from "./values.ts";

/** What a stamp keeps of the annotation that it was; all the rest is that type's own. */
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

/** Without what only its former type had. */
export function becomeStamp(dictionary: Dictionary): void {
  for (const key of [...dictionary.keys()]) if (!STAMP_ENTRIES.includes(key)) dictionary.delete(key);
  dictionary.set("Type", Name.of("Annot")).set("Subtype", Name.of("Stamp"));
}
