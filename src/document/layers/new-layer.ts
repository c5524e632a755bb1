// Adds a layer that viewers can switch off (ISO 32000-1, 8.11).
import type { PdfFile } from "../objects/pdf-file.ts";
import { encodeTextString } from "../objects/text-strings.ts";
import { Dictionary, Name, type Reference } from "../objects/values.ts";

/** @returns an optional content group that viewers list, and show at first */
export function addLayer(file: PdfFile, name: string): Reference {
  const layer = file.add(Dictionary.of({ Type: Name.of("OCG"), Name: encodeTextString(name) }));
  const properties = file.dictionary(file.catalog.get("OCProperties"))?.clone() ?? new Dictionary();
  const configuration = file.dictionary(properties.get("D"))?.clone() ?? new Dictionary();
  const extended = (dictionary: Dictionary, key: string) => [...(file.array(dictionary.get(key)) ?? []), layer];
  // The base state of a document can be OFF.
  for (const key of ["Order", "ON"]) configuration.set(key, extended(configuration, key));
  properties.set("OCGs", extended(properties, "OCGs")).set("D", configuration);
  file.catalog = file.catalog.clone().set("OCProperties", properties);
  return layer;
}
