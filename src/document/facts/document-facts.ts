// Provides facts about a document: its metadata, protection, forms and other parts. Each fact is read on request.

import type { Context } from "../contract/operation.ts";
import { restrictsAnything } from "../encryption/permissions.ts";
import { customEntriesIn } from "../formats/xmp/custom-names.ts";
import { textsIn } from "../formats/xmp/properties.ts";
import { decodeTextString } from "../objects/text-strings.ts";
import { readNameTree } from "../objects/trees.ts";
import { Dictionary, latin1Of, Name, PdfStream, PdfString, Reference, type Value } from "../objects/values.ts";
import { type DocumentMetadata, metadataOf } from "../pages/claims.ts";
import type { OpenPdf } from "../pages/open-pdf.ts";
import { pageSize } from "../pages/page-size.ts";
import { pageDictionary } from "../pages/pages.ts";
import { annotationsOf } from "../pages/parts/annotation-index.ts";
import { findFields } from "../pages/parts/forms/field-tree.ts";
import { SourceDocument } from "../pages/source-document.ts";
import { readDate } from "../pdfa/metadata/document-information.ts";
import { type AttachedFile, attachedFile } from "./attached-file.ts";
import { IN_XMP, INFO_ENTRIES, type InfoEntry, KNOWN_ENTRIES } from "./info-entries.ts";
import { nameText } from "./name-text.ts";
import { pageBoxes } from "./page-boxes.ts";
import { findFontKinds, listFonts, type PageSource } from "./shown-content.ts";
import { listImages } from "./shown-images.ts";
import { type SignatureFact, SignatureReader } from "./signature-facts.ts";

/** An XMP date (ISO 8601). Only the year is required. */
const XMP_DATE = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d)?)?)?)?/;
/** An escape sequence that states the language of a text (ISO 32000-1, 7.9.2.2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const LANGUAGE = /\u001b[A-Za-z-]{2,8}\u001b/g;
const MAX_HEADER_OFFSET = 1024;
/** Entries that contain no actions, and are not searched for scripts. */
const WITHOUT_ACTIONS = new Set(["Resources", "Contents", "StructTreeRoot", "Metadata", "PieceInfo", "AP", "Thumb"]);
/** Approximate memory per object that is searched. */
const VISIT_BYTES = 40;
const OBJECTS_AT_ONCE = 500;
/** Maximum number of levels of a fully qualified name. */
const MAX_LEVELS = 64;

export class DocumentFacts implements PageSource {
  readonly file: OpenPdf["file"];
  readonly signal: AbortSignal;
  readonly #pdf: OpenPdf;
  readonly #source: SourceDocument;
  #metadata: DocumentMetadata | undefined;
  #inXmp: ReturnType<typeof textsIn> | undefined;
  #fonts: ReturnType<typeof findFontKinds> | undefined;

  /** @param pdf opened with `asIs`, so that it still has its signatures */
  constructor(pdf: OpenPdf, { signal }: Pick<Context, "signal">) {
    this.#pdf = pdf;
    this.file = pdf.file;
    this.signal = signal;
    this.#source = new SourceDocument(pdf.file);
  }

  get pages() {
    return this.#source.pages;
  }

  /**
   * PDF version and level of Adobe's extensions, for example `1.7.3`; the level is 0 without extensions (ISO 32000-1,
   * 7.12). If header and catalog declare different versions, the higher one applies (7.5.2).
   */
  get version(): string {
    const beginning = latin1Of(this.#pdf.bytes.subarray(0, MAX_HEADER_OFFSET));
    const header = /%PDF-(\d\.\d)/.exec(beginning)?.[1] ?? "";
    const version = [header, this.file.version].toSorted()[1];
    const developer = this.file.dictionary(this.file.dictionary(this.file.catalog.get("Extensions"))?.get("ADBE"));
    return `${version}.${Math.trunc(this.file.number(developer?.get("ExtensionLevel")) ?? 0)}`;
  }

  get #information(): Dictionary | undefined {
    return this.file.dictionary(this.file.trailer.get("Info"));
  }

  /**
   * Returns the text of an entry of the Info dictionary, or of the equivalent XMP property if the dictionary lacks the
   * entry; empty if both are missing.
   */
  information(entry: InfoEntry): string {
    return this.#text(this.#information?.get(entry)) ?? this.#textInXmp(entry);
  }

  /** Returns a date without its time zone, such as `2014-11-20T10:22:59`; empty if the date is missing or invalid. */
  date(entry: InfoEntry): string {
    const inXmp = XMP_DATE.exec(this.#textInXmp(entry))?.[0].replace(/[-T:]/g, "") ?? "";
    const date = readDate(this.#text(this.#information?.get(entry)) ?? "") ?? readDate(inXmp);
    return date?.xmp.slice(0, 19) ?? "";
  }

  #textInXmp(entry: InfoEntry): string {
    const { packet } = this.#declared;
    this.#inXmp ??= packet ? textsIn(packet, IN_XMP) : new Map();
    return this.#inXmp.get(INFO_ENTRIES[entry]) ?? "";
  }

  /**
   * Returns the entries of the Info dictionary that the standard does not define, and those that only the XMP metadata
   * have; null if there are none.
   */
  get customInformation(): Readonly<Record<string, string>> | null {
    const { packet } = this.#declared;
    const custom = new Map(packet ? customEntriesIn(packet) : []);
    for (const [key, value] of this.#information ?? []) {
      const text = KNOWN_ENTRIES.has(key) ? undefined : this.#text(value);
      if (text !== undefined) custom.set(nameText(key), text);
    }
    return custom.size > 0 ? Object.fromEntries(custom) : null;
  }

  get language(): string {
    return this.#text(this.file.catalog.get("Lang")) ?? "";
  }

  #text(value: Value | undefined): string | undefined {
    // Apple's software stores an array of keywords.
    const list = this.file.array(value)?.map((element) => this.#simpleText(element));
    return list ? list.filter((text) => text !== undefined).join(", ") : this.#simpleText(value);
  }

  #simpleText(value: Value | undefined): string | undefined {
    const object = this.file.resolve(value);
    if (object instanceof PdfString) return decodeTextString(object).replace(LANGUAGE, "").toWellFormed();
    if (object instanceof Name) return nameText(object.text);
    // Fractions were read as 32-bit floats, which have seven significant digits.
    if (typeof object === "number") return String(Number.isInteger(object) ? object : Number(object.toPrecision(7)));
    return typeof object === "boolean" ? String(object) : undefined;
  }

  get #declared(): DocumentMetadata {
    this.#metadata ??= metadataOf(this);
    return this.#metadata;
  }

  /** Standards, such as PDF/A, to which the metadata declare conformance. */
  get claims() {
    return this.#declared.claims;
  }

  get isTagged(): boolean {
    return this.file.boolean(this.file.dictionary(this.file.catalog.get("MarkInfo"))?.get("Marked")) === true;
  }

  /** True if the document does not open without a password. */
  get needsPassword(): boolean {
    const { needsPassword, isInTheClear } = this.#pdf.source.access;
    return needsPassword && !isInTheClear;
  }

  /** True if the document forbids any action to users without the owner password. */
  get isRestricted(): boolean {
    const encryption = this.#pdf.source.encryption();
    if (!encryption) return false;
    const permissions = this.file.number(encryption.get("P")) ?? -1;
    return restrictsAnything(permissions, this.file.number(encryption.get("R")) ?? 0);
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

  /** True if there is a form with fields, including fields that are on pages but missing from the form's list. */
  get hasFields(): boolean {
    return this.#form !== undefined && this.#fields.length > 0;
  }

  /** True if a field is signed. */
  get isSigned(): boolean {
    return this.signed().next().done !== true;
  }

  /** Returns the signatures in signature fields. */
  get signatures(): readonly SignatureFact[] {
    const reader = new SignatureReader(this.file, this.#pdf.bytes);
    return [...this.signed()].map(([field, signature]) => reader.read(field, signature));
  }

  /** Yields the full names of signed fields, and their signatures. */
  *signed(): Generator<[field: string, signature: Dictionary]> {
    const { file } = this;
    const seen = new Set<number>();
    const fields = this.#fields;
    for (const { type, reference, parent, isField, name = "" } of fields) {
      if (type !== "Sig") continue;
      const value = file.dictionary(reference)?.get("V") ?? file.dictionary(fields[parent]?.reference)?.get("V");
      const signature = file.dictionary(value);
      if (!signature || file.array(signature.get("ByteRange")) === undefined) continue;
      // A field and its widgets share one signature.
      if (value instanceof Reference && seen.size === seen.add(value.number).size) continue;
      const names: string[] = isField ? [name] : [];
      for (let above = fields[parent]; above && names.length < MAX_LEVELS; above = fields[above.parent]) {
        if (above.name !== undefined) names.unshift(above.name);
      }
      yield [names.join(".").toWellFormed(), signature];
    }
  }

  get #fields() {
    return this.#source.once(findFields)?.nodes ?? [];
  }

  /** True if files are attached to the document, or to a page by an annotation. */
  get hasEmbeddedFiles(): boolean {
    return this.#attached().next().done !== true;
  }

  /** Returns the files that are attached to the document, or to a page by an annotation, each once. */
  get attachments(): readonly AttachedFile[] {
    const seen = new Set<number>();
    return [...this.#attached()].flatMap((value) => {
      if (value instanceof Reference && seen.size === seen.add(value.number).size) return [];
      this.file.budget.charge(VISIT_BYTES);
      return [attachedFile(this.file, value)];
    });
  }

  *#attached(): Generator<Value> {
    const { file } = this;
    yield* readNameTree(file, file.dictionary(file.catalog.get("Names"))?.get("EmbeddedFiles")).values();
    for (const annotation of this.#annotations()) {
      const value = annotation.get("FS");
      if (file.name(annotation.get("Subtype")) === "FileAttachment" && value !== undefined) yield value;
    }
  }

  /** Searches all objects that can contain actions. */
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
      // A rendition action can also contain a script (ISO 32000-1, 12.6.4.13).
      const action = file.name(dictionary.get("S"));
      if (action === "JavaScript" || (action === "Rendition" && dictionary.has("JS"))) return true;
      for (const [key, value] of dictionary) if (!WITHOUT_ACTIONS.has(key)) waiting.push(value);
    }
    return false;
  }

  /** Kinds of fonts on the pages: embedded, not embedded, or both. */
  get fonts() {
    this.#fonts ??= findFontKinds(this);
    return this.#fonts;
  }

  listFonts() {
    return listFonts(this);
  }

  listImages() {
    return listImages(this);
  }

  /** Returns the size of each page as it is shown, in points. */
  get sizes() {
    const rounded = (length: number) => Math.round(length * 1000) / 1000;
    return this.pages.map((page) => {
      const { width, height } = pageSize(this.file, page);
      return { page: page.index + 1, width: rounded(width), height: rounded(height) };
    });
  }

  /** Returns the boxes of each page, in the page's units (UserUnit). */
  get boxes() {
    return this.pages.map((page) => ({
      page: page.index + 1,
      ...pageBoxes(this.file, pageDictionary(this.file, page)),
    }));
  }
}
