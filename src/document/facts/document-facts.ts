// Answers questions about a document: its metadata, protection, forms and other parts. Each answer reads only what it
// needs.

import type { Context } from "../contract/operation.ts";
import { decodeTextString } from "../objects/text-strings.ts";
import { readNameTree } from "../objects/trees.ts";
import { Dictionary, PdfStream, PdfString, Reference, type Value } from "../objects/values.ts";
import { metadataOf } from "../pages/claims.ts";
import type { OpenPdf } from "../pages/open-pdf.ts";
import { pageDictionary } from "../pages/pages.ts";
import { annotationsOf } from "../pages/parts/annotation-index.ts";
import { findFields } from "../pages/parts/forms/field-tree.ts";
import { SourceDocument } from "../pages/source-document.ts";
import { readDate } from "../pdfa/metadata/document-information.ts";
import { pageBoxes } from "./page-boxes.ts";
import { findFontKinds, type PageSource } from "./shown-content.ts";

/** Entries of the Info dictionary that the standard defines (ISO 32000-1, table 317). */
const INFO_ENTRIES = ["Title", "Author", "Subject", "Keywords", "Creator", "Producer", "CreationDate", "ModDate"];
const KNOWN_ENTRIES = new Set([...INFO_ENTRIES, "Trapped"]);
/** Bits of permissions, from 0 (ISO 32000-1, table 22). Security handlers of revision 2 define the first four alone. */
const EARLY_BITS = [2, 3, 4, 5];
const LATER_BITS = [8, 9, 10, 11];
/** Entries without actions, which are not searched for scripts. */
const WITHOUT_ACTIONS = new Set(["Resources", "Contents", "StructTreeRoot", "Metadata", "PieceInfo", "AP", "Thumb"]);
/** Approximate memory per object that is searched. */
const VISIT_BYTES = 40;
const OBJECTS_AT_ONCE = 500;

export class DocumentFacts implements PageSource {
  readonly file: OpenPdf["file"];
  readonly signal: AbortSignal;
  readonly #pdf: OpenPdf;
  readonly #source: SourceDocument;
  #fonts: ReturnType<typeof findFontKinds> | undefined;

  /** @param pdf opened as it is, with its signatures */
  constructor(pdf: OpenPdf, { signal }: Pick<Context, "signal">) {
    this.#pdf = pdf;
    this.file = pdf.file;
    this.signal = signal;
    this.#source = new SourceDocument(pdf.file);
  }

  get pages() {
    return this.#source.pages;
  }

  /** Version and level of Adobe's extensions, such as `1.7.3`; 0 without extensions (ISO 32000-1, 7.12). */
  get version(): string {
    const developer = this.file.dictionary(this.file.dictionary(this.file.catalog.get("Extensions"))?.get("ADBE"));
    return `${this.file.version}.${Math.trunc(this.file.number(developer?.get("ExtensionLevel")) ?? 0)}`;
  }

  get #information(): Dictionary | undefined {
    return this.file.dictionary(this.file.trailer.get("Info"));
  }

  /** Returns an entry of the Info dictionary as text, empty if it is missing. */
  information(key: string): string {
    return this.#text(this.#information?.get(key)) ?? "";
  }

  /** Returns a date without its time zone, such as `2014-11-20T10:22:59`, empty if it is missing or invalid. */
  date(key: string): string {
    return readDate(this.file.string(this.#information?.get(key))?.latin1 ?? "")?.xmp.slice(0, 19) ?? "";
  }

  /** Returns the entries of the Info dictionary that the standard does not define; null if there are none. */
  get customInformation(): Readonly<Record<string, string>> | null {
    const custom = [...(this.#information ?? [])].flatMap(([key, value]) => {
      const text = KNOWN_ENTRIES.has(key) ? undefined : this.#text(value);
      return text === undefined ? [] : [[decodeTextString(PdfString.ofLatin1(key)).toWellFormed(), text] as const];
    });
    return custom.length > 0 ? Object.fromEntries(custom) : null;
  }

  get language(): string {
    return this.#text(this.file.catalog.get("Lang")) ?? "";
  }

  #text(value: Value | undefined): string | undefined {
    const string = this.file.string(value);
    if (string) return decodeTextString(string).toWellFormed();
    // Apple's keywords are a list.
    const list = this.file.array(value)?.flatMap((element) => this.file.string(element) ?? []);
    return list?.map((element) => decodeTextString(element).toWellFormed()).join(", ") ?? this.file.name(value);
  }

  /** Standards whose conformance the metadata declare. */
  get claims() {
    return metadataOf(this).claims;
  }

  get isTagged(): boolean {
    return this.file.boolean(this.file.dictionary(this.file.catalog.get("MarkInfo"))?.get("Marked")) === true;
  }

  /** True if the document forbids anything to those who have no owner password. */
  get isRestricted(): boolean {
    const encryption = this.#pdf.source.encryption();
    if (!encryption) return false;
    const permissions = this.file.number(encryption.get("P")) ?? -1;
    const isEarly = (this.file.number(encryption.get("R")) ?? 0) < 3;
    return [...EARLY_BITS, ...(isEarly ? [] : LATER_BITS)].some((bit) => (permissions & (1 << bit)) === 0);
  }

  get hasAnnotations(): boolean {
    return this.#annotations().next().done !== true;
  }

  *#annotations(): Generator<Dictionary> {
    for (const { reference } of this.pages) {
      for (const value of annotationsOf(this.#source, reference)) {
        const annotation = this.file.dictionary(value);
        if (annotation) yield annotation;
      }
    }
  }

  get #form(): Dictionary | undefined {
    return this.file.dictionary(this.file.catalog.get("AcroForm"));
  }

  get hasXfa(): boolean {
    return this.file.resolve(this.#form?.get("XFA")) !== null;
  }

  get hasFields(): boolean {
    return this.#fields.length > 0;
  }

  /** True if a field is signed. */
  get isSigned(): boolean {
    const { file } = this;
    return this.#fields.some(({ type, reference }) => {
      if (type !== "Sig") return false;
      const field = file.dictionary(reference);
      const value = field?.get("V") ?? file.dictionary(field?.get("Parent"))?.get("V");
      return file.array(file.dictionary(value)?.get("ByteRange")) !== undefined;
    });
  }

  get #fields() {
    return this.#source.once(findFields)?.nodes ?? [];
  }

  /** True if files are attached to the document, or to a place on a page. */
  get hasEmbeddedFiles(): boolean {
    const { file } = this;
    const names = file.dictionary(file.catalog.get("Names"));
    if (readNameTree(file, names?.get("EmbeddedFiles")).size > 0) return true;
    for (const annotation of this.#annotations()) {
      if (file.name(annotation.get("Subtype")) === "FileAttachment" && annotation.has("FS")) return true;
    }
    return false;
  }

  /** Searches all objects that can have actions. */
  async hasScripts(): Promise<boolean> {
    const { file } = this;
    const seen = new Set<number>();
    const waiting: Value[] = [file.catalog];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next instanceof Reference) {
        if (seen.has(next.number)) continue;
        seen.add(next.number);
        file.budget.charge(VISIT_BYTES);
        if (seen.size % OBJECTS_AT_ONCE === 0) {
          this.signal.throwIfAborted();
          await file.relieve();
        }
      }
      const object = file.resolve(next);
      if (Array.isArray(object)) for (const value of object) waiting.push(value);
      const dictionary = object instanceof PdfStream ? object.dictionary : object;
      if (!(dictionary instanceof Dictionary)) continue;
      // A rendition action can have a script, too (ISO 32000-1, 12.6.4.13).
      const action = file.name(dictionary.get("S"));
      if (action === "JavaScript" || (action === "Rendition" && dictionary.has("JS"))) return true;
      for (const [key, value] of dictionary) if (!WITHOUT_ACTIONS.has(key)) waiting.push(value);
    }
    return false;
  }

  /** Kinds of fonts that the pages have. */
  get fonts() {
    this.#fonts ??= findFontKinds(this);
    return this.#fonts;
  }

  /** Returns the boxes of each page, in its own units. */
  get boxes() {
    return this.pages.map((page) => ({
      page: page.index + 1,
      ...pageBoxes(this.file, pageDictionary(this.file, page)),
    }));
  }
}
