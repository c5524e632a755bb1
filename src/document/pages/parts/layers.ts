// Copies optional content (ISO 32000-1, 8.11): the layers used on the selected pages, with their default state.
// Membership dictionaries are copied with the pages.

import { optionalContentOf } from "../../content/optional-content.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name, PdfString, Reference, type Value } from "../../objects/values.ts";
import type { OptionalContent } from "../../visibility/optional-content.ts";
import type { AssemblyTarget, DocumentPart, InputSelection } from "../assemble.ts";
import type { SourceDocument } from "../source-document.ts";

/** Maximum depth of an Order array. */
const MAX_DEPTH = 64;

interface SourceLayers {
  readonly groups: readonly Reference[];
  readonly defaults: Dictionary;
  readonly content: OptionalContent<Value>;
}

function findLayers(source: SourceDocument): SourceLayers | undefined {
  const { file } = source;
  const properties = file.dictionary(file.catalog.get("OCProperties"));
  const seen = new Set<number>();
  const groups = (file.array(properties?.get("OCGs")) ?? [])
    .filter((element) => element instanceof Reference)
    .filter(({ number }) => !seen.has(number) && seen.add(number));
  if (!properties || groups.length === 0) return undefined;
  const defaults = file.dictionary(properties.get("D")) ?? new Dictionary();
  return { groups, defaults, content: optionalContentOf(file) };
}

function isForView(file: PdfFile, group: Reference): boolean {
  const value = file.dictionary(group)?.get("Intent");
  const names = (file.array(value) ?? [value]).map((name) => file.name(name)).filter((name) => name !== undefined);
  return names.every((name) => name === "View");
}

export class LayerProperties implements DocumentPart {
  readonly #groups: Value[] = [];
  readonly #off: Value[] = [];
  readonly #order: Value[] = [];
  readonly #locked: Value[] = [];
  readonly #radios: Value[] = [];
  readonly #usage: Value[] = [];
  #configurations: Value = null;
  readonly #first = new Dictionary();
  #hasOtherIntents = false;

  close({ source, copier, isWhole, inputCount }: InputSelection): void {
    const found = source.once(findLayers);
    if (!found) return;
    const { file } = source;
    const kept = found.groups.filter((group) => isWhole || copier.targetOf(group));
    if (kept.length === 0) return;
    const targets = new Map<number, Value>();
    for (const group of kept) targets.set(group.number, copier.reference(group));
    const { defaults, content } = found;
    // The result applies all intents. A group whose intent the source does not apply hides nothing there, so its usage
    // must not switch it off.
    const usedTargets = new Map(
      kept.filter((group) => content.isUsed(group)).map((g) => [g.number, targets.get(g.number)!]),
    );
    const prune = (value: Value | undefined) => pruneOrder(file, value, targets);
    if (this.#groups.length === 0) {
      for (const key of ["Name", "Creator", "ListMode"]) {
        const value = defaults.get(key);
        if (value !== undefined) this.#first.set(key, copier.value(value));
      }
    }
    for (const group of kept) {
      this.#groups.push(targets.get(group.number)!);
      if (!content.isOn(group)) this.#off.push(targets.get(group.number)!);
      if (!isForView(file, group)) this.#hasOtherIntents = true;
    }
    for (const value of prune(defaults.get("Order"))) this.#order.push(value);
    for (const value of prune(defaults.get("Locked"))) this.#locked.push(value);
    for (const value of prune(defaults.get("RBGroups"))) this.#radios.push(value);
    for (const value of file.array(defaults.get("AS")) ?? []) {
      const usage = file.dictionary(value);
      const groups = pruneOrder(file, usage?.get("OCGs"), usedTargets);
      if (!usage || groups.length === 0) continue;
      const copy = usage.clone();
      copy.delete("OCGs");
      this.#usage.push(copier.dictionary(copy).set("OCGs", groups));
    }
    // Alternate configurations do not list the layers of other inputs, so they are copied only for a single whole
    // input.
    const configurations = file.array(file.dictionary(file.catalog.get("OCProperties"))?.get("Configs"));
    if (inputCount === 1 && isWhole && configurations) this.#configurations = copier.value([...configurations]);
  }

  finish({ file, catalog }: AssemblyTarget): void {
    if (this.#groups.length === 0) return;
    const defaults = this.#first;
    const lists = {
      OFF: this.#off,
      Order: this.#order,
      Locked: this.#locked,
      RBGroups: this.#radios,
      AS: this.#usage,
    };
    for (const [key, list] of Object.entries(lists)) if (list.length > 0) defaults.set(key, list);
    if (this.#hasOtherIntents) defaults.set("Intent", Name.of("All"));
    const properties = Dictionary.of({ OCGs: this.#groups, D: defaults, Configs: this.#configurations });
    catalog.set("OCProperties", file.add(properties));
  }
}

/** Filters nested arrays of groups and labels: removes omitted groups, and arrays that become empty. */
function pruneOrder(
  file: PdfFile,
  value: Value | undefined,
  targets: ReadonlyMap<number, Value>,
  depth = 0,
  seen = new Set<number>(),
): Value[] {
  const elements = file.array(value);
  if (!elements || depth > MAX_DEPTH) return [];
  // Each array is expanded only once. An array that contains itself twice would expand to 2^64 elements.
  if (value instanceof Reference) {
    if (seen.has(value.number)) return [];
    seen.add(value.number);
  }
  const result: Value[] = [];
  /** True if the preceding group is kept, so that an array of its kids can follow it. */
  let follows = true;
  for (const element of elements) {
    const target = element instanceof Reference ? targets.get(element.number) : undefined;
    const object = file.resolve(element);
    if (target !== undefined) result.push(target);
    else if (object instanceof PdfString && depth > 0) result.push(object);
    else if (Array.isArray(object)) {
      const inner = pruneOrder(file, element, targets, depth + 1, seen);
      if (inner.some((item) => !(item instanceof PdfString))) {
        // Kids of a removed group must not become kids of the group before it.
        if (follows || inner[0] instanceof PdfString) result.push(inner);
        else for (const item of inner) result.push(item);
      }
    }
    if (element instanceof Reference && !Array.isArray(object)) follows = target !== undefined;
  }
  return result;
}
