// Removes discarded parts from each object. Returns changed copies and leaves the file unchanged. The writer omits
// objects to which no reference remains.
import { ownDataOf } from "../objects/own-data.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, type PdfObject, PdfStream, plainBody, type Value } from "../objects/values.ts";
import type { Discarded } from "./settings.ts";

/** Entries that are removed from all dictionaries. */
const ENTRIES: Readonly<Partial<Record<Discarded, readonly string[]>>> = {
  "private-data": ["PieceInfo"],
  "alternate-images": ["Alternates"],
  "document-tags": ["StructTreeRoot", "StructParent", "StructParents", "MarkInfo"],
};
/** Entries that are removed from the catalog. */
const CATALOG_ENTRIES: Readonly<Partial<Record<Discarded, readonly string[]>>> = {
  bookmarks: ["Outlines"],
  "output-intent": ["OutputIntents"],
  "document-information-and-metadata": ["Metadata"],
  "comments-forms-multimedia": ["AcroForm"],
  "file-attachments": ["AF", "Collection"],
};
/** Annotations that are not comments, form fields or media (ISO 32000-1, table 169). */
const LASTING_ANNOTATIONS = new Set(["Link", "PrinterMark", "TrapNet", "Watermark"]);
const ATTACHED = "FileAttachment";
/** The end of a metadata packet. The white space before it is padding for editors. */
const PACKET_END = "<?xpacket end";
const MAX_METADATA_BYTES = 16 * 2 ** 20;
const MAX_DEPTH = 100;

export class Discards {
  readonly #file: PdfFile;
  readonly #discard: ReadonlySet<Discarded>;
  readonly #entries: readonly string[];
  readonly #catalogEntries: readonly string[];

  constructor(file: PdfFile, discard: ReadonlySet<Discarded>) {
    this.#file = file;
    this.#discard = discard;
    const of = (table: Readonly<Partial<Record<Discarded, readonly string[]>>>) =>
      [...discard].flatMap((one) => table[one] ?? []);
    this.#entries = of(ENTRIES);
    this.#catalogEntries = of(CATALOG_ENTRIES);
  }

  /** Reports whether the trailer keeps its Info dictionary. */
  get keepsInformation(): boolean {
    return !this.#discard.has("document-information-and-metadata");
  }

  /** @returns the object itself if nothing is removed */
  apply(object: PdfObject): PdfObject {
    if (object instanceof PdfStream) {
      let dictionary = this.#value(object.dictionary, 0) as Dictionary;
      // A reference XObject represents a page of another file (8.10.4).
      if (this.#has("external-crossreferences") && dictionary.has("Ref")) {
        dictionary = dictionary.clone();
        dictionary.delete("Ref");
      }
      const body = this.#has("xmp-metadata-padding") ? withoutPadding(object) : undefined;
      if (body) return body;
      return dictionary === object.dictionary ? object : new PdfStream(dictionary, object.body);
    }
    return this.#value(object, 0);
  }

  #has(one: Discarded): boolean {
    return this.#discard.has(one);
  }

  #value(value: Value, depth: number): Value {
    if (depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) {
      const kept = value.map((element) => this.#value(element, depth + 1));
      return kept.some((element, index) => element !== value[index]) ? kept : value;
    }
    return value instanceof Dictionary ? this.#dictionary(value, depth) : value;
  }

  #dictionary(dictionary: Dictionary, depth: number): Dictionary {
    let changed: Dictionary | undefined;
    const change = () => {
      changed ??= dictionary.clone();
      return changed;
    };
    for (const [key, value] of dictionary) {
      const kept = this.#value(value, depth + 1);
      if (kept !== value) change().set(key, kept);
    }
    for (const key of this.#entries) if (dictionary.has(key)) change().set(key, this.#ownData(dictionary.get(key)!));
    const type = this.#file.name(dictionary.get("Type"));
    if (type === "Catalog") this.#catalog(dictionary, change);
    else if (type === "Page" || dictionary.has("Annots")) this.#page(dictionary, change);
    if (this.#has("javascript-actions")) this.#withoutScripts(dictionary, change);
    if (this.#has("document-information-and-metadata") && dictionary.has("Metadata")) change().delete("Metadata");
    return changed ?? dictionary;
  }

  /** Returns what stays of private data: the record of a preview of redactions, which still needs it. */
  #ownData(value: Value): Value {
    const own = ownDataOf(this.#file, value);
    return own.size === 0 ? null : own;
  }

  #catalog(dictionary: Dictionary, change: () => Dictionary): void {
    for (const key of this.#catalogEntries) if (dictionary.has(key)) change().delete(key);
    const names = this.#file.dictionary(dictionary.get("Names"));
    const removed = [
      ...(this.#has("javascript-actions") ? ["JavaScript"] : []),
      ...(this.#has("file-attachments") ? ["EmbeddedFiles"] : []),
      ...(this.#has("comments-forms-multimedia") ? ["Renditions"] : []),
    ].filter((key) => names?.has(key));
    if (!names || removed.length === 0) return;
    const kept = names.clone();
    for (const key of removed) kept.delete(key);
    change().set("Names", kept.size > 0 ? kept : null);
  }

  #page(dictionary: Dictionary, change: () => Dictionary): void {
    if (this.#has("thumbnails") && dictionary.has("Thumb")) change().delete("Thumb");
    const annotations = this.#file.array(dictionary.get("Annots"));
    if (!annotations) return;
    const kept = annotations.filter((annotation) => this.#keeps(this.#file.dictionary(annotation)));
    if (kept.length < annotations.length) change().set("Annots", kept.length > 0 ? kept : null);
  }

  #keeps(annotation: Dictionary | undefined): boolean {
    const kind = this.#file.name(annotation?.get("Subtype")) ?? "";
    if (this.#has("comments-forms-multimedia") && !LASTING_ANNOTATIONS.has(kind))
      return kind === ATTACHED && !this.#has("file-attachments");
    return kind !== ATTACHED || !this.#has("file-attachments");
  }

  /** Removes JavaScript actions (12.6.4.16): direct actions, OpenAction, additional actions and next actions. */
  #withoutScripts(dictionary: Dictionary, change: () => Dictionary): void {
    for (const key of [
      "A",
      "OpenAction",
      "Next",
      "C",
      "E",
      "X",
      "D",
      "U",
      "Fo",
      "Bl",
      "PO",
      "PC",
      "PV",
      "PI",
      "O",
      "K",
      "F",
      "V",
      "WC",
      "WS",
      "DS",
      "WP",
      "DP",
    ]) {
      const value = dictionary.get(key);
      if (value === undefined || !this.#isScript(value)) continue;
      change().delete(key);
    }
  }

  #isScript(value: Value): boolean {
    const action = this.#file.resolve(value);
    return action instanceof Dictionary && action.has("JS") && this.#file.name(action.get("S")) === "JavaScript";
  }
}

/** Returns a metadata stream without padding. Changes only unfiltered metadata, and adds no filter. */
function withoutPadding({ dictionary, body }: PdfStream): PdfStream | undefined {
  const type = dictionary.get("Type");
  if (!(type instanceof Name) || type.text !== "Metadata" || dictionary.has("Filter")) return undefined;
  const raw = body.raw();
  if (raw.length > MAX_METADATA_BYTES) return undefined;
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString("latin1");
  const end = text.lastIndexOf(PACKET_END);
  const kept = end < 0 ? text : `${text.slice(0, end).trimEnd()}\n${text.slice(end)}`;
  if (kept.length >= text.length) return undefined;
  const bytes = Buffer.from(kept, "latin1");
  return new PdfStream(dictionary, plainBody(bytes));
}
