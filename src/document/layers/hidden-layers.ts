// Removes the content of layers that are hidden by default (ISO 32000-1, 8.11.3): marked content, images, forms,
// annotations.

import { defaultVisibility } from "../content/optional-content.ts";
import { contentOf, decodeContent } from "../content/page-content.ts";
import { EngineFailure } from "../contract/failure.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, type PdfObject, PdfStream, plainBody, Reference, type Value } from "../objects/values.ts";
import { visitObjects } from "../objects/visit-objects.ts";
import { readPages, type SourcePage } from "../pages/pages.ts";
import { editLayers, type LayerRules } from "./layer-content.ts";
import { FontMeasures, TextAdvances } from "./text-advances.ts";

/** Resources that contain content streams. */
const CONTENT_CATEGORIES = ["XObject", "Pattern"];
const FILTER_ENTRIES = ["Filter", "DecodeParms", "DL"];

/** What was removed from a page. */
export interface RemovedFromPage {
  readonly page: Reference;
  readonly annotations: readonly Value[];
  /** Identifiers of marked content. */
  readonly contentIds: readonly number[];
}

/**
 * Removes hidden layers from the file in memory; the caller writes it. @param areFlat true to remove the marks of
 * visible layers, too
 */
export async function removeHiddenLayers(
  file: PdfFile,
  signal: AbortSignal,
  areFlat = false,
): Promise<readonly RemovedFromPage[]> {
  if (!file.dictionary(file.catalog.get("OCProperties"))) return [];
  const remover = new LayerRemover(file, { isVisible: defaultVisibility(file), areFlat });
  const removed: RemovedFromPage[] = [];
  for (const page of readPages(file).pages) {
    const found = remover.cleanPage(page);
    if (found) removed.push(found);
    signal.throwIfAborted();
    await file.relieve();
  }
  await visitObjects(file, signal, (object, reference) => remover.cleanObject(object, reference));
  return removed;
}

class LayerRemover {
  readonly #file: PdfFile;
  readonly #rules: LayerRules;
  readonly #fonts: FontMeasures;
  /** Object numbers of streams that use the resources of their page, and were cleaned with it. */
  readonly #cleaned = new Set<number>();

  constructor(file: PdfFile, rules: LayerRules) {
    this.#file = file;
    this.#rules = rules;
    this.#fonts = new FontMeasures(file);
  }

  /** @returns undefined if the page is unchanged, or lost only content without tags */
  cleanPage({ reference, inherited }: SourcePage): RemovedFromPage | undefined {
    const file = this.#file;
    const page = file.dictionary(reference);
    if (!page) return undefined;
    const changed = page.clone();
    const [hidden, shown] = this.#split(file.array(page.get("Annots")) ?? []);
    if (hidden.length > 0) changed.set("Annots", shown);
    const resources = page.get("Resources") ?? inherited.Resources;
    const contents = page.get("Contents");
    // The page's streams are joined, because a hidden marked-content sequence can continue in the next stream.
    const edited = this.#edit(() => contentOf(file, contents), resources);
    if (edited) changed.set("Contents", file.add(new PdfStream(new Dictionary(), plainBody(edited.bytes))));
    if (edited || hidden.length > 0) file.put(reference, changed);
    this.#cleanBare(resources);
    const contentIds = edited?.removedIds ?? [];
    return hidden.length > 0 || contentIds.length > 0
      ? { page: reference, annotations: hidden, contentIds }
      : undefined;
  }

  /** Empties hidden images and forms, and removes hidden content from forms, patterns and glyphs. */
  cleanObject(object: PdfObject, reference: Reference): void {
    const file = this.#file;
    if (object instanceof Dictionary && file.name(object.get("Subtype")) === "Type3") {
      for (const glyph of file.dictionary(object.get("CharProcs"))?.values() ?? []) {
        this.#cleanStream(glyph, object.get("Resources"));
      }
    }
    if (!(object instanceof PdfStream)) return;
    const { dictionary } = object;
    if (this.#isHidden(dictionary)) {
      const nothing = { Type: Name.of("XObject"), Subtype: Name.of("Form"), BBox: [0, 0, 1, 1] };
      file.put(reference, new PdfStream(Dictionary.of(nothing), plainBody(new Uint8Array(0))));
    } else if (isContent(file, dictionary)) this.#cleanStream(reference, dictionary.get("Resources"));
  }

  /** Cleans the forms and patterns that have no resources, and therefore use those of their page. */
  #cleanBare(resources: Value | undefined): void {
    const file = this.#file;
    if (!file.dictionary(file.dictionary(resources)?.get("Properties"))) return;
    for (const category of CONTENT_CATEGORIES) {
      for (const value of file.dictionary(file.dictionary(resources)?.get(category))?.values() ?? []) {
        const dictionary = file.stream(value)?.dictionary;
        if (!(value instanceof Reference) || !dictionary || dictionary.has("Resources")) continue;
        if (this.#cleaned.has(value.number) || !isContent(file, dictionary)) continue;
        this.#cleaned.add(value.number);
        this.#cleanStream(value, resources);
      }
    }
  }

  #cleanStream(value: Value, resources: Value | undefined): void {
    const stream = this.#file.stream(value);
    if (!stream || !(value instanceof Reference)) return;
    const edited = this.#edit(() => decodeContent(stream), resources);
    if (!edited) return;
    const dictionary = stream.dictionary.clone();
    for (const key of FILTER_ENTRIES) dictionary.delete(key);
    this.#file.put(value, new PdfStream(dictionary, plainBody(edited.bytes)));
  }

  #edit(read: () => Uint8Array, resources: Value | undefined) {
    const file = this.#file;
    const own = file.dictionary(resources);
    const properties = file.dictionary(own?.get("Properties"));
    if (!properties) return undefined;
    const advances = new TextAdvances(file, own, this.#fonts);
    try {
      return editLayers(read(), { propertiesOf: (name) => properties.get(name), advances }, this.#rules);
    } catch (error) {
      const isTooLarge = error instanceof EngineFailure && error.reason === "too-large";
      if (isTooLarge && !this.#rules.areFlat) return undefined;
      throw error;
    }
  }

  #split(annotations: readonly Value[]): [hidden: Value[], shown: Value[]] {
    const hidden: Value[] = [];
    const shown: Value[] = [];
    for (const value of annotations) (this.#isHidden(this.#file.dictionary(value)) ? hidden : shown).push(value);
    return [hidden, shown];
  }

  #isHidden(dictionary: Dictionary | undefined): boolean {
    const content = dictionary?.get("OC");
    return content !== undefined && !this.#rules.isVisible(content);
  }
}

const isContent = (file: PdfFile, dictionary: Dictionary): boolean =>
  file.name(dictionary.get("Subtype")) === "Form" || dictionary.get("PatternType") === 1;
