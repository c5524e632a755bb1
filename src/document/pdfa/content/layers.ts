// Repairs optional content (ISO 32000-1, 8.11) according to ISO 19005-2, 6.9. Part 1 forbids optional content (6.1.13),
// so each layer is shown or removed permanently, according to its default state.
import { type LayerVisibility, optionalContentOf } from "../../content/optional-content.ts";
import { decodeTextString, encodeTextString } from "../../objects/text-strings.ts";
import { Dictionary, Reference, type Value } from "../../objects/values.ts";
import { newStream, type PdfaDocument } from "../pdfa-document.ts";
import { emptyForm } from "./xobjects.ts";

const HIDDEN = 2;

/** Parts 2 and 3: names all configurations, removes automatic states, and lists all groups in Order. */
export function repairLayers(document: PdfaDocument): void {
  const { file } = document;
  const properties = file.dictionary(file.catalog.get("OCProperties"));
  if (!properties) return;
  const groups = (file.array(properties.get("OCGs")) ?? []).filter((value) => file.dictionary(value));
  if (!file.dictionary(properties.get("D"))) properties.set("D", new Dictionary());
  fixStates(document, file.dictionary(properties.get("D"))!, groups);
  const names = new Set<string>();
  for (const value of [properties.get("D"), ...(file.array(properties.get("Configs")) ?? [])]) {
    const configuration = file.dictionary(value);
    if (!configuration) continue;
    configuration.delete("AS");
    const before = file.string(configuration.get("Name"));
    const wanted = (before && decodeTextString(before).trim()) || "Layers";
    let name = wanted;
    for (let count = 2; names.has(name); count++) name = `${wanted} ${count}`;
    names.add(name);
    if (!before || name !== decodeTextString(before)) configuration.set("Name", encodeTextString(name));
    completeOrder(document, configuration, groups);
  }
}

/** Makes permanent the states that a viewer sets automatically when it opens the document. */
function fixStates({ file }: PdfaDocument, defaults: Dictionary, groups: readonly Value[]): void {
  if (!defaults.has("AS")) return;
  const content = optionalContentOf(file);
  const off = groups.filter((group) => !content.isOn(group));
  for (const key of ["BaseState", "ON", "OFF"]) defaults.delete(key);
  if (off.length > 0) defaults.set("OFF", off);
}

function completeOrder({ file }: PdfaDocument, configuration: Dictionary, groups: readonly Value[]): void {
  const order = file.array(configuration.get("Order"));
  if (!order) return;
  const listed = new Set<number>();
  const seen = new Set<readonly Value[]>([order]);
  const waiting = [order];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const value of next) {
      const inner = file.array(value);
      if (inner && !seen.has(inner)) {
        seen.add(inner);
        waiting.push(inner);
      } else if (value instanceof Reference) listed.add(value.number);
    }
  }
  const missing = groups.filter((group) => group instanceof Reference && !listed.has(group.number));
  if (missing.length > 0) configuration.set("Order", [...order, ...missing]);
}

/**
 * Part 1: empties hidden objects, and removes OC from all objects. Content streams are processed separately
 * (visible-content.ts).
 */
export function removeLayers(document: PdfaDocument, isVisible: LayerVisibility): void {
  const { file } = document;
  for (const { dictionary, reference, isStream } of document.places) {
    const content = dictionary.get("OC");
    if (content === undefined) continue;
    dictionary.delete("OC");
    if (isVisible(content)) continue;
    if (isStream && reference) file.put(reference, newStream("", emptyForm(1, 1)));
    else if (dictionary.has("Rect")) dictionary.set("F", (file.number(dictionary.get("F")) ?? 0) | HIDDEN);
  }
  file.catalog.delete("OCProperties");
}
