// Selects the form fields of an input that are kept, and their names in the result.

import { decodeTextString, encodeTextString } from "../../../objects/text-strings.ts";
import { UniqueNames } from "../../../objects/unique-names.ts";
import { type Dictionary, type PdfString, Reference, type Value } from "../../../objects/values.ts";
import type { DocumentPart, InputSelection } from "../../assemble.ts";
import { annotationsOf } from "../annotation-index.ts";
import { renamed, rootOf } from "../scripts/scripts.ts";
import { type FieldNode, type FieldTree, findFields, fullName } from "./field-tree.ts";

/**
 * Root name for names that match no field of this input. Without it, such names could match a field of another input.
 */
const FOREIGN = "otherDocument";

/** Flag of SubmitForm and ResetForm: Fields lists excluded fields (ISO 32000-1, tables 237 and 239). */
const EXCLUDE = 1;

export class KeptFields implements DocumentPart {
  readonly #roots = new UniqueNames((name, count) => `${name}_${count}`);
  #taking!: InputSelection;
  #tree: FieldTree | undefined;
  #kept = new Set<number>();
  /** The new names of this input's roots, by old name. */
  #renamed = new Map<string, string>();
  #own = new Set<string>();
  #foreign: string | undefined;
  /** An array of all fields of this input, shared by actions. */
  #all: Reference | undefined;

  open(taking: InputSelection): void {
    this.#taking = taking;
    this.#tree = taking.source.once(findFields);
    this.#kept = new Set();
    this.#renamed = new Map();
    this.#own = new Set();
    this.#foreign = undefined;
    this.#all = undefined;
    if (!this.#tree) return;
    this.#keep(this.#tree);
    for (const node of this.keptNodes()) if (node.parent < 0 && node.name !== undefined) this.#name(node.name);
  }

  #keep({ nodes, byNumber }: FieldTree): void {
    const { source, pages, isWhole } = this.#taking;
    const mark = (node: FieldNode | undefined) => {
      for (let at = node; at && !this.#kept.has(at.index); at = nodes[at.parent]) this.#kept.add(at.index);
    };
    for (const page of pages) {
      if (page.repeat > 0) continue;
      for (const value of annotationsOf(source, page.source)) {
        if (value instanceof Reference) mark(byNumber.get(value.number));
      }
    }
    // Fields without a page belong to the document as a whole.
    if (isWhole) for (const node of nodes) if (node.kids.length === 0 && !node.isOnPage) mark(node);
  }

  #name(name: string): void {
    const root = rootOf(name);
    if (!this.#renamed.has(root)) this.#renamed.set(root, this.#roots.take(root));
    this.#own.add(renamed(name, this.#renamed));
  }

  get tree(): FieldTree | undefined {
    return this.#tree;
  }

  /** Returns the kept nodes, parents first. */
  keptNodes(): FieldNode[] {
    const { nodes } = this.#tree ?? { nodes: [] };
    return [...this.#kept].sort((a, b) => a - b).map((index) => nodes[index]!);
  }

  isKept(node: FieldNode): boolean {
    return this.#kept.has(node.index);
  }

  /** Reports whether the object is an omitted field or widget. */
  isLeft(reference: Reference): boolean {
    const node = this.#tree?.byNumber.get(reference.number);
    return node !== undefined && !this.#kept.has(node.index);
  }

  /** The new names of the root fields, by old name. */
  get roots(): ReadonlyMap<string, string> {
    return this.#renamed;
  }

  /**
   * An unused root name, for fields that scripts and actions of this input must not reach. Undefined for a single
   * input.
   */
  get foreign(): string | undefined {
    if (this.#taking.inputCount > 1) this.#foreign ??= this.#roots.take(FOREIGN);
    return this.#foreign;
  }

  /** The names of this input's root fields; if there are none, an unused name. Undefined for a single input. */
  get own(): readonly string[] | undefined {
    const { foreign } = this;
    if (foreign === undefined) return undefined;
    return this.#own.size > 0 ? [...this.#own] : [foreign];
  }

  /** Returns the updated form of a full or partial name that starts with a root name. */
  renamedString(name: PdfString): PdfString {
    const text = decodeTextString(name);
    const result = renamed(text, this.#renamed, this.foreign);
    return result === text ? name : encodeTextString(result);
  }

  /**
   * Restricts a SubmitForm or ResetForm action to fields of this input, with their new names.
   * @returns the same dictionary if it is unchanged
   */
  restrict(action: Dictionary): Dictionary {
    const { file } = this.#taking.source;
    const listed = file.array(action.get("Fields"));
    const flags = file.number(action.get("Flags")) ?? 0;
    const excludes = !listed || (flags & EXCLUDE) !== 0;
    if (excludes && !this.own) return listed ? this.#withNames(action, listed) : action;
    if (!excludes) return this.#withNames(action, listed);
    const fields = listed?.length ? this.#allBut(listed) : this.#allOwn();
    return action
      .clone()
      .set("Fields", fields)
      .set("Flags", flags & ~EXCLUDE);
  }

  #withNames(action: Dictionary, listed: readonly Value[]): Dictionary {
    const { file } = this.#taking.source;
    const fields = listed.flatMap((value) => {
      const name = file.string(value);
      if (name) return [this.renamedString(name)];
      return value instanceof Reference && this.isLeft(value) ? [] : [value];
    });
    const isSame = fields.length === listed.length && fields.every((value, at) => value === listed[at]);
    return isSame ? action : action.clone().set("Fields", fields);
  }

  #allOwn(): Reference {
    this.#all ??= this.#taking.source.file.add(this.own!.map(encodeTextString));
    return this.#all;
  }

  #allBut(excluded: readonly Value[]): Value[] {
    const { file } = this.#taking.source;
    const tree = this.#tree;
    const names = new Set<string>();
    for (const value of excluded) {
      const name = file.string(value);
      const node = value instanceof Reference ? tree?.byNumber.get(value.number) : undefined;
      const full = name ? decodeTextString(name) : tree && node && fullName(tree, node);
      if (full !== undefined) names.add(full);
    }
    if (!tree) return this.own!.map(encodeTextString);
    // A name includes all fields below it.
    const left = new Set<number>();
    const fields: Value[] = [];
    for (const node of this.keptNodes()) {
      const full = node.isField ? fullName(tree, node) : undefined;
      if (left.has(node.parent) || (full !== undefined && names.has(full))) left.add(node.index);
      else if (full !== undefined && !node.kids.some((kid) => tree.nodes[kid]!.isField)) {
        fields.push(encodeTextString(renamed(full, this.#renamed)));
      }
    }
    return fields;
  }
}
