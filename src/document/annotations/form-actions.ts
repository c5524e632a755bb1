// Removes the actions that serve a form (ISO 32000-1, 12.6.4 and 12.7.5): scripts, and actions that submit, reset, import
// or hide fields. They are in the document, its pages, links and bookmarks.
import { countedNotices, type Notice } from "../contract/notice.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { readNameTree } from "../objects/trees.ts";
import { Dictionary, type PdfObject, Reference, type Value } from "../objects/values.ts";
import { visitObjects } from "../objects/visit-objects.ts";

const SCRIPT = "JavaScript";
const OF_FORMS = new Set([SCRIPT, "SubmitForm", "ResetForm", "ImportData", "Hide"]);
/** Entries whose value is an action, or a list of actions. */
const HOLDERS = new Set(["A", "PA", "OpenAction", "Next"]);
const MAX_DEPTH = 100;

/** @returns the notices of what is lost */
export async function removeFormActions(file: PdfFile, signal: AbortSignal): Promise<readonly Notice[]> {
  const actions = new FormActions(file);
  await visitObjects(file, signal, (object, reference) => {
    const kept = actions.without(object);
    if (kept !== object) file.put(reference, kept);
  });
  const names = file.dictionary(file.catalog.get("Names"));
  const scripts = [...readNameTree(file, names?.get(SCRIPT)).values()];
  if (names?.has(SCRIPT)) file.catalog = file.catalog.clone().set("Names", names.clone().set(SCRIPT, null));
  return [
    ...countedNotices("scripts-removed", actions.scripts + scripts.length),
    ...countedNotices("actions-removed", actions.others),
  ];
}

class FormActions {
  scripts = 0;
  others = 0;
  readonly #file: PdfFile;
  /** What is left of removed actions, by object number. */
  readonly #left = new Map<number, Value>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** @returns the object itself if nothing is removed */
  without(object: PdfObject): PdfObject {
    return object instanceof Dictionary || Array.isArray(object) ? this.#in(object, 0) : object;
  }

  #in(value: Value, depth: number): Value {
    if (depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) {
      const kept = value.map((element) => this.#in(element, depth + 1));
      return kept.some((element, index) => element !== value[index]) ? kept : value;
    }
    if (!(value instanceof Dictionary)) return value;
    let changed: Dictionary | undefined;
    for (const [key, entry] of value) {
      const kept = HOLDERS.has(key) ? this.#held(entry, depth) : this.#entry(key, entry, depth);
      if (kept !== entry) changed = (changed ?? value.clone()).set(key, kept);
    }
    return changed ?? value;
  }

  #entry(key: string, entry: Value, depth: number): Value {
    const triggers = key === "AA" ? this.#file.dictionary(entry) : undefined;
    if (!triggers) return this.#in(entry, depth + 1);
    const kept = new Dictionary();
    for (const [event, action] of triggers) {
      const left = this.#held(action, depth);
      if (left !== null) kept.set(event, left);
    }
    return kept.size === triggers.size ? entry : kept.size > 0 ? kept : null;
  }

  /** Returns what is left of an action, or of a list of actions: the Next actions of a removed action replace it. */
  #held(value: Value, depth: number): Value {
    if (depth > MAX_DEPTH) return null;
    const list = this.#file.array(value);
    if (list) {
      const kept = list.map((one) => this.#held(one, depth + 1));
      const isSame = kept.every((one, index) => one === list[index]);
      return isSame ? value : kept.filter((one, index) => one !== null || list[index] === null).flat();
    }
    const action = this.#file.dictionary(value);
    const kind = this.#file.name(action?.get("S")) ?? "";
    if (!action || !OF_FORMS.has(kind)) return this.#in(value, depth + 1);
    const number = value instanceof Reference ? value.number : 0;
    const known = this.#left.get(number);
    if (known !== undefined) return known;
    // If the Next actions reach this action again, they are a loop.
    if (number > 0) this.#left.set(number, null);
    if (kind === SCRIPT) this.scripts++;
    else this.others++;
    const next = this.#held(action.get("Next") ?? null, depth + 1);
    // Most entries hold one action, not a list.
    const left = Array.isArray(next) ? (next[0] ?? null) : next;
    if (number > 0) this.#left.set(number, left);
    return left;
  }
}
