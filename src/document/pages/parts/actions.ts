// Updates actions (ISO 32000-1, 12.6) that go to a page, name fields, or run scripts. All values belong to the source.

import { Dictionary, Name, PdfString, Reference, type Value } from "../../objects/values.ts";
import type { DocumentPart, InputSelection } from "../assemble.ts";
import { findAnnotations } from "./annotation-index.ts";
import type { Destinations } from "./destinations.ts";
import type { KeptFields } from "./forms/kept-fields.ts";
import type { Scripts } from "./scripts/document-scripts.ts";

/** Maximum depth of an action chain. Deeper actions are removed. */
const MAX_DEPTH = 100;
/** Maximum number of actions read per trigger. */
const MAX_ACTIONS = 1000;

/** Action entries that refer to annotations or fields. */
const REFERRING = ["T", "AN", "TA", "Annotation"];

export class Actions implements DocumentPart {
  readonly #destinations: Destinations;
  readonly #fields: KeptFields;
  readonly #scripts: Scripts;
  #taking!: InputSelection;
  /** The updated actions of indirect objects, by object number. */
  #known = new Map<number, Value | undefined>();
  #base: string | undefined;
  #seen = 0;

  constructor(destinations: Destinations, fields: KeptFields, scripts: Scripts) {
    this.#destinations = destinations;
    this.#fields = fields;
    this.#scripts = scripts;
  }

  open(taking: InputSelection): void {
    const { file } = taking.source;
    this.#taking = taking;
    this.#known = new Map();
    this.#base = file.string(file.dictionary(file.catalog.get("URI"))?.get("Base"))?.latin1;
  }

  /**
   * Updates the entries Dest, A, PA and AA of an annotation, a field, an outline item or a page.
   * @param holder a dictionary that the caller owns
   * @returns true if the only targets of the holder were omitted pages
   */
  settle(holder: Dictionary): boolean {
    let isGone = false;
    const destination = holder.get("Dest");
    if (destination !== undefined) {
      const fate = this.#destinations.fateOf(destination);
      if (typeof fate === "object") holder.set("Dest", fate.value);
      else holder.delete("Dest");
      isGone = fate === "gone";
    }
    for (const key of ["A", "PA"]) {
      const action = holder.get(key);
      if (action === undefined) continue;
      const isGoTo = this.#kindOf(action) === "GoTo";
      const result = this.action(action);
      if (result !== undefined) holder.set(key, result);
      else holder.delete(key);
      if (key === "A" && isGoTo && result === undefined && destination === undefined) isGone = this.#isGone(action);
    }
    const triggers = this.#taking.source.file.dictionary(holder.get("AA"));
    if (triggers) {
      const result = this.triggers(triggers);
      if (result.size > 0) holder.set("AA", result);
      else holder.delete("AA");
    }
    return isGone;
  }

  /** Returns the remaining additional actions (12.6.3). */
  triggers(triggers: Dictionary): Dictionary {
    const result = new Dictionary();
    for (const [key, action] of triggers) {
      const value = this.action(action);
      if (value !== undefined) result.set(key, value);
    }
    return result;
  }

  /** @returns undefined if no part of the action remains */
  action(action: Value): Value | undefined {
    this.#seen = 0;
    const [first, ...rest] = this.#follow(action, 0);
    if (first === undefined || rest.length === 0) return first;
    // The Next actions of a removed action follow the first remaining action.
    const dictionary = this.#taking.source.file.dictionary(first)!.clone();
    return dictionary.set("Next", [...this.#nexts(dictionary), ...rest]);
  }

  #kindOf(action: Value): string | undefined {
    const { file } = this.#taking.source;
    return file.name(file.dictionary(action)?.get("S"));
  }

  #isGone(action: Value): boolean {
    return this.#destinations.fateOf(this.#taking.source.file.dictionary(action)?.get("D")) === "gone";
  }

  #nexts(dictionary: Dictionary): readonly Value[] {
    const next = dictionary.get("Next");
    if (next === undefined) return [];
    return this.#taking.source.file.array(next) ?? [next];
  }

  /** Returns the action. If it is removed, returns its Next actions. */
  #follow(action: Value, depth: number): Value[] {
    const { file } = this.#taking.source;
    const number = action instanceof Reference ? action.number : 0;
    if (this.#known.has(number)) {
      const known = this.#known.get(number);
      return known === undefined ? [] : [known];
    }
    const dictionary = file.dictionary(action);
    if (!dictionary || depth > MAX_DEPTH || ++this.#seen > MAX_ACTIONS) return [];
    // If the chain reaches this action again, the chain is a loop.
    if (number > 0) this.#known.set(number, undefined);
    const before = this.#nexts(dictionary);
    const nexts = before.flatMap((next) => this.#follow(next, depth + 1));
    const changed = this.#change(dictionary);
    if (changed === undefined) {
      if (number > 0) this.#known.delete(number);
      return nexts;
    }
    let result: Value = action;
    if (changed !== dictionary || nexts.length !== before.length || nexts.some((next, at) => next !== before[at])) {
      const copy = changed.clone();
      if (nexts.length > 1) copy.set("Next", nexts);
      else copy.set("Next", nexts[0] ?? null);
      result = number > 0 ? file.add(copy) : copy;
    }
    if (number > 0) this.#known.set(number, result);
    return [result];
  }

  /** @returns the same dictionary if it is unchanged, undefined if the action is removed */
  #change(action: Dictionary): Dictionary | undefined {
    const { file } = this.#taking.source;
    switch (file.name(action.get("S"))) {
      case "GoTo": {
        const fate = this.#destinations.fateOf(action.get("D"));
        if (typeof fate !== "object") return undefined;
        const hasElement = action.has("SD");
        if (fate.value === action.get("D") && !hasElement) return action;
        const copy = action.clone().set("D", fate.value);
        // The structure element of the destination (ISO 32000-2, 12.3.2.3) might be omitted.
        if (hasElement && !this.#keepsElement(action)) copy.delete("SD");
        return copy;
      }
      case "GoToDp":
        return undefined;
      case "Thread":
        // A thread index or title could refer to another thread in the result.
        return action.has("F") || action.get("D") instanceof Reference ? action : undefined;
      case "URI":
        return this.#withBase(action);
      case "JavaScript":
      case "Rendition":
        return this.#withScript(this.#withTargets(action));
      case "SubmitForm":
      case "ResetForm":
        return this.#fields.restrict(action);
      default:
        return this.#withTargets(action);
    }
  }

  #keepsElement(action: Dictionary): boolean {
    const element = this.#taking.source.file.array(action.get("SD"))?.[0];
    return element instanceof Reference && Boolean(this.#taking.copier.targetOf(element));
  }

  /** Resolves a relative URL against the base URL in this input's catalog (12.6.4.7). */
  #withBase(action: Dictionary): Dictionary {
    const address = this.#taking.source.file.string(action.get("URI"))?.latin1;
    if (this.#base === undefined || address === undefined || /^[a-z][a-z\d+.-]*:/i.test(address)) return action;
    const whole = URL.parse(address, this.#base)?.href ?? this.#base + address;
    return action.clone().set("URI", PdfString.ofLatin1(whole));
  }

  #withScript(action: Dictionary): Dictionary {
    const script = action.get("JS");
    if (script === undefined) return action;
    const result = this.#scripts.rewrite(script);
    return result === script ? action : action.clone().set("JS", result);
  }

  /** Removes references to omitted annotations and fields, and updates field names. */
  #withTargets(action: Dictionary): Dictionary {
    const { file } = this.#taking.source;
    let result = action;
    for (const key of REFERRING) {
      const value = action.get(key);
      const object = file.resolve(value);
      if (value === undefined || object instanceof Name) continue;
      // In actions other than Hide, the string T is a title.
      if (key === "T" && file.name(action.get("S")) !== "Hide" && !(object instanceof Dictionary)) continue;
      const list = Array.isArray(object) ? object : [value];
      const kept = list.flatMap((item) => this.#target(item));
      if (kept.length === list.length && kept.every((item, at) => item === list[at])) continue;
      result = result === action ? action.clone() : result;
      result.set(key, Array.isArray(object) ? kept : (kept[0] ?? null));
    }
    return result;
  }

  #target(item: Value): Value[] {
    const { source, copiesOf } = this.#taking;
    const name = source.file.string(item);
    if (name) return [this.#fields.renamedString(name)];
    if (!(item instanceof Reference)) return [item];
    const page = source.once(findAnnotations).pages.get(item.number);
    if (page && copiesOf(page).length === 0) return [];
    return this.#fields.isLeft(item) ? [] : [item];
  }
}
