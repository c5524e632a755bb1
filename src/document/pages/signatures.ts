// Counts and removes the signatures of a document (ISO 32000-1, 12.8), because any change to the file would invalidate
// them. A visible signature field becomes a stamp with the same appearance: viewers draw a placeholder over an unsigned
// signature field. An invisible signature field is removed.

import { readBox } from "../content/boxes.ts";
import { convertToStamp } from "../content/stamp.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { encodeTextString } from "../objects/text-strings.ts";
import { Dictionary, type PdfObject, Reference, type Value } from "../objects/values.ts";
import { findFields } from "./parts/forms/field-tree.ts";
import { SourceDocument } from "./source-document.ts";

export interface Signatures {
  /** Number of signatures, including certification signatures and time stamps. */
  readonly count: number;
  /** True if usage rights enable additional features in Adobe's reader (12.8.2.3). */
  readonly hasUsageRights: boolean;
}

/** Field entries of a signature (table 232). */
const SIGNATURE_ENTRIES = ["V", "DV", "Lock", "SV"];
/** Entries that make a dictionary a field. */
const FIELD_ENTRIES = ["FT", "T", "TU", "TM", "Ff", "Kids", "Parent"];
/** SigFlags bit SignaturesExist (table 219): there are signature fields. */
const SIGNATURES_EXIST = 1;
/** Annotation flag Hidden (ISO 32000-1, table 165). */
const HIDDEN = 2;

/**
 * Removes signatures from a signed file. Objects that were read from the file before are then out of date.
 * @returns the removed signatures
 */
export function removeSignatures(file: PdfFile): Signatures {
  const signing = new Signing(file);
  signing.remove();
  return signing.found;
}

class Signing {
  readonly found: Signatures;
  readonly #file: PdfFile;
  readonly #source: SourceDocument;
  readonly #fields: ReturnType<typeof findFields>;
  /** The node indexes of signed fields, and of their widgets. */
  readonly #signed = new Set<number>();
  /** The signature dictionaries: object numbers, or the dictionaries themselves if they are direct. */
  readonly #values = new Set<number | PdfObject>();

  constructor(file: PdfFile) {
    this.#file = file;
    this.#source = new SourceDocument(file);
    this.#fields = findFields(this.#source);
    const values: (Value | undefined)[] = [];
    for (const node of this.#fields?.nodes ?? []) {
      values[node.index] = file.dictionary(node.reference)?.get("V") ?? values[node.parent];
      if (node.type === "Sig" && this.#note(values[node.index])) this.#signed.add(node.index);
    }
    const permissions = file.dictionary(file.catalog.get("Perms"));
    this.#note(permissions?.get("DocMDP"));
    const hasUsageRights = ["UR", "UR3"].some((key) => file.dictionary(permissions?.get(key)) !== undefined);
    this.found = { count: this.#values.size, hasUsageRights };
  }

  remove(): void {
    const { count, hasUsageRights } = this.found;
    if (count === 0 && !hasUsageRights) return;
    const file = this.#file;
    const catalog = file.catalog.clone();
    const permissions = file.dictionary(catalog.get("Perms"))?.clone() ?? new Dictionary();
    for (const key of ["DocMDP", "UR", "UR3"]) permissions.delete(key);
    catalog.set("Perms", permissions.size > 0 ? permissions : null);
    // The DSS contains validation data of signatures (ISO 32000-2, 12.8.4.3).
    if (count > 0) catalog.delete("DSS");
    if (this.#signed.size > 0) this.#removeFields(catalog);
    file.catalog = catalog;
  }

  #removeFields(catalog: Dictionary): void {
    const file = this.#file;
    const { form, nodes } = this.#fields!;
    const removed = this.#removedFields();
    const numbers = new Set([...removed].map((index) => nodes[index]!.reference.number));
    const stays = (value: Value) =>
      !(value instanceof Reference ? numbers.has(value.number) : this.#isSignedInline(value));
    const bare = new Set<number>();
    for (const { index, reference, isOnPage, kids } of nodes) {
      if (removed.has(index)) {
        if (!this.#retire(reference, isOnPage)) bare.add(reference.number);
      } else if (kids.some((kid) => removed.has(kid))) {
        const field = file.dictionary(reference)!.clone();
        file.put(reference, field.set("Kids", (file.array(field.get("Kids")) ?? []).filter(stays)));
      }
    }
    this.#removeAnnotations(bare);
    const left = form.clone();
    const fields = (file.array(form.get("Fields")) ?? []).filter(stays);
    const hasOthers = nodes.some(({ type, index }) => type === "Sig" && !removed.has(index));
    left.set("Fields", fields).set("SigFlags", hasOthers ? SIGNATURES_EXIST : null);
    // Some writers do not list all fields.
    const hasFields = fields.length > 0 || nodes.some(({ index, isOnPage }) => isOnPage && !removed.has(index));
    if (hasFields || form.has("XFA")) catalog.set("AcroForm", left);
    else catalog.delete("AcroForm");
  }

  /** Returns the node indexes of signed fields, and of ancestors whose kids are all removed. */
  #removedFields(): ReadonlySet<number> {
    const removed = new Set(this.#signed);
    for (const { index, kids, isOnPage } of this.#fields!.nodes.toReversed()) {
      if (kids.length > 0 && !isOnPage && kids.every((kid) => removed.has(kid))) removed.add(index);
    }
    return removed;
  }

  /** @returns true if the object is an annotation that is still visible */
  #retire(reference: Reference, isOnPage: boolean): boolean {
    const dictionary = this.#file.dictionary(reference)!.clone();
    const isVisible = isOnPage && this.#isVisible(dictionary);
    if (isVisible) {
      becomeSeal(dictionary);
    } else {
      for (const key of [...SIGNATURE_ENTRIES, ...FIELD_ENTRIES]) dictionary.delete(key);
    }
    this.#file.put(reference, dictionary);
    return isVisible;
  }

  #isVisible(annotation: Dictionary): boolean {
    const file = this.#file;
    if ((file.number(annotation.get("F")) ?? 0) & HIDDEN) return false;
    const [left, bottom, right, top] = readBox(file, annotation.get("Rect")) ?? [0, 0, 0, 0];
    const normal = file.dictionary(annotation.get("AP"))?.get("N");
    return left !== right && bottom !== top && file.dictionary(normal) !== undefined;
  }

  /** @param bare object numbers of invisible annotations */
  #removeAnnotations(bare: ReadonlySet<number>): void {
    const file = this.#file;
    for (const { reference } of this.#source.pages) {
      const page = file.dictionary(reference);
      const annotations = file.array(page?.get("Annots"));
      if (!page || !annotations) continue;
      let hasChanged = false;
      const kept = annotations.flatMap((value): Value[] => {
        if (value instanceof Reference ? !bare.has(value.number) : !this.#isSignedInline(value)) return [value];
        hasChanged = true;
        if (!(value instanceof Dictionary) || !this.#isVisible(value)) return [];
        const seal = value.clone();
        becomeSeal(seal);
        return [seal];
      });
      if (hasChanged) file.put(reference, page.clone().set("Annots", kept));
    }
  }

  /** Reports whether a value is a direct dictionary of a signed field or widget. */
  #isSignedInline(value: Value): boolean {
    if (!(value instanceof Dictionary)) return false;
    const field = this.#file.dictionary(value.get("Parent")) ?? value;
    const signature = this.#file.dictionary(value.get("V") ?? field.get("V"));
    return (
      this.#file.name(value.get("FT") ?? field.get("FT")) === "Sig" &&
      this.#file.array(signature?.get("ByteRange")) !== undefined
    );
  }

  /** @returns true if the value is a signature */
  #note(value: Value | undefined): boolean {
    const dictionary = this.#file.dictionary(value);
    if (!dictionary || !this.#file.array(dictionary.get("ByteRange"))) return false;
    this.#values.add(value instanceof Reference ? value.number : dictionary);
    return true;
  }
}

function becomeSeal(widget: Dictionary): void {
  // In annotations other than widgets, T is the author.
  widget.delete("T");
  convertToStamp(widget);
  if (!widget.has("Contents")) widget.set("Contents", encodeTextString("Signature"));
}
