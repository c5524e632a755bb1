// Visits every reachable object once, and records content streams, fonts and resources.
import { pdfaPart, readClaims } from "../formats/xmp/claims.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, type PdfObject, PdfStream, Reference, type Value } from "../objects/values.ts";

export interface Survey {
  /** Object numbers of the content streams of pages, forms, patterns and glyphs. */
  readonly contents: ReadonlySet<number>;
  /** Font dictionaries, including those within Type 0 fonts. */
  readonly fonts: readonly Reference[];
  /** Object numbers of resource dictionaries whose entries are all kept, because not all their users are known. */
  readonly keptResources: ReadonlySet<number>;
  /** True if any object is painted with transparency. An image that is split into layers can then look different. */
  readonly isBlended: boolean;
  /** The PDF/A part that the metadata declare; 0 if they declare none. */
  readonly pdfaPart: number;
}

/** Number of objects between pauses, in which memory can be released. */
const OBJECTS_AT_A_STRETCH = 500;
/** Approximate memory per set entry. */
const ENTRY_BYTES = 40;
const MAX_METADATA_BYTES = 16 * 2 ** 20;

/** The source of objects: a file, or a view of a file without its discarded parts. */
export type Objects = Pick<PdfFile, "get">;

/** @param objects returns the objects to be written, without their discarded parts */
export async function surveyFile(file: PdfFile, objects: Objects, signal: AbortSignal): Promise<Survey> {
  const walk = new Walk(file);
  for (const value of [file.trailer.get("Root"), file.trailer.get("Info")]) walk.follow(value ?? null);
  for (let count = 0, next = walk.next(); next; next = walk.next()) {
    walk.look(objects.get(next), next);
    if (++count % OBJECTS_AT_A_STRETCH !== 0) continue;
    signal.throwIfAborted();
    await file.relieve();
  }
  return walk;
}

class Walk implements Survey {
  readonly contents = new Set<number>();
  readonly fonts: Reference[] = [];
  readonly keptResources = new Set<number>();
  isBlended = false;
  pdfaPart = 0;
  readonly #file: PdfFile;
  readonly #seen = new Set<number>();
  readonly #waiting: Reference[] = [];

  constructor(file: PdfFile) {
    this.#file = file;
  }

  next(): Reference | undefined {
    return this.#waiting.pop();
  }

  /** Visits nested arrays and dictionaries, without recursion, so that deep nesting cannot overflow the stack. */
  follow(value: Value): void {
    const open = [value];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (one instanceof Reference) this.#add(one);
      else if (Array.isArray(one)) for (const element of one) open.push(element);
      else if (one instanceof Dictionary) {
        this.#note(one);
        if (one !== value) this.#keepResources(one);
        for (const element of one.values()) open.push(element);
      }
    }
  }

  look(object: PdfObject, reference: Reference): void {
    if (object instanceof PdfStream) {
      if (this.#isContent(object.dictionary)) this.contents.add(reference.number);
      if (this.#name(object.dictionary.get("Type")) === "Metadata") this.#readMetadata(object);
      this.follow(object.dictionary);
      return;
    }
    if (object instanceof Dictionary && this.#isFont(object)) this.fonts.push(reference);
    this.follow(object);
  }

  #add(reference: Reference): void {
    if (this.#seen.has(reference.number)) return;
    this.#file.budget.charge(ENTRY_BYTES);
    this.#seen.add(reference.number);
    this.#waiting.push(reference);
  }

  #note(dictionary: Dictionary): void {
    if (this.#blends(dictionary)) this.isBlended = true;
    const form = dictionary.get("DR");
    if (form instanceof Reference) this.keptResources.add(form.number);
    const isPage = this.#name(dictionary.get("Type")) === "Page";
    if (isPage) this.#addContents(dictionary.get("Contents"));
    const glyphs = dictionary.get("CharProcs");
    if (glyphs !== undefined) {
      for (const glyph of this.#file.dictionary(glyphs)?.values() ?? []) this.#addContents(glyph);
    }
  }

  /** Reports whether a dictionary sets transparency (ISO 32000-1, 11.6.4.4, 11.6.4.3 and 11.5.2). */
  #blends(dictionary: Dictionary): boolean {
    const mode = dictionary.get("BM");
    if (mode !== undefined && this.#name(mode) !== "Normal" && this.#name(mode) !== "Compatible") return true;
    const [fill, stroke] = [dictionary.get("ca"), dictionary.get("CA")];
    if ((typeof fill === "number" && fill < 1) || (typeof stroke === "number" && stroke < 1)) return true;
    const kind = this.#name(dictionary.get("S"));
    return (kind === "Alpha" || kind === "Luminosity") && dictionary.has("G");
  }

  /** Keeps all resources of a direct dictionary: it has no object number by which their use could be recorded. */
  #keepResources(dictionary: Dictionary): void {
    const resources = dictionary.get("Resources");
    if (resources instanceof Reference) this.keptResources.add(resources.number);
  }

  #addContents(value: Value | undefined): void {
    for (const part of this.#file.array(value) ?? [value])
      if (part instanceof Reference) this.contents.add(part.number);
  }

  #isContent(dictionary: Dictionary): boolean {
    return this.#name(dictionary.get("Subtype")) === "Form" || dictionary.get("PatternType") === 1;
  }

  #isFont(dictionary: Dictionary): boolean {
    if (this.#name(dictionary.get("Type")) === "Font") return true;
    return dictionary.has("BaseFont") && dictionary.has("Subtype");
  }

  #name(value: Value | undefined): string | undefined {
    return value instanceof Name ? value.text : undefined;
  }

  #readMetadata({ body }: PdfStream): void {
    try {
      const part = pdfaPart(readClaims(body.decoded(MAX_METADATA_BYTES)));
      if (part > 0) this.pdfaPart = part;
    } catch {
      // Unreadable metadata declare nothing.
    }
  }
}
