// Finds all fonts of a file, and makes direct font objects in resources indirect, so that each font can be identified
// and changed.
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, PdfStream, Reference, type Value } from "../../objects/values.ts";

const OBJECTS_AT_ONCE = 500;
/** Maximum depth of nested containers. */
const MAX_DEPTH = 100;

/** @returns the object numbers of the fonts */
export async function findFonts(file: PdfFile, signal: AbortSignal): Promise<ReadonlySet<number>> {
  const fonts = new Set<number>();
  const size = file.size;
  for (let number = 1; number < size; number++) {
    if (number % OBJECTS_AT_ONCE === 0) {
      signal.throwIfAborted();
      await file.relieve();
    }
    const reference = new Reference(number);
    const object = file.get(reference);
    if (object instanceof PdfStream) {
      const dictionary = withoutInnerFonts(file, object.dictionary, fonts);
      if (dictionary !== object.dictionary) file.put(reference, new PdfStream(dictionary as Dictionary, object.body));
    } else if (object instanceof Dictionary || Array.isArray(object)) {
      if (object instanceof Dictionary && looksLikeFont(file, object)) fonts.add(number);
      const changed = withoutInnerFonts(file, object, fonts);
      if (changed !== object) file.put(reference, changed);
    }
  }
  return fonts;
}

function looksLikeFont(file: PdfFile, dictionary: Dictionary): boolean {
  if (file.name(dictionary.get("Type")) === "Font") return true;
  return dictionary.has("Subtype") && (dictionary.has("BaseFont") || dictionary.has("CharProcs"));
}

/** @returns the same value if it contains no direct fonts */
function withoutInnerFonts(file: PdfFile, value: Value, fonts: Set<number>, depth = 0): Value {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    let changed: Value[] | undefined;
    value.forEach((element, index) => {
      const other = isContainer(element) ? withoutInnerFonts(file, element, fonts, depth + 1) : element;
      if (other === element) return;
      changed ??= [...value];
      changed[index] = other;
    });
    return changed ?? value;
  }
  if (!(value instanceof Dictionary)) return value;
  let changed: Dictionary | undefined;
  for (const [key, element] of value) {
    if (!isContainer(element)) continue;
    let other = withoutInnerFonts(file, element, fonts, depth + 1);
    if (other instanceof Dictionary && file.name(other.get("Type")) === "Font") {
      const reference = file.add(other);
      fonts.add(reference.number);
      other = reference;
    }
    if (other === element) continue;
    changed ??= value.clone();
    changed.set(key, other);
  }
  return changed ?? value;
}

const isContainer = (value: Value) => value instanceof Dictionary || Array.isArray(value);
