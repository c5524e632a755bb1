// Removes the layers of a document (ISO 32000-1, 8.11): hidden content goes, visible content stays.

import { StructureLinks } from "../annotations/structure-links.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, type PdfObject, PdfStream, Reference, type Value } from "../objects/values.ts";
import { visitObjects } from "../objects/visit-objects.ts";
import { removeFields } from "../pages/parts/forms/remove-fields.ts";
import { removeHiddenLayers } from "./hidden-layers.ts";

const LAYER_TYPES = new Set(["OCG", "OCMD"]);
const MAX_DEPTH = 200;

/** Flattens the layers of the file in memory; the caller writes it. */
export async function flattenLayers(file: PdfFile, signal: AbortSignal): Promise<void> {
  const properties = file.dictionary(file.catalog.get("OCProperties"));
  if (!properties) return;
  const listed = (file.array(properties.get("OCGs")) ?? []).filter((value) => value instanceof Reference);
  const removed = await removeHiddenLayers(file, signal, true);
  const structure = new StructureLinks(file);
  for (const { page, annotations, contentIds } of removed) {
    structure.removeContent(page, contentIds);
    for (const annotation of annotations) structure.remove(annotation);
  }
  structure.finish();
  const hidden = removed.flatMap(({ annotations }) => annotations).filter((value) => value instanceof Reference);
  removeFields(file, new Set(hidden.map(({ number }) => number)));
  const catalog = file.catalog.clone();
  catalog.delete("OCProperties");
  file.catalog = catalog;
  await new LayerReferences(file, listed).remove(signal);
}

/** The references to layers in all objects. */
class LayerReferences {
  readonly #file: PdfFile;
  readonly #layers: Set<number>;

  constructor(file: PdfFile, listed: readonly Reference[]) {
    this.#file = file;
    this.#layers = new Set(listed.map(({ number }) => number));
  }

  async remove(signal: AbortSignal): Promise<void> {
    await visitObjects(this.#file, signal, (object, { number }) => {
      if (object instanceof Dictionary && this.#isLayerDictionary(object)) this.#layers.add(number);
    });
    await visitObjects(this.#file, signal, (object, reference) => {
      if (this.#layers.has(reference.number)) return;
      const kept = this.#without(object);
      if (kept !== object) this.#file.put(reference, kept);
    });
  }

  /** @returns the object itself if it contains no layer */
  #without(object: PdfObject): PdfObject {
    if (!(object instanceof PdfStream)) return this.#withoutIn(object, 0);
    const dictionary = this.#withoutIn(object.dictionary, 0) as Dictionary;
    return dictionary === object.dictionary ? object : new PdfStream(dictionary, object.body);
  }

  #withoutIn(value: Value, depth: number): Value {
    if (depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) {
      const kept = value.filter((element) => !this.#isLayer(element)).map((one) => this.#withoutIn(one, depth + 1));
      return kept.length === value.length && kept.every((one, index) => one === value[index]) ? value : kept;
    }
    if (!(value instanceof Dictionary)) return value;
    let changed: Dictionary | undefined;
    for (const [key, entry] of value) {
      const kept = this.#isLayer(entry) ? null : this.#isState(value, key) ? [] : this.#withoutIn(entry, depth + 1);
      if (kept === entry) continue;
      changed ??= value.clone();
      changed.set(key, kept);
    }
    return changed ?? value;
  }

  /** Reports whether an entry lists the changes that an action makes to layers (12.6.4.12). */
  #isState = (dictionary: Dictionary, key: string): boolean =>
    key === "State" && this.#file.name(dictionary.get("S")) === "SetOCGState";

  #isLayer(value: Value): boolean {
    if (value instanceof Reference) return this.#layers.has(value.number);
    return value instanceof Dictionary && this.#isLayerDictionary(value);
  }

  #isLayerDictionary = (dictionary: Dictionary): boolean =>
    LAYER_TYPES.has(this.#file.name(dictionary.get("Type")) ?? "");
}
