// Restores Unicode values of fonts that lost them when another program rewrote the fonts.
import { decodedBytes, memoryBody } from "../../../compression/recode-stream.ts";
import type { PdfFile } from "../../../objects/pdf-file.ts";
import { Dictionary, PdfStream, type Value } from "../../../objects/values.ts";

/**
 * Matches fonts by name. Ignores names that occur more than once, because they are ambiguous.
 * @param resources the resources of the rewritten page, in which copies replace the fonts
 */
export function restoreUnicode(original: PdfFile, page: Dictionary, rewritten: PdfFile, resources: Dictionary): void {
  const fonts = rewritten.dictionary(resources.get("Font"));
  if (!fonts) return;
  const known = fontsByName(original, original.dictionary(page.get("Resources")));
  const restored = fonts.clone();
  for (const [key, value] of fonts) {
    const font = rewritten.dictionary(value);
    const before = known.get(nameOf(rewritten, value));
    const map = before && original.stream(before.get("ToUnicode"));
    // An existing ToUnicode stays: the other program might have changed the codes, and this ToUnicode belongs to the
    // new codes.
    if (
      !font ||
      font.has("ToUnicode") ||
      !map ||
      original.name(before.get("Subtype")) !== rewritten.name(font.get("Subtype"))
    )
      continue;
    const bytes = decodedBytes(original, map);
    if (!bytes) continue;
    const stream = new PdfStream(new Dictionary(), memoryBody(bytes));
    restored.set(key, rewritten.add(font.clone().set("ToUnicode", rewritten.add(stream))));
  }
  resources.set("Font", restored);
}

function fontsByName(file: PdfFile, resources: Dictionary | undefined): Map<string, Dictionary | undefined> {
  const found = new Map<string, Dictionary | undefined>();
  for (const [, value] of file.dictionary(resources?.get("Font")) ?? []) {
    const name = nameOf(file, value);
    found.set(name, found.has(name) ? undefined : file.dictionary(value));
  }
  return found;
}

/** Returns a font name without subset tag (ISO 32000-1, 9.6.4). */
function nameOf(file: PdfFile, font: Value): string {
  return (file.name(file.dictionary(font)?.get("BaseFont")) ?? "").replace(/^[A-Z]{6}\+/, "");
}
