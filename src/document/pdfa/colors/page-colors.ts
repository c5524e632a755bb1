// Finds CMYK colors on a page, to choose the color model of the page's image.

import { decodedBytes } from "../../compression/recode-stream.ts";
import { readOperations } from "../../content/content.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name, type PdfObject, PdfStream, Reference, type Value } from "../../objects/values.ts";

/** Maximum number of objects examined per page, and maximum bytes of content. */
const MAX_OBJECTS = 5_000;
const MAX_CONTENT_BYTES = 8 * 2 ** 20;
/** Keys of entries that refer to other pages, or to objects without colors. */
const NOT_FOLLOWED = new Set(["Parent", "P", "Font", "Annots", "StructParent", "Metadata", "A", "Dest", "OC"]);

/** Reports whether a page has CMYK colors in content, images, shadings, or as the alternate space of spot colors. */
export function usesCmyk(file: PdfFile, page: Dictionary): boolean {
  const waiting: Value[] = [page.get("Resources") ?? null, page.get("Group") ?? null];
  const contents = page.get("Contents");
  for (const part of file.array(contents) ?? [contents ?? null]) {
    const stream = file.stream(part);
    if (stream && hasInks(file, stream)) return true;
  }
  const seen = new Set<number>();
  for (let count = 0; waiting.length > 0 && count < MAX_OBJECTS; count++) {
    const value = waiting.pop()!;
    if (value instanceof Reference) {
      if (seen.has(value.number)) continue;
      seen.add(value.number);
    }
    const object = file.resolve(value);
    if (isCmyk(file, object)) return true;
    if (object instanceof PdfStream && isContent(file, object) && hasInks(file, object)) return true;
    for (const inside of insideOf(object)) waiting.push(inside);
  }
  return false;
}

function isCmyk(file: PdfFile, object: PdfObject): boolean {
  if (object instanceof Name) return object.text === "DeviceCMYK";
  if (!Array.isArray(object) || file.name(object[0]) !== "ICCBased") return false;
  return file.number(file.dictionary(object[1])?.get("N")) === 4;
}

const isContent = (file: PdfFile, { dictionary }: PdfStream): boolean =>
  file.name(dictionary.get("Subtype")) === "Form" || dictionary.has("PatternType");

function insideOf(object: PdfObject): Value[] {
  if (Array.isArray(object)) return [...object.slice(0, 100)];
  const dictionary = object instanceof PdfStream ? object.dictionary : object;
  if (!(dictionary instanceof Dictionary)) return [];
  return [...dictionary].flatMap(([key, value]) => (NOT_FOLLOWED.has(key) ? [] : [value]));
}

function hasInks(file: PdfFile, stream: PdfStream): boolean {
  const bytes = decodedBytes(file, stream);
  if (!bytes || bytes.length > MAX_CONTENT_BYTES) return false;
  for (const { operator, operands } of readOperations(bytes)) {
    if (operator === "k" || operator === "K") return true;
    if ((operator === "cs" || operator === "CS") && file.name(operands[0]) === "DeviceCMYK") return true;
  }
  return false;
}
