// Builds the structure tree (ISO 32000-1, 14.7 and 14.8), below one Document element. Copies the elements of each input
// that have content on selected pages. A repeated page gets separate elements, as if it came from another input.
// structure-index.ts reads the source, and structure-names.ts renames roles, classes and IDs.

import type { Copier } from "../../../objects/copier.ts";
import { writeNameTree, writeNumberTree } from "../../../objects/trees.ts";
import { Dictionary, Name, PdfString, Reference, type Value } from "../../../objects/values.ts";
import type { AssemblyTarget, DocumentPart, InputSelection, SelectedPage } from "../../assemble.ts";
import type { Annotations } from "../annotations.ts";
import {
  findStructure,
  type Kid,
  kidsOf,
  pageOf,
  type StructureElement,
  type StructureIndex,
} from "./structure-index.ts";
import type { StructureNames } from "./structure-names.ts";

/** Element entries that are rebuilt. */
const OWN_ENTRIES = ["K", "P", "Pg", "ID", "Ref"];
/**
 * Entries that describe an element's content as a whole. An empty element with such an entry is omitted, because the
 * entry could describe omitted content.
 */
const TEXT_ENTRIES = ["ActualText", "Alt", "E", "T", "ID"];
const ENTRY_BYTES = 100;

/** One copy of pages and their elements: pass n contains the pages of an input that are selected for the n-th time. */
interface Pass {
  /** The selected pages, by object number in the source. */
  readonly pages: ReadonlyMap<number, SelectedPage>;
  /** The elements in the target, by element index, parents first. */
  readonly targets: Map<number, Reference>;
  /** The kids of each element in the target, by element index; -1 for the root. */
  readonly kids: Map<number, Reference[]>;
}

/** A key of the source's parent tree, and its new key in the target. */
interface Link {
  readonly from: number;
  readonly to: number;
  readonly repeat: Reference | undefined;
}

interface Top {
  readonly elements: readonly Reference[];
  readonly language: PdfString | undefined;
}

export class Structure implements DocumentPart {
  readonly #names: StructureNames;
  readonly #annotations: Annotations;
  readonly #tops: Top[] = [];
  readonly #parents = new Map<number, Value>();
  readonly #ids = new Map<string, Value>();
  /** The namespaces of all inputs, each reference once. */
  readonly #namespaces: Reference[] = [];
  readonly #associated: Value[] = [];
  #root: Reference | undefined;
  #nextKey = 0;
  #taking!: InputSelection;
  #index: StructureIndex | undefined;
  #passes: Pass[] = [];
  /** The repeat count of each repeated page, by object number in the target. */
  #repeats = new Map<number, number>();
  #links: Link[] | undefined;

  constructor(names: StructureNames, annotations: Annotations) {
    this.#names = names;
    this.#annotations = annotations;
  }

  open(taking: InputSelection): void {
    const { source, copier, result } = taking;
    this.#taking = taking;
    this.#passes = [];
    this.#links = [];
    const index = source.once(findStructure);
    this.#index = index;
    copier.onVisit((dictionary, reference, copier) => this.#visit(dictionary, reference, copier));
    if (!index) return;
    this.#root ??= result.file.reserve();
    const root = source.file.catalog.get("StructTreeRoot");
    if (root instanceof Reference) copier.seed(root, this.#root);
    const pages: Map<number, SelectedPage>[] = [];
    this.#repeats = new Map();
    for (const page of taking.pages) {
      if (page.repeat > 0) this.#repeats.set(page.target.number, page.repeat);
      pages[page.repeat] ??= new Map();
      pages[page.repeat]!.set(page.source.number, page);
    }
    this.#passes = pages.map((taken) => this.#begin(index, taken));
    for (const [at, target] of this.#passes[0]?.targets ?? []) copier.seed(index.elements[at]!.reference, target);
  }

  /** Selects the elements of a pass. */
  #begin(index: StructureIndex, pages: ReadonlyMap<number, SelectedPage>): Pass {
    const { elements, byPage } = index;
    const { result } = this.#taking;
    const kept = new Set<StructureElement>();
    for (const number of pages.keys()) {
      for (const element of byPage.get(number) ?? []) {
        for (let at: StructureElement | undefined = element; at && !kept.has(at); at = elements[at.parent])
          kept.add(at);
      }
    }
    const bare = [...index.bareTops, ...[...kept].flatMap(({ bareKids }) => bareKids)];
    for (let element = bare.pop(); element; element = bare.pop()) {
      if (!this.#staysBare(element, pages)) continue;
      kept.add(element);
      for (const kid of element.bareKids) bare.push(kid);
    }
    const pass: Pass = { pages, targets: new Map(), kids: new Map() };
    for (const { index: at, parent } of [...kept].sort((a, b) => a.index - b.index)) {
      result.file.budget.charge(ENTRY_BYTES);
      const target = result.file.reserve();
      pass.targets.set(at, target);
      const siblings = pass.kids.get(parent);
      if (siblings) siblings.push(target);
      else pass.kids.set(parent, [target]);
    }
    return pass;
  }

  /** Reports whether an element without content is kept, such as an empty table cell that its row needs. */
  #staysBare({ reference }: StructureElement, pages: ReadonlyMap<number, SelectedPage>): boolean {
    if (this.#taking.isWhole) return true;
    const dictionary = this.#taking.source.file.dictionary(reference)!;
    const page = pageOf(this.#taking.source, dictionary);
    if (page) return pages.has(page.number);
    return !TEXT_ENTRIES.some((key) => dictionary.has(key));
  }

  /** Renumbers parent tree keys in any dictionary. Empties elements, which are copied separately. */
  #visit(dictionary: Dictionary, reference: Reference | undefined, copier: Copier): void {
    if (reference && this.#index?.byNumber.has(reference.number)) {
      dictionary.clear();
      return;
    }
    for (const key of ["StructParents", "StructParent"]) {
      const value = dictionary.get(key);
      if (value === undefined) continue;
      const from = this.#taking.source.file.number(value);
      if (from === undefined || !this.#links || !this.#index?.parents.has(from)) {
        dictionary.delete(key);
        continue;
      }
      const to = this.#nextKey++;
      this.#links.push({ from, to, repeat: copier.repeat });
      dictionary.set(key, to);
    }
  }

  close({ source, copier }: InputSelection): void {
    const index = this.#index;
    if (index) {
      for (const pass of this.#passes) this.#write(index, pass);
      this.#addParents(index);
      this.#addNamespaces(index);
      for (const value of source.file.array(index.root.get("AF")) ?? []) this.#associated.push(copier.value(value));
    }
    // Objects that are copied later get no entry in the parent tree.
    this.#links = undefined;
  }

  #write(index: StructureIndex, pass: Pass): void {
    const { source, copier, result } = this.#taking;
    const { file } = source;
    this.#names.begin();
    const ids = new Map<number, string>();
    for (const at of pass.targets.keys()) {
      const id = file.string(file.dictionary(index.elements[at]!.reference)!.get("ID"))?.latin1;
      if (id !== undefined) ids.set(at, this.#names.takeId(id));
    }
    for (const [at, target] of pass.targets) {
      const element = index.elements[at]!;
      const { reference, parent, page } = element;
      const dictionary = file.dictionary(reference)!;
      const copy = dictionary.clone();
      for (const key of OWN_ENTRIES) copy.delete(key);
      this.#names.settle(copy);
      const written = copier.dictionary(copy);
      const { kids, isComplete } = this.#kids(pass, dictionary, element);
      if (!isComplete) written.delete("ActualText");
      if (kids.length > 0) written.set("K", kids.length === 1 ? kids[0]! : kids);
      const taken = page && pass.pages.get(page.number);
      if (taken) written.set("Pg", taken.target);
      const above = parent < 0 ? this.#root! : pass.targets.get(parent)!;
      written.set("P", above);
      const id = ids.get(at);
      if (id !== undefined) {
        written.set("ID", PdfString.ofLatin1(id));
        this.#ids.set(id, target);
      }
      const related = (file.array(dictionary.get("Ref")) ?? []).flatMap((value) => {
        const element = value instanceof Reference ? index.byNumber.get(value.number) : undefined;
        return (element && pass.targets.get(element.index)) ?? [];
      });
      if (related.length > 0) written.set("Ref", related);
      result.file.put(target, written);
    }
    const tops = pass.kids.get(-1);
    if (tops) this.#tops.push({ elements: tops, language: file.string(file.catalog.get("Lang")) });
  }

  #kids(pass: Pass, dictionary: Dictionary, element: StructureElement): { kids: Value[]; isComplete: boolean } {
    if (!element.hasOwnContent) {
      // Fast path for large elements: all paragraphs of a book can be kids of one element.
      const kids = pass.kids.get(element.index) ?? [];
      return { kids, isComplete: kids.length === element.kidCount };
    }
    const kids: Value[] = [];
    let isComplete = true;
    for (const kid of kidsOf(this.#taking.source, dictionary, element.page, this.#index!.byNumber)) {
      const target = this.#kid(pass, kid, element);
      if (target === undefined) isComplete = false;
      else kids.push(target);
    }
    return { kids, isComplete };
  }

  #kid(pass: Pass, kid: Kid, above: StructureElement): Value | undefined {
    const { copier } = this.#taking;
    if (kid.kind === "element") {
      const element = this.#index!.byNumber.get(kid.reference.number);
      // An element that occurs several times belongs to its first parent.
      return element?.parent === above.index ? pass.targets.get(element.index) : undefined;
    }
    const taken = kid.page && pass.pages.get(kid.page.number);
    if (kid.kind === "content") {
      if (!taken) return undefined;
      if (!kid.dictionary) return kid.id;
      const copy = kid.dictionary.clone();
      copy.delete("Pg");
      return copier.dictionary(copy).set("Pg", taken.target);
    }
    if (!taken) return undefined;
    const object = this.#annotations.isAnnotation(kid.object)
      ? this.#annotations.copyOn(kid.object, taken)
      : copier.reference(kid.object);
    return object ? Dictionary.of({ Type: Name.of("OBJR"), Pg: taken.target, Obj: object }) : undefined;
  }

  /** Adds the parent tree entries of all copied objects. */
  #addParents({ parents, byNumber }: StructureIndex): void {
    const { file } = this.#taking.source;
    for (const { from, to, repeat } of this.#links ?? []) {
      const pass = this.#passOf(repeat);
      const targetOf = (value: Value): Reference | null => {
        const element = value instanceof Reference ? byNumber.get(value.number) : undefined;
        return (element && pass?.targets.get(element.index)) ?? null;
      };
      const value = parents.get(from)!;
      const array = file.array(value);
      const target = array ? array.map(targetOf) : targetOf(value);
      if (Array.isArray(target) ? target.some((item) => item !== null) : target !== null) this.#parents.set(to, target);
    }
  }

  #passOf(repeat: Reference | undefined): Pass | undefined {
    if (!repeat) return this.#passes[0];
    return this.#passes[this.#repeats.get(repeat.number) ?? 0];
  }

  #addNamespaces({ root }: StructureIndex): void {
    const { source, copier } = this.#taking;
    for (const value of source.file.array(root.get("Namespaces")) ?? []) {
      const target = value instanceof Reference ? copier.reference(value) : null;
      if (target && !this.#namespaces.some(({ number }) => number === target.number)) this.#namespaces.push(target);
    }
  }

  finish({ file, catalog }: AssemblyTarget): void {
    if (!this.#root || this.#tops.length === 0) return;
    const language = file.string(catalog.get("Lang"))?.latin1;
    for (const top of this.#tops) {
      if (top.language === undefined || top.language.latin1 === language) continue;
      for (const reference of top.elements) {
        const element = file.dictionary(reference)!;
        if (!element.has("Lang")) element.set("Lang", top.language);
      }
    }
    let tops = this.#tops.flatMap(({ elements }) => elements);
    if (this.#tops.length > 1) {
      const document = file.add(
        Dictionary.of({ Type: Name.of("StructElem"), S: Name.of("Document"), P: this.#root, K: tops }),
      );
      for (const reference of tops) file.dictionary(reference)!.set("P", document);
      tops = [document];
    }
    file.put(
      this.#root,
      Dictionary.of({
        Type: Name.of("StructTreeRoot"),
        K: tops.length === 1 ? tops[0] : tops,
        ParentTree: writeNumberTree(file, this.#parents),
        ParentTreeNextKey: this.#nextKey,
        IDTree: this.#ids.size > 0 ? writeNameTree(file, this.#ids) : undefined,
        Namespaces: this.#namespaces.length > 0 ? this.#namespaces : undefined,
        AF: this.#associated.length > 0 ? this.#associated : undefined,
        ...this.#names.entries(),
      }),
    );
    catalog.set("StructTreeRoot", this.#root);
  }
}
