// Removes transparency parameters from objects as they are written. On flattened pages the parameters have no effect,
// but PDF/A-1 forbids them (ISO 19005-1, 6.4).
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name, type PdfObject, PdfStream, type Value } from "../../objects/values.ts";

/** Graphics state entries that affect only transparency (ISO 32000-1, table 58). */
const STATE_ENTRIES = ["ca", "CA", "BM", "SMask", "AIS", "TK"];
/** Annotation entries that affect only transparency (ISO 32000-2, table 166). */
const ANNOTATION_ENTRIES = ["ca", "CA", "BM"];
const IMAGE_ENTRIES = ["SMask", "SMaskInData"];

/** @returns the object itself if it has no transparency parameters */
export function stripTransparency(file: PdfFile, object: PdfObject): PdfObject {
  if (object instanceof PdfStream) {
    const dictionary = sweep(file, object.dictionary, "stream");
    return dictionary === object.dictionary ? object : new PdfStream(dictionary as Dictionary, object.body);
  }
  return sweep(file, object, undefined);
}

/** @param key the dictionary key of the value */
function sweep(file: PdfFile, value: Value, key: string | undefined): Value {
  if (Array.isArray(value)) {
    const elements = value.map((element) => sweep(file, element, undefined));
    return elements.some((element, index) => element !== value[index]) ? elements : value;
  }
  if (!(value instanceof Dictionary)) return value;
  let swept = value;
  for (const entry of marksOf(file, value, key)) {
    if (!swept.has(entry)) continue;
    if (swept === value) swept = value.clone();
    swept.delete(entry);
  }
  for (const [name, element] of value) {
    if (!swept.has(name)) continue;
    const cleaned = sweep(file, element, name);
    if (cleaned === element) continue;
    if (swept === value) swept = value.clone();
    swept.set(name, cleaned);
  }
  return swept;
}

function marksOf(file: PdfFile, dictionary: Dictionary, key: string | undefined): readonly string[] {
  const group = file.dictionary(dictionary.get("Group"));
  if (group && file.name(group.get("S")) === "Transparency")
    return ["Group", ...marksOf(file, withoutGroup(dictionary), key)];
  if (file.name(dictionary.get("Subtype")) === "Image" && key === "stream") return IMAGE_ENTRIES;
  if (key === "stream") return [];
  if (dictionary.has("Subtype") || isName(dictionary.get("Type"), "Annot"))
    return isOpacity(dictionary) ? ANNOTATION_ENTRIES : [];
  return isState(dictionary) ? STATE_ENTRIES : [];
}

function withoutGroup(dictionary: Dictionary): Dictionary {
  const copy = dictionary.clone();
  copy.delete("Group");
  return copy;
}

const isName = (value: Value | undefined, text: string) => value instanceof Name && value.text === text;

/**
 * Reports whether the entries set an opacity or a blend mode. In appearance characteristics, CA is a caption, which is
 * a string (table 189).
 */
function isOpacity(dictionary: Dictionary): boolean {
  return ANNOTATION_ENTRIES.some((entry) => {
    const value = dictionary.get(entry);
    return typeof value === "number" || value instanceof Name;
  });
}

function isState(dictionary: Dictionary): boolean {
  if (isName(dictionary.get("Type"), "ExtGState")) return true;
  if (dictionary.has("Type")) return false;
  return isOpacity(dictionary) || dictionary.has("SMask") || dictionary.has("BM");
}
