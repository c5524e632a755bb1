// Optional content (ISO 32000-1, 8.11): by the rules of ISO 19005-2, 6.9, or, since part 1 has none of it (6.1.13), shown or left out
// for good, as it is by default.
import { isShownBy } from "../../engines/membership.ts";
import { textOf, textString } from "../parts/text-strings.ts";
import { Dictionary, Reference, type Value } from "../values.ts";
import { type Archive, streamOf } from "./archive.ts";
import { emptyForm } from "./xobjects.ts";

const MAX_DEPTH = 64;
const HIDDEN = 2;

/** @param content an optional content group or a membership dictionary */
export type LayerVisibility = (content: Value) => boolean;

/** Part 2 and 3: all configurations have names of their own, no automatic states, and an order that lists all groups. */
export function mendLayers(archive: Archive): void {
  const { file } = archive;
  const properties = file.dictionary(file.catalog.get("OCProperties"));
  if (!properties) return;
  const groups = (file.array(properties.get("OCGs")) ?? []).filter((value) => file.dictionary(value));
  if (!file.dictionary(properties.get("D"))) properties.set("D", new Dictionary());
  const names = new Set<string>();
  for (const value of [properties.get("D"), ...(file.array(properties.get("Configs")) ?? [])]) {
    const configuration = file.dictionary(value);
    if (!configuration) continue;
    configuration.delete("AS");
    const before = file.string(configuration.get("Name"));
    const wanted = (before && textOf(before).trim()) || "Layers";
    let name = wanted;
    for (let count = 2; names.has(name); count++) name = `${wanted} ${count}`;
    names.add(name);
    if (!before || name !== textOf(before)) configuration.set("Name", textString(name));
    completeOrder(archive, configuration, groups);
  }
}

function completeOrder({ file }: Archive, configuration: Dictionary, groups: readonly Value[]): void {
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

/** What the default configuration shows. */
export function defaultVisibility({ file }: Pick<Archive, "file">): LayerVisibility {
  const configuration = file.dictionary(file.dictionary(file.catalog.get("OCProperties"))?.get("D"));
  const numbers = (key: string) =>
    new Set(
      (file.array(configuration?.get(key)) ?? []).map((value) => (value instanceof Reference ? value.number : 0)),
    );
  const off = numbers("OFF");
  const on = numbers("ON");
  const isOffByDefault = file.name(configuration?.get("BaseState")) === "OFF";
  const isOn = (group: Value): boolean => {
    const number = group instanceof Reference ? group.number : 0;
    // Where a group is in both lists the second that is applied counts (table 101).
    return isOffByDefault ? on.has(number) : !off.has(number);
  };

  /** 8.11.2.2. */
  const evaluate = (expression: Value, depth: number): boolean => {
    const array = file.array(expression);
    if (!array) return !file.dictionary(expression) || isOn(expression);
    if (depth > MAX_DEPTH) return true;
    const [operator, ...operands] = array;
    const results = operands.slice(0, 1000);
    switch (file.name(operator)) {
      case "And":
        return results.every((operand) => evaluate(operand, depth + 1));
      case "Or":
        return results.some((operand) => evaluate(operand, depth + 1));
      case "Not":
        return results[0] === undefined || !evaluate(results[0], depth + 1);
      default:
        return true;
    }
  };

  return (content) => {
    const dictionary = file.dictionary(content);
    if (!dictionary) return true;
    if (file.name(dictionary.get("Type")) !== "OCMD") return isOn(content);
    const expression = dictionary.get("VE");
    if (expression !== undefined && file.array(expression)) return evaluate(expression, 0);
    const value = dictionary.get("OCGs");
    const groups = (value === undefined ? [] : (file.array(value) ?? [value])).filter((group) =>
      file.dictionary(group),
    );
    if (groups.length === 0) return true;
    return isShownBy(file.name(dictionary.get("P")), groups, isOn);
  };
}

/** Part 1: what is hidden is emptied, and nothing is optional any more. Content is another's business. */
export function removeLayers(archive: Archive, isVisible: LayerVisibility): void {
  const { file } = archive;
  for (const { dictionary, reference, isStream } of archive.places) {
    const content = dictionary.get("OC");
    if (content === undefined) continue;
    dictionary.delete("OC");
    if (isVisible(content)) continue;
    if (isStream && reference) file.put(reference, streamOf("", emptyForm(1, 1)));
    else if (dictionary.has("Rect")) dictionary.set("F", (file.number(dictionary.get("F")) ?? 0) | HIDDEN);
  }
  file.catalog.delete("OCProperties");
}
