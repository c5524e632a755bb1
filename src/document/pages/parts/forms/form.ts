// Builds the form (ISO 32000-1, 12.7) from the fields of all inputs, each with its selected widgets. kept-fields.ts
// selects and renames the fields. Widgets are copied with their pages.

import type { Copier } from "../../../objects/copier.ts";
import { Dictionary, PdfString, Reference, type Value } from "../../../objects/values.ts";
import type { AssemblyTarget, DocumentPart, InputSelection } from "../../assemble.ts";
import type { Actions } from "../actions.ts";
import type { FieldNode, FieldTree } from "./field-tree.ts";
import type { FormResources } from "./form-resources.ts";
import type { KeptFields } from "./kept-fields.ts";

/** Field entries that widgets do not have (tables 220 to 232). */
const FIELD_ENTRIES = "FT T TU TM Ff V DV Opt TI I MaxLen Lock SV CO RV DS Kids".split(" ");
/** Additional-action triggers of fields, as opposed to widgets (table 196). */
const FIELD_TRIGGERS = ["K", "F", "V", "C"];
/**
 * SigFlags bit SignaturesExist (table 219): there are signature fields. The bit AppendOnly stays off, because the
 * result is not signed.
 */
const SIGNATURES_EXIST = 1;

export class Form implements DocumentPart {
  readonly #fields: KeptFields;
  readonly #resources: FormResources;
  readonly #actions: Actions;
  readonly #roots: Value[] = [];
  readonly #order: Value[] = [];
  #hasForm = false;
  #hasSignatures = false;
  #needsAppearances = false;
  #defaults: { readonly DA: PdfString | undefined; readonly Q: number | undefined } | undefined;
  #taking!: InputSelection;
  /** The copies of each widget in the target, by the object number of the source widget. */
  #copies = new Map<number, Reference[]>();

  constructor(fields: KeptFields, resources: FormResources, actions: Actions) {
    this.#fields = fields;
    this.#resources = resources;
    this.#actions = actions;
  }

  open(taking: InputSelection): void {
    this.#taking = taking;
    this.#copies = new Map();
    const tree = this.#fields.tree;
    if (!tree) return;
    for (const node of this.#fields.keptNodes()) {
      if (!node.isWidget) taking.copier.seed(node.reference, taking.result.file.reserve());
      else if (!node.isOnPage) taking.copier.reference(node.reference);
    }
    taking.copier.onVisit((dictionary, reference, copier) => this.#visit(tree, dictionary, reference, copier));
  }

  #visit(tree: FieldTree, dictionary: Dictionary, reference: Reference | undefined, copier: Copier): void {
    const node = reference && tree.byNumber.get(reference.number);
    if (!node) return;
    if (!this.#fields.isKept(node)) {
      dictionary.clear();
      return;
    }
    const copy = copier.targetOf(node.reference);
    if (copy) this.#copies.set(node.reference.number, [...(this.#copies.get(node.reference.number) ?? []), copy]);
    if (!node.isOnPage) this.#settle(dictionary);
    this.#prepare(tree, node, dictionary);
  }

  /** Updates actions and resources of an object that no page lists. annotations.ts updates annotations on pages. */
  #settle(dictionary: Dictionary): void {
    this.#actions.settle(dictionary);
    this.#resources.settle(dictionary);
  }

  /**
   * Removes Kids and Parent, because the tree is rebuilt after all copies exist. Then updates the entries of a field.
   */
  #prepare(tree: FieldTree, node: FieldNode, dictionary: Dictionary): void {
    const { file } = this.#taking.source;
    dictionary.delete("Kids");
    dictionary.delete("Parent");
    if (!node.isField) return;
    const title = file.string(dictionary.get("T"));
    if (title && node.parent < 0) dictionary.set("T", this.#fields.renamedString(title));
    if (node.type === "Sig") this.#unsign(dictionary);
    if (node.type === "Btn") this.#withoutLeftStates(tree, node, dictionary);
  }

  /** Removes the signature, which is valid only for the source file (12.8.1). */
  #unsign(dictionary: Dictionary): void {
    const { file } = this.#taking.source;
    this.#hasSignatures = true;
    dictionary.delete("V");
    dictionary.delete("DV");
    const lock = file.dictionary(dictionary.get("Lock"));
    const names = file.array(lock?.get("Fields"));
    if (!lock || !names) return;
    const renamed = names.map((value) => {
      const name = file.string(value);
      return name ? this.#fields.renamedString(name) : value;
    });
    dictionary.set("Lock", lock.clone().set("Fields", renamed));
  }

  /** Removes the states of omitted buttons: their option texts, and the value if an omitted button was on. */
  #withoutLeftStates({ nodes }: FieldTree, node: FieldNode, dictionary: Dictionary): void {
    const { file } = this.#taking.source;
    const kids = node.kids.map((index) => nodes[index]!);
    const stays = kids.map((kid) => this.#fields.isKept(kid));
    if (stays.every(Boolean)) return;
    const options = file.array(dictionary.get("Opt"));
    if (options && options.length === kids.length) {
      dictionary.set(
        "Opt",
        options.map((option, index) => (stays[index] ? option : PdfString.ofLatin1(""))),
      );
    }
    const states = new Set(["Off"]);
    kids.forEach(({ reference }, index) => {
      const widget = file.dictionary(reference);
      const appearances = file.dictionary(file.dictionary(widget?.get("AP"))?.get("N"));
      if (stays[index]) for (const state of appearances?.keys() ?? []) states.add(state);
    });
    for (const key of ["V", "DV"]) {
      const state = file.name(dictionary.get(key));
      if (state !== undefined && !states.has(state)) dictionary.delete(key);
    }
  }

  close({ source, copier }: InputSelection): void {
    const tree = this.#fields.tree;
    if (!tree) return;
    const { file } = source;
    this.#hasForm = true;
    if (file.boolean(tree.form.get("NeedAppearances"))) this.#needsAppearances = true;
    /** By node index: the target object whose Kids receive the children of the node. */
    const fields = new Map<number, Reference>();
    for (const node of this.#fields.keptNodes()) this.#place(tree, node, fields, copier);
    for (const value of file.array(tree.form.get("CO")) ?? []) {
      const node = value instanceof Reference ? tree.byNumber.get(value.number) : undefined;
      const field = node && fields.get(node.index);
      if (field) this.#order.push(field);
    }
    this.#setDefaults(tree, fields);
  }

  /** Adds a field or a widget to the tree. Its parent must already be in the tree. */
  #place(tree: FieldTree, node: FieldNode, fields: Map<number, Reference>, copier: Copier): void {
    const { file } = this.#taking.result;
    const copies = this.#copies.get(node.reference.number) ?? [];
    const above = fields.get(node.parent);
    if (!node.isField) {
      for (const copy of copies) this.#hang(copy, above);
      return;
    }
    let field = copies[0];
    if (!node.isWidget) {
      const reference = copier.targetOf(node.reference)!;
      const dictionary = this.#taking.source.file.dictionary(node.reference)!.clone();
      this.#settle(dictionary);
      this.#prepare(tree, node, dictionary);
      file.put(reference, copier.dictionary(dictionary));
      field = reference;
    } else if (copies.length > 1) {
      field = this.#separate(copies);
    }
    if (!field) return;
    fields.set(node.index, field);
    if (node.parent >= 0) this.#hang(field, above);
    else if (node.isListed) this.#roots.push(field);
  }

  /** Separates a field from its widget, if the widget's page was selected more than once. */
  #separate(copies: readonly Reference[]): Reference {
    const { file } = this.#taking.result;
    const field = new Dictionary();
    const first = file.dictionary(copies[0])!;
    for (const key of [...FIELD_ENTRIES, "DA", "Q"]) {
      const value = first.get(key);
      if (value !== undefined) field.set(key, value);
    }
    const triggers = file.dictionary(first.get("AA"));
    const ofField = pick(triggers, (key) => FIELD_TRIGGERS.includes(key));
    if (ofField) field.set("AA", ofField);
    const reference = file.add(field);
    for (const copy of copies) {
      const widget = file.dictionary(copy)!;
      for (const key of FIELD_ENTRIES) widget.delete(key);
      const ofWidget = pick(file.dictionary(widget.get("AA")), (key) => !FIELD_TRIGGERS.includes(key));
      widget.set("AA", ofWidget ?? null);
      this.#hang(copy, reference);
    }
    return reference;
  }

  #hang(kid: Reference, parent: Reference | undefined): void {
    const { file } = this.#taking.result;
    const dictionary = file.dictionary(kid);
    const above = parent && file.dictionary(parent);
    if (!dictionary || !parent || !above) return;
    dictionary.set("Parent", parent);
    const kids = above.get("Kids");
    if (Array.isArray(kids)) kids.push(kid);
    else above.set("Kids", [kid]);
  }

  /**
   * The defaults of the first form apply to the result. If another input has different defaults, its fields get
   * explicit values.
   */
  #setDefaults({ form, nodes }: FieldTree, fields: ReadonlyMap<number, Reference>): void {
    const { file } = this.#taking.source;
    const string = file.string(form.get("DA"));
    const own = { DA: string && this.#resources.rewrite(string), Q: file.number(form.get("Q")) };
    this.#defaults ??= own;
    const { DA, Q } = this.#defaults;
    const differsInDa = own.DA !== undefined && own.DA.latin1 !== DA?.latin1;
    const differsInQ = (own.Q ?? 0) !== (Q ?? 0);
    if (!differsInDa && !differsInQ) return;
    for (const [index, field] of fields) {
      if (nodes[index]!.parent >= 0) continue;
      const dictionary = this.#taking.result.file.dictionary(field)!;
      if (differsInDa && !dictionary.has("DA")) dictionary.set("DA", own.DA!);
      if (differsInQ && !dictionary.has("Q")) dictionary.set("Q", own.Q ?? 0);
    }
  }

  finish({ file, catalog }: AssemblyTarget): void {
    const resources = this.#resources.dictionary;
    if (!this.#hasForm || (this.#roots.length === 0 && !resources)) return;
    const form = Dictionary.of({
      Fields: this.#roots,
      NeedAppearances: this.#needsAppearances || undefined,
      SigFlags: this.#hasSignatures ? SIGNATURES_EXIST : undefined,
      CO: this.#order.length > 0 ? this.#order : undefined,
      DR: resources,
      DA: this.#defaults?.DA,
      Q: this.#defaults?.Q,
    });
    catalog.set("AcroForm", file.add(form));
  }
}

function pick(dictionary: Dictionary | undefined, test: (key: string) => boolean): Dictionary | undefined {
  const result = new Dictionary();
  for (const [key, value] of dictionary ?? []) if (test(key)) result.set(key, value);
  return result.size > 0 ? result : undefined;
}
