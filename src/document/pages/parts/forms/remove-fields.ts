// Removes form fields whose widgets were removed (ISO 32000-1, 12.7).
import type { PdfFile } from "../../../objects/pdf-file.ts";
import { Reference, type Value } from "../../../objects/values.ts";
import { putForm } from "./put-form.ts";

/** Maximum number of fields examined. */
const MAX_FIELDS = 200_000;

/** @param removed object numbers of the removed widgets */
export function removeFields(file: PdfFile, removed: ReadonlySet<number>): void {
  if (removed.size === 0) return;
  const stays = (value: Value) => !(value instanceof Reference && removed.has(value.number));
  const form = file.dictionary(file.catalog.get("AcroForm"));
  const fields = file.array(form?.get("Fields"));
  if (!form || !fields) return;
  const kept = fields.filter(stays);
  if (kept.length < fields.length) putForm(file, form.clone().set("Fields", kept));
  const waiting = [...kept];
  const seen = new Set<number>();
  while (waiting.length > 0 && seen.size < MAX_FIELDS) {
    const reference = waiting.pop();
    if (!(reference instanceof Reference) || seen.has(reference.number)) continue;
    seen.add(reference.number);
    const field = file.dictionary(reference);
    const kids = file.array(field?.get("Kids"));
    if (!field || !kids) continue;
    const left = kids.filter(stays);
    if (left.length < kids.length) file.put(reference, field.clone().set("Kids", left));
    for (const kid of left) waiting.push(kid);
  }
}
