// Detects whether a page might use tiling patterns (ISO 32000-1, 8.7.3), whose tiles the engine caches.
import type { PdfFile } from "../../objects/pdf-file.ts";
import { type Dictionary, Reference, type Value } from "../../objects/values.ts";

/** Maximum number of objects to search. A page with more objects counts as having patterns. */
const MAX_STEPS = 20_000;
const TILING = 1;

export function mayHaveTilings(file: PdfFile, resources: Dictionary | undefined): boolean {
  const seen = new Set<number>();
  const waiting: Value[] = resources ? [resources] : [];
  for (let steps = 0, next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (++steps > MAX_STEPS) return true;
    const dictionary = file.dictionary(next);
    if (!dictionary) continue;
    if (file.number(dictionary.get("PatternType")) === TILING) return true;
    for (const category of ["Pattern", "XObject", "Font", "ExtGState"]) {
      for (const value of file.dictionary(dictionary.get(category))?.values() ?? []) {
        for (const inner of [value, ...insides(file, value)]) {
          if (inner instanceof Reference) {
            if (seen.has(inner.number)) continue;
            seen.add(inner.number);
          }
          waiting.push(inner);
        }
      }
    }
  }
  return false;
}

/** Returns the resources of a form, of a font, or of the soft mask of a graphics state. */
function insides(file: PdfFile, value: Value): Value[] {
  const dictionary = file.dictionary(value);
  const group = file.dictionary(dictionary?.get("SMask"))?.get("G");
  return [dictionary?.get("Resources"), file.dictionary(group)?.get("Resources")].filter((one) => one !== undefined);
}
