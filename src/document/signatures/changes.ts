// Finds what changed in a document after a signature: compares the objects of the signed revision with those of the whole
// file, and names the part of the document to which each changed object belongs.
import { serialize } from "../objects/serialize.ts";
import { Dictionary, Name, type PdfObject, PdfStream, Reference, type Value } from "../objects/values.ts";
import { annotationsOf } from "../pages/parts/annotation-index.ts";
import { findFields, fullName } from "../pages/parts/forms/field-tree.ts";
import type { SourceDocument } from "../pages/source-document.ts";
import { type CertificationLevel, type FieldLock, isLocked } from "./restrictions.ts";

/** The parts of a document. `form`: what all fields share. `validation-data`: certificates and revocation lists. */
export const CHANGE_KINDS = [
  ...(["page", "field", "form", "signature", "annotation", "metadata", "attachments"] as const),
  ...(["validation-data", "other"] as const),
] as const;

export interface Change {
  readonly kind: (typeof CHANGE_KINDS)[number];
  /** Fully qualified name of the field. */
  readonly name?: string;
  /** From 1. */
  readonly page?: number;
}

/** Entries that lead to other parts of a document, by the part. */
const PAGE_LINKS = new Set(["Parent", "Annots", "B"]);
const FIELD_LINKS = new Set(["Parent", "Kids", "P"]);
const ANNOTATION_LINKS = new Set(["Parent", "P", "Popup", "IRT"]);
const CATALOG_LINKS = new Set([
  "Pages",
  "AcroForm",
  "Metadata",
  "DSS",
  "Perms",
  "Version",
  "Extensions",
  "Names",
  "AF",
]);
const FORM_LINKS = new Set(["Fields", "SigFlags", "XFA"]);
/** Entries that change if a field is filled in or signed. Others make another field of it. */
const FILLED = new Set(["V", "AP", "AS", "I", "TI", "RV", "M", "F", "Ff", "DA", "DS", "Q", "MK", "Lock", "Type"]);
/** Entries with actions, which can refer to other fields and annotations. */
const ACTIONS = new Set(["A", "AA", "OpenAction"]);
/** Changes that a level permits (ISO 32000-2, table 257), in addition to those of the level before. */
const PERMITTED: readonly (readonly Change["kind"][])[] = [
  ["validation-data", "metadata"],
  ["field", "form", "signature"],
  ["annotation"],
];
const DEFAULT_LEVEL = 3;

/** Finds the changes. @param before the signed revision @param after the whole file */
export function changesAfter(before: SourceDocument, after: SourceDocument): readonly Change[] {
  const comparison = new Comparison(before, after);
  comparison.run();
  return [...comparison.found.values()];
}

/**
 * Reports whether the changes after a signature are permitted.
 * @param level of the certification. @default forms, signatures and annotations can change
 * @param locks of this and earlier signatures
 */
export function arePermitted(
  changes: readonly Change[],
  level: CertificationLevel | undefined,
  locks: readonly FieldLock[],
): boolean {
  const kinds = PERMITTED.slice(0, level ?? DEFAULT_LEVEL).flat();
  return changes.every(
    ({ kind, name }) => kinds.includes(kind) && (name === undefined || !locks.some((lock) => isLocked(lock, name))),
  );
}

class Comparison {
  readonly found = new Map<string, Change>();
  readonly #before: SourceDocument;
  readonly #after: SourceDocument;
  /** Objects that are unchanged, with all that they refer to. */
  readonly #unchanged = new Set<number>();
  /** Fields of either document that are not compared yet. */
  readonly #fieldNumbers = new Set<number>();
  /** Fields and annotations of the signed revision. An object that becomes one later keeps its other role, too. */
  readonly #parts: Set<number>;

  /** Number of the catalog. */
  readonly #root: number;

  constructor(before: SourceDocument, after: SourceDocument) {
    const root = after.file.trailer.get("Root");
    this.#root = root instanceof Reference ? root.number : 0;
    this.#before = before;
    this.#after = after;
    for (const document of [before, after]) {
      for (const number of document.once(findFields)?.byNumber.keys() ?? []) this.#fieldNumbers.add(number);
    }
    const annotations = before.pages.flatMap(({ reference }) => annotationsOf(before, reference));
    this.#parts = new Set(annotations.flatMap((value) => (value instanceof Reference ? value.number : [])));
    for (const number of before.once(findFields)?.byNumber.keys() ?? []) this.#parts.add(number);
  }

  run(): void {
    const [before, after] = [this.#before.file, this.#after.file];
    this.#pages();
    this.#annotations();
    this.#fields();
    const catalogs = [before.catalog, after.catalog] as const;
    const attached = [before, after].map((file) => file.dictionary(file.catalog.get("Names"))?.get("EmbeddedFiles"));
    this.#values({ kind: "metadata" }, before.trailer.get("Info"), after.trailer.get("Info"));
    for (const [key, kind] of [
      ["Metadata", "metadata"],
      ["DSS", "validation-data"],
      ["AF", "attachments"],
    ] as const) {
      this.#values({ kind }, catalogs[0].get(key), catalogs[1].get(key));
    }
    this.#values({ kind: "attachments" }, attached[0], attached[1]);
    const names = [before, after].map((file) => file.dictionary(file.catalog.get("Names")));
    this.#entries({ kind: "other" }, names[0], names[1], new Set(["EmbeddedFiles"]));
    const forms = [before, after].map((file) => file.dictionary(file.catalog.get("AcroForm")));
    this.#entries({ kind: "form" }, forms[0], forms[1], FORM_LINKS);
    this.#values({ kind: "other" }, forms[0]?.get("XFA"), forms[1]?.get("XFA"));
    this.#entries({ kind: "other" }, ...catalogs, CATALOG_LINKS);
  }

  #pages(): void {
    const [before, after] = [this.#before, this.#after];
    const count = Math.max(before.pages.length, after.pages.length);
    for (let index = 0; index < count; index++) {
      const change: Change = { kind: "page", page: index + 1 };
      const [old, now] = [before.pages[index], after.pages[index]];
      if (!old || !now || old.reference.number !== now.reference.number) this.#add(change);
      if (!old || !now) continue;
      this.#entries(change, Dictionary.of(old.inherited), Dictionary.of(now.inherited), new Set());
      const dictionaries = [before.file.dictionary(old.reference), after.file.dictionary(now.reference)] as const;
      this.#entries(change, ...dictionaries, PAGE_LINKS);
    }
  }

  #fields(): void {
    const [before, after] = [this.#before, this.#after].map((document) => document.once(findFields));
    for (const tree of [after, before]) {
      for (const node of tree?.nodes ?? []) {
        const { reference, type } = node;
        if (!this.#fieldNumbers.delete(reference.number)) continue;
        const name = fullName(tree!, node) ?? "";
        const other: Change = { kind: "other", name };
        const wasSigned = isSigned(this.#before, reference);
        // What replaces a signature, or its appearance, is no new signature.
        const change: Change = wasSigned ? other : { kind: type === "Sig" ? "signature" : "field", name };
        const [isOld, isNew] = [before, after].map((one) => one?.byNumber.has(reference.number));
        // A new widget can show anything anywhere. Only that of a signature is what a signer may add.
        const isFilled = isNew && (isOld || !node.isWidget || isSigned(this.#after, reference));
        if (!isOld || !isFilled) this.#add(isFilled ? change : other);
        const dictionaries = [this.#before, this.#after].map(({ file }) => file.dictionary(reference));
        const [old, now] = [isOld ? dictionaries[0] : dictionaries[1], dictionaries[1]];
        this.#entries(change, old, now, new Set([...keysOf(old, now)].filter((key) => !FILLED.has(key))));
        this.#entries(other, old, now, new Set([...FIELD_LINKS, ...FILLED]));
      }
    }
  }

  #annotations(): void {
    for (const [index, { reference }] of this.#after.pages.entries()) {
      const change: Change = { kind: "annotation", page: index + 1 };
      const [old, now] = [this.#before, this.#after].map((document) => annotationsOf(document, reference));
      const [before, numbers] = [old!, now!].map(
        (values) => new Set(values.map((value) => (value instanceof Reference ? value.number : 0))),
      ) as [Set<number>, Set<number>];
      const gone = old!.filter((value) => value instanceof Reference && !numbers.has(value.number));
      if (gone.some((value) => !this.#isField(value))) this.#add(change);
      for (const [at, value] of now!.entries()) {
        if (this.#isField(value)) continue;
        const other = value instanceof Reference ? value : old![at];
        if (value instanceof Reference && !before.has(value.number)) this.#add(change);
        const dictionaries = [this.#before.file.dictionary(other), this.#after.file.dictionary(value)] as const;
        this.#entries(change, ...dictionaries, ANNOTATION_LINKS);
      }
    }
  }

  #add(change: Change): void {
    this.found.set(JSON.stringify(change), change);
  }

  /** Compares dictionaries, with everything that they refer to, except by some entries. */
  #entries(
    change: Change,
    before: Dictionary | undefined,
    after: Dictionary | undefined,
    links: ReadonlySet<string>,
  ): void {
    for (const key of keysOf(before, after)) {
      if (!links.has(key)) this.#values(change, before?.get(key), after?.get(key), ACTIONS.has(key));
    }
  }

  /**
   * Compares values, with everything that they refer to except pages, which are compared on their own. An object with
   * several roles is compared in each: otherwise, a permitted change of one would hide a change of the other.
   * @param isAction true to leave out fields and annotations, which are no part of an action
   */
  #values(change: Change, before: Value | undefined, after: Value | undefined, isAction = false): void {
    if (this.found.has(JSON.stringify(change))) return;
    if (textOf(before ?? null) !== textOf(after ?? null)) {
      this.#add(change);
      return;
    }
    const seen = new Set<number>();
    const waiting: Value[] = [after ?? null];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next instanceof Dictionary) waiting.push(...valuesOf(next));
      else if (Array.isArray(next)) waiting.push(...next);
      else if (next instanceof Reference && !seen.has(next.number) && !this.#isElsewhere(next, isAction)) {
        seen.add(next.number);
        const [old, now] = [this.#before.file.get(next), this.#after.file.get(next)];
        if (!areEqual(old, now)) {
          this.#add(change);
          return;
        }
        waiting.push(now instanceof PdfStream ? now.dictionary : now);
      }
    }
    if (!isAction) for (const number of seen) this.#unchanged.add(number);
  }

  #isField(value: Value): boolean {
    return value instanceof Reference && this.#fieldNumbers.has(value.number);
  }

  #isElsewhere({ number }: Reference, isAction: boolean): boolean {
    if (this.#unchanged.has(number) || this.#after.isPage(number) || number === this.#root) return true;
    return isAction && this.#parts.has(number);
  }
}

/** Reports whether a field, or one above it, has a signature. */
function isSigned(document: SourceDocument, { number }: Reference): boolean {
  const [{ file }, tree] = [document, document.once(findFields)];
  for (let at = tree?.byNumber.get(number); at; at = tree!.nodes[at.parent]) {
    if (at.type === "Sig" && file.dictionary(file.dictionary(at.reference)?.get("V"))) return true;
  }
  return false;
}

const isObjectReference = (dictionary: Dictionary): boolean => {
  const type = dictionary.get("Type");
  return type instanceof Name && type.text === "OBJR";
};

const keysOf = (...dictionaries: readonly (Dictionary | undefined)[]): ReadonlySet<string> =>
  new Set(dictionaries.flatMap((dictionary) => [...(dictionary?.keys() ?? [])]));

/** Returns the values of a dictionary, except the annotation in a reference from the structure tree (14.7.5.3). */
const valuesOf = (dictionary: Dictionary): readonly Value[] =>
  [...dictionary].flatMap(([key, value]) => (key === "Obj" && isObjectReference(dictionary) ? [] : [value]));

/** Returns the text of a value, with the numbers of the objects to which it refers. */
export const textOf = (value: Value): string => serialize(value, ({ number }) => number);

function areEqual(one: PdfObject, other: PdfObject): boolean {
  if (one instanceof PdfStream && other instanceof PdfStream) {
    return (
      textOf(one.dictionary) === textOf(other.dictionary) && Buffer.compare(one.body.raw(), other.body.raw()) === 0
    );
  }
  return !(one instanceof PdfStream) && !(other instanceof PdfStream) && textOf(one) === textOf(other);
}
