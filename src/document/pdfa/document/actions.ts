// Removes actions of forbidden types (ISO 19005-1, 6.6; -2, 6.5). The Next actions of a removed action replace it.
import { Dictionary, Reference, type Value } from "../../objects/values.ts";
import type { PdfaDocument } from "../pdfa-document.ts";

const ALLOWED = new Set(["GoTo", "GoToR", "GoToE", "Thread", "URI", "Named", "SubmitForm"]);
const NAMED = new Set(["NextPage", "PrevPage", "FirstPage", "LastPage"]);
/** Entries whose value can be an action. */
const TRIGGERS = ["A", "PA", "OpenAction"];
/** Maximum number of actions examined per trigger. */
const MAX_ACTIONS = 1000;

export function repairActions(document: PdfaDocument): void {
  const { file } = document;
  for (const { dictionary, key } of document.places) {
    for (const trigger of TRIGGERS) {
      const value = dictionary.get(trigger);
      if (value !== undefined && isAction(document, value))
        replace(dictionary, trigger, allowedActions(document, value));
    }
    // AA of a document, page, annotation or field is a dictionary of actions. A custom entry AA in the Info dictionary
    // is text, and stays.
    if (file.dictionary(dictionary.get("AA"))) dictionary.delete("AA");
    // NeedsRendering is for XFA content, which scripts create.
    if (key === "Root") dictionary.delete("NeedsRendering");
  }
}

function replace(holder: Dictionary, key: string, actions: readonly Value[]): void {
  const [first, ...rest] = actions;
  holder.set(key, first ?? null);
  if (first instanceof Dictionary && rest.length > 0) first.set("Next", rest);
}

const isAction = ({ file }: PdfaDocument, value: Value) => file.name(file.dictionary(value)?.get("S")) !== undefined;

/**
 * Returns the allowed actions of a chain. If all actions are allowed, returns only the first, which refers to the
 * others.
 */
function allowedActions(document: PdfaDocument, first: Value): Value[] {
  const { file } = document;
  const kept: Value[] = [];
  const seen = new Set<Value | number>();
  const waiting: Value[] = [first];
  let hasChanged = false;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const identity = next instanceof Reference ? next.number : next;
    const action = file.dictionary(next);
    if (!action || seen.has(identity)) continue;
    if (seen.size >= MAX_ACTIONS) return [];
    seen.add(identity);
    const after = action.get("Next");
    const nexts = after === undefined ? [] : (file.array(after) ?? [after]);
    for (let index = nexts.length - 1; index >= 0; index--) waiting.push(nexts[index]!);
    if (isAllowed(document, action)) kept.push(next);
    else hasChanged = true;
  }
  if (!hasChanged) return [first];
  // The first remaining action refers to all others in one list. If the chain had branches, these are lost.
  return kept.map((value) => {
    const copy = file.dictionary(value)!.clone();
    copy.delete("Next");
    return copy;
  });
}

export function isAllowed({ file, level }: PdfaDocument, action: Dictionary): boolean {
  const kind = file.name(action.get("S")) ?? "";
  if (kind === "Named") return NAMED.has(file.name(action.get("N")) ?? "");
  return ALLOWED.has(kind) && !(kind === "GoToE" && level.part === 1);
}
