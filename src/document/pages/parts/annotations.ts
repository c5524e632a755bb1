// Updates annotations of the selected pages (ISO 32000-1, 12.5): removes links to omitted pages, and keeps popups and
// replies with their annotations. form.ts handles fields.

import type { Copier } from "../../objects/copier.ts";
import { Dictionary, Reference, type Value } from "../../objects/values.ts";
import type { DocumentPart, InputSelection, SelectedPage } from "../assemble.ts";
import type { Actions } from "./actions.ts";
import { annotationsOf, findAnnotations } from "./annotation-index.ts";
import type { FormResources } from "./forms/form-resources.ts";

/** Entries that refer to another annotation on the same page. */
const COMPANIONS = ["IRT", "Popup"];

export class Annotations implements DocumentPart {
  readonly #actions: Actions;
  readonly #resources: FormResources;
  #taking!: InputSelection;
  /** The updated dictionaries of the annotations to copy, by object number. */
  #kept = new Map<number, Dictionary>();
  /**
   * The copies in the target, by the object numbers of the source annotation and of the target page; for the first copy
   * of a page, 0 replaces the number of the page.
   */
  #copies = new Map<string, Reference>();

  constructor(actions: Actions, resources: FormResources) {
    this.#actions = actions;
    this.#resources = resources;
  }

  open(taking: InputSelection): void {
    this.#taking = taking;
    this.#kept = new Map();
    this.#copies = new Map();
    const { pages } = taking.source.once(findAnnotations);
    taking.copier.onVisit((dictionary, reference, copier) => {
      const page = reference && pages.get(reference.number);
      if (page) this.#visit(dictionary, reference, page, copier);
    });
  }

  page(dictionary: Dictionary, { source: page, repeat }: SelectedPage, { source }: InputSelection): void {
    const { file } = source;
    const annotations = annotationsOf(source, page);
    if (annotations.length === 0) {
      dictionary.delete("Annots");
      return;
    }
    const direct = new Map<Value, Dictionary>();
    if (repeat === 0) for (const value of annotations) this.#settle(value, page, direct);
    const kept = annotations.flatMap((value): Value[] => {
      if (value instanceof Reference) return this.#kept.has(value.number) ? [value] : [];
      if (repeat > 0) this.#settle(value, page, direct);
      const settled = direct.get(value);
      return settled ? [settled] : [];
    });
    const own = new Set(kept.flatMap((value) => (value instanceof Reference ? [value.number] : [])));
    for (const value of kept) {
      const settled = value instanceof Reference ? this.#kept.get(value.number) : value;
      if (settled instanceof Dictionary) this.#separate(settled, own);
    }
    const popups = new Set(kept.filter((value) => this.#isAlonePopup(file.dictionary(value), own)));
    for (const value of popups) if (value instanceof Reference) this.#kept.delete(value.number);
    dictionary.set(
      "Annots",
      kept.filter((value) => !popups.has(value)),
    );
  }

  /** Decides whether an annotation is kept, and updates its copy. */
  #settle(value: Value, page: Reference, direct: Map<Value, Dictionary>): void {
    const { file } = this.#taking.source;
    const annotation = file.dictionary(value);
    if (!annotation) return;
    const settled = annotation.clone();
    if (this.#actions.settle(settled) && file.name(annotation.get("Subtype")) === "Link") return;
    settled.set("P", page);
    this.#resources.settle(settled);
    if (value instanceof Reference) this.#kept.set(value.number, settled);
    else direct.set(value, settled);
  }

  /**
   * Removes references to annotations that are omitted or on other pages. Keeps references to popups that no page lists
   * in Annots, because such popups are common.
   */
  #separate(settled: Dictionary, own: ReadonlySet<number>): void {
    for (const key of COMPANIONS) {
      const other = settled.get(key);
      if (!(other instanceof Reference) || own.has(other.number) || !this.isAnnotation(other)) continue;
      settled.delete(key);
      if (key === "IRT") settled.delete("RT");
    }
  }

  #isAlonePopup(annotation: Dictionary | undefined, own: ReadonlySet<number>): boolean {
    if (this.#taking.source.file.name(annotation?.get("Subtype")) !== "Popup") return false;
    const parent = annotation?.get("Parent");
    return parent instanceof Reference && !own.has(parent.number);
  }

  #visit(dictionary: Dictionary, reference: Reference, page: Reference, copier: Copier): void {
    const settled = this.#kept.get(reference.number);
    const isTaken = this.#taking.copiesOf(page).length > 0;
    if (!settled || !isTaken) {
      dictionary.clear();
      return;
    }
    dictionary.retain((key) => settled.has(key));
    for (const [key, value] of settled) dictionary.set(key, value);
    const copy = copier.targetOf(reference);
    if (copy) this.#copies.set(`${reference.number} ${copier.repeat?.number ?? 0}`, copy);
  }

  /** Reports whether the object is an annotation on a page of the source. */
  isAnnotation(reference: Reference): boolean {
    return this.#taking.source.once(findAnnotations).pages.has(reference.number);
  }

  /** @returns the annotation's copy on a copied page; undefined if there is none */
  copyOn(reference: Reference, { target, repeat }: SelectedPage): Reference | undefined {
    return this.#copies.get(`${reference.number} ${repeat > 0 ? target.number : 0}`);
  }
}
