// Finds the content streams that pages draw: their contents, and the forms in them at any depth.
import { readOperations } from "../content/content.ts";
import { contentOf, decodeContent } from "../content/page-content.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { type Dictionary, Name, Reference, type Value } from "../objects/values.ts";
import { pageDictionary, type SourcePage } from "../pages/pages.ts";

/** Returns the object numbers of the streams. */
export function shownStreams(file: PdfFile, pages: Iterable<SourcePage>): Set<number> {
  const found = new Set<number>();
  for (const page of pages) {
    const dictionary = pageDictionary(file, page);
    const contents = dictionary.get("Contents");
    for (const part of [contents, ...(file.array(contents) ?? [])])
      if (part instanceof Reference) found.add(part.number);
    const resources = file.dictionary(dictionary.get("Resources"));
    const waiting = drawnIn(file, contentOf(file, contents), resources);
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const form = file.stream(next);
      if (!form || found.has(next.number)) continue;
      found.add(next.number);
      const own = file.dictionary(form.dictionary.get("Resources")) ?? resources;
      waiting.push(...drawnIn(file, decodeContent(form), own));
    }
  }
  return found;
}

/** Returns the forms that content draws. */
function drawnIn(file: PdfFile, content: Uint8Array, resources: Dictionary | undefined): Reference[] {
  const forms = file.dictionary(resources?.get("XObject"));
  if (!forms?.values().some((value) => file.name(file.dictionary(value)?.get("Subtype")) === "Form")) return [];
  const drawn = new Set<Value | undefined>();
  for (const { operator, operands } of readOperations(content)) {
    if (operator === "Do" && operands[0] instanceof Name) drawn.add(forms.get(operands[0].text));
  }
  return [...drawn].filter((value) => value instanceof Reference);
}

/** Yields the forms of resources, and those of these forms, except those in `known`, which the caller extends. */
export function* formsIn(
  file: PdfFile,
  resources: Value | undefined,
  known: ReadonlySet<number>,
): Generator<Reference> {
  const waiting: (Dictionary | undefined)[] = [file.dictionary(resources)];
  for (let next = waiting.pop(); waiting.length > 0 || next; next = waiting.pop()) {
    for (const value of file.dictionary(next?.get("XObject"))?.values() ?? []) {
      if (!(value instanceof Reference) || known.has(value.number)) continue;
      const dictionary = file.stream(value)?.dictionary;
      if (file.name(dictionary?.get("Subtype")) !== "Form") continue;
      yield value;
      waiting.push(file.dictionary(dictionary?.get("Resources")));
    }
  }
}

/** Returns the resources of a page, and those of the forms in them. */
export function resourcesIn(file: PdfFile, resources: Value | undefined): readonly Dictionary[] {
  const known = new Set<number>();
  const found: (Dictionary | undefined)[] = [file.dictionary(resources)];
  for (const form of formsIn(file, resources, known)) {
    known.add(form.number);
    found.push(file.dictionary(file.stream(form)?.dictionary.get("Resources")));
  }
  return found.filter((one) => one !== undefined);
}
