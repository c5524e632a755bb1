// Renames roles, classes and IDs of structure trees (ISO 32000-1, 14.7.3 and 14.7.5) if two inputs use the same name
// with different meanings.

import { fingerprint } from "../../../objects/fingerprint.ts";
import type { PdfFile } from "../../../objects/pdf-file.ts";
import { UniqueNames } from "../../../objects/unique-names.ts";
import { Dictionary, Name, PdfString, type Value } from "../../../objects/values.ts";
import type { DocumentPart, InputSelection } from "../../assemble.ts";
import { findStructure } from "./structure-index.ts";

/** Standard structure types (tables 333 to 340, and ISO 32000-2, 14.8.4). */
const STANDARD = new Set(
  (
    "Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private P H H1 H2 H3 H4 H5 H6 L " +
    "LI Lbl LBody Table TR TH TD " +
    "THead TBody TFoot Span Quote Note Reference BibEntry Code Link Annot Ruby RB RT RP Warichu WT WP Figure " +
    "Formula Form " +
    "DocumentFragment Aside Title FENote Sub Em Strong Artifact"
  ).split(" "),
);

const variant = (name: string, count: number) => `${name}_${count}`;

export class StructureNames implements DocumentPart {
  readonly #roles = new Map<string, string>();
  readonly #roleNames = new UniqueNames(variant);
  readonly #classes = new Map<string, { readonly value: Value; readonly print: string | undefined }>();
  readonly #classNames = new UniqueNames(variant);
  readonly #ids = new UniqueNames(variant);
  #file!: PdfFile;
  #renamedRoles = new Map<string, string>();
  #renamedClasses = new Map<string, string>();
  #renamedIds = new Map<string, string>();

  open({ source, copier, inputCount }: InputSelection): void {
    const { file } = source;
    this.#file = file;
    this.#renamedRoles = new Map();
    this.#renamedClasses = new Map();
    this.#renamedIds = new Map();
    const root = source.once(findStructure)?.root;
    this.#addRoles(file.dictionary(root?.get("RoleMap")), inputCount > 1);
    for (const [name, value] of file.dictionary(root?.get("ClassMap")) ?? []) {
      const print = fingerprint(file, value);
      if (print !== undefined && this.#classes.get(name)?.print === print) continue;
      const result = this.#classNames.take(name);
      this.#classes.set(result, { value: copier.value(value), print });
      if (result !== name) this.#renamedClasses.set(name, result);
    }
  }

  #addRoles(roles: Dictionary | undefined, hasOthers: boolean): void {
    const added: [string, string][] = [];
    for (const [name, value] of roles ?? []) {
      const role = this.#file.name(value);
      if (role === undefined || this.#roles.get(name) === role) continue;
      // A standard type that this input redefines gets a new name, because other inputs use its standard meaning.
      const wanted = hasOthers && STANDARD.has(name) ? variant(name, 1) : name;
      const result = this.#roleNames.take(wanted);
      if (result !== name) this.#renamedRoles.set(name, result);
      added.push([result, role]);
    }
    for (const [name, role] of added) {
      const target = STANDARD.has(role) ? role : (this.#renamedRoles.get(role) ?? role);
      this.#roles.set(name, target);
    }
  }

  /** Starts a new set of elements, whose IDs differ from all earlier IDs. */
  begin(): void {
    this.#renamedIds = new Map();
  }

  /** Updates S, C and A of an element. The caller owns the dictionary; its values belong to the source. */
  settle(element: Dictionary): void {
    const type = this.#file.name(element.get("S"));
    const role = type === undefined ? undefined : this.#renamedRoles.get(type);
    if (role !== undefined && !element.has("NS")) element.set("S", Name.of(role));
    const classes = element.get("C");
    if (classes !== undefined && this.#renamedClasses.size > 0) element.set("C", this.#renamedClass(classes));
    const attributes = element.get("A");
    if (attributes !== undefined && this.#renamedIds.size > 0) element.set("A", this.#withHeaders(attributes));
  }

  #renamedClass(value: Value): Value {
    const array = this.#file.array(value);
    if (array) return array.map((item) => (item instanceof Name ? this.#renamedClass(item) : item));
    const name = this.#file.name(value);
    const result = name === undefined ? undefined : this.#renamedClasses.get(name);
    return result === undefined ? value : Name.of(result);
  }

  /** Updates the IDs in Headers of table cells (table 349). */
  #withHeaders(value: Value): Value {
    const array = this.#file.array(value);
    if (array) return array.map((item) => this.#withHeaders(item));
    const attributes = this.#file.dictionary(value);
    const headers = this.#file.array(attributes?.get("Headers"));
    if (!attributes || !headers) return value;
    const renamed = headers.map((header) => {
      const id = this.#file.string(header)?.latin1;
      return id === undefined ? header : PdfString.ofLatin1(this.#renamedIds.get(id) ?? id);
    });
    return attributes.clone().set("Headers", renamed);
  }

  /** Returns the new ID of an element. All IDs of a set must be registered before its first element is updated. */
  takeId(id: string): string {
    const known = this.#renamedIds.get(id);
    if (known !== undefined) return known;
    const result = this.#ids.take(id);
    this.#renamedIds.set(id, result);
    return result;
  }

  /** Returns the RoleMap and ClassMap of the target. */
  entries(): Record<string, Value | undefined> {
    const roles = new Dictionary();
    for (const [name, role] of this.#roles) roles.set(name, Name.of(role));
    const classes = new Dictionary();
    for (const [name, { value }] of this.#classes) classes.set(name, value);
    return {
      RoleMap: roles.size > 0 ? roles : undefined,
      ClassMap: classes.size > 0 ? classes : undefined,
    };
  }
}
