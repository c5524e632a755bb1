// A file during its conversion to PDF/A. All its objects are copied from the source, so that they can be changed in
// place.
import { readBox } from "../content/boxes.ts";
import type { Box } from "../content/matrix.ts";
import type { FontProvider } from "../contract/font-provider.ts";
import type { Notice } from "../contract/notice.ts";
import type { MupdfSource } from "../objects/engine/mupdf-source.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import {
  Dictionary,
  Name,
  type PdfObject,
  PdfStream,
  PdfString,
  plainBody,
  Reference,
  type Value,
} from "../objects/values.ts";
import { putPageTree } from "../pages/page-tree.ts";
import { pageDictionary, readPages } from "../pages/pages.ts";
import { checkAnnotations } from "./content/content-count.ts";
import type { PdfaLevel } from "./level.ts";
import type { RuleFailure } from "./rule-failure.ts";

/** A dictionary of the file, or the dictionary of a stream, with the entry in which it was first found. */
export interface FoundDictionary {
  readonly dictionary: Dictionary;
  /** Key of the entry that contains the dictionary, directly or in an array, for example a resource name. */
  readonly key: string;
  /** Key of the entry that contains the enclosing dictionary, for example the resource category. */
  readonly above: string;
  /** Reference to the dictionary, if it is an indirect object. */
  readonly reference: Reference | undefined;
  readonly isStream: boolean;
}

/** Number of objects between checks of the signal and of the engine's heap. */
const OBJECTS_AT_ONCE = 500;
/** Approximate memory per found dictionary. */
const PLACE_BYTES = 80;

export interface Task {
  readonly level: PdfaLevel;
  /** Rules that the result of the previous attempt breaks. */
  readonly failures: readonly RuleFailure[];
  readonly signal: AbortSignal;
  readonly source: MupdfSource;
  readonly reopen: () => Promise<MupdfSource>;
  /** Provides replacement fonts. */
  readonly fonts: FontProvider;
  /**
   * Converts an attached PDF to PDF/A-2b, if possible.
   * @default attachments are not converted
   */
  readonly convert?: (pdf: Uint8Array) => Promise<Uint8Array | undefined>;
  /** Receives notices of losses. @default losses are not reported */
  readonly report?: (...notices: readonly Notice[]) => void;
}

export class PdfaDocument {
  readonly file: PdfFile;
  readonly level: PdfaLevel;
  readonly signal: AbortSignal;
  /** Source of the file. Its objects have the same numbers in `file`. */
  readonly source: MupdfSource;
  /** Opens the same document again. The caller must close it. */
  readonly reopen: () => Promise<MupdfSource>;
  readonly convert: Task["convert"];
  readonly report: NonNullable<Task["report"]>;
  /** The pages, whose dictionaries include the inherited entries. */
  readonly pages: readonly Reference[];
  /** Number of annotations on all pages when the file was opened. */
  readonly annotationCount: number;
  /**
   * Number of old user units per new one, by the object number of each page whose unit changed. The page in the source
   * still has the old unit.
   */
  readonly units = new Map<number, number>();
  readonly #failures: readonly RuleFailure[];
  /** Numbers of objects that can be changed in place. */
  readonly #own = new Set<number>();
  #places: readonly FoundDictionary[] = [];
  #values: readonly Reference[] = [];
  #noResources: Reference | undefined;

  private constructor(file: PdfFile, task: Task) {
    const { level, failures, signal, source, reopen, convert, report = () => {} } = task;
    this.file = file;
    this.level = level;
    this.signal = signal;
    this.source = source;
    this.reopen = reopen;
    this.convert = convert;
    this.report = report;
    this.#failures = failures;
    this.pages = ownPages(file);
    this.annotationCount = annotationCount(file, this.pages);
  }

  /**
   * @throws EngineFailure `damaged` if there are no pages, `too-large` if there is no memory for all objects,
   * `too-much-content` if there are too many annotations
   */
  static async open(file: PdfFile, task: Task): Promise<PdfaDocument> {
    const document = new PdfaDocument(file, task);
    // This check precedes the survey, which would take long with very many annotations.
    checkAnnotations(document.annotationCount);
    await document.survey();
    return document;
  }

  /** All dictionaries, as of the last {@link survey}. */
  get places(): readonly FoundDictionary[] {
    return this.#places;
  }

  /** Indirect objects that are neither dictionaries nor streams, as of the last {@link survey}. */
  get values(): readonly Reference[] {
    return this.#values;
  }

  /** Reports whether the result of the previous attempt broke a rule. */
  failed(clause: string, test?: number): boolean {
    return this.#failures.some((failure) => failure.clause === clause && (test ?? failure.test) === failure.test);
  }

  /** Returns the dictionary of a page. */
  page(reference: Reference): Dictionary {
    return this.file.dictionary(reference) ?? new Dictionary();
  }

  /** Returns a reference to an empty dictionary, which all streams without resources share. */
  noResources(): Reference {
    this.#noResources ??= this.file.add(new Dictionary());
    return this.#noResources;
  }

  /**
   * Finds all dictionaries reachable from the trailer, and copies them to the file, where they can be changed in place.
   */
  async survey(): Promise<void> {
    const { file } = this;
    const places: FoundDictionary[] = [];
    const values: Reference[] = [];
    const seen = new Set<number>();
    const waiting: { readonly value: Value; readonly key: string; readonly above: string }[] = [];
    for (const key of ["Info", "Root"]) {
      const value = file.trailer.get(key);
      if (value !== undefined) waiting.push({ value, key, above: "" });
    }
    let objects = 0;
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { value, key, above } = next;
      let object: PdfObject = value;
      if (value instanceof Reference) {
        if (seen.has(value.number)) continue;
        seen.add(value.number);
        object = this.#own.has(value.number) ? file.get(value) : adopted(file, value);
        this.#own.add(value.number);
        if (++objects % OBJECTS_AT_ONCE === 0) {
          this.signal.throwIfAborted();
          await file.relieve();
        }
      }
      const isStream = object instanceof PdfStream;
      const container = object instanceof PdfStream ? object.dictionary : object;
      if (value instanceof Reference && !(container instanceof Dictionary)) values.push(value);
      if (Array.isArray(container)) {
        for (const element of container) if (leadsOn(element)) waiting.push({ value: element, key, above });
      } else if (container instanceof Dictionary) {
        const reference = value instanceof Reference ? value : undefined;
        places.push({ dictionary: container, key, above, reference, isStream });
        for (const [name, element] of container)
          if (leadsOn(element)) waiting.push({ value: element, key: name, above: key });
      }
    }
    file.budget.charge(Math.max(0, places.length - this.#places.length) * PLACE_BYTES);
    this.#places = places;
    this.#values = values;
  }
}

const leadsOn = (value: Value) => value instanceof Reference || value instanceof Dictionary || Array.isArray(value);

/** Copies an object to the file, where it can be changed in place. */
function adopted(file: PdfFile, reference: Reference): PdfObject {
  const object = file.get(reference);
  if (object === null) return null;
  // A stream is decoded according to its dictionary in the source, which therefore must not change.
  const own = object instanceof PdfStream ? new PdfStream(object.dictionary.clone(), object.body) : object;
  file.put(reference, own);
  return own;
}

function annotationCount(file: PdfFile, pages: readonly Reference[]): number {
  let count = 0;
  for (const page of pages) count += file.array(file.dictionary(page)?.get("Annots"))?.length ?? 0;
  return count;
}

/** Creates a page tree in which no page inherits entries, and returns its pages. */
function ownPages(file: PdfFile): Reference[] {
  const { pages } = readPages(file);
  const seen = new Set<number>();
  const own = pages.map((page) => {
    const dictionary = pageDictionary(file, page).set("Type", Name.of("Page"));
    // A page that is listed twice becomes two pages.
    if (seen.has(page.reference.number)) return file.add(dictionary);
    seen.add(page.reference.number);
    file.put(page.reference, dictionary);
    return page.reference;
  });
  const catalog = file.catalog.clone();
  file.catalog = catalog;
  catalog.set("Pages", putPageTree(file, own));
  return own;
}

/** Returns an unfiltered stream with the given bytes. */
export function newStream(
  bytes: Uint8Array | string,
  entries: Dictionary | Readonly<Record<string, Value>>,
): PdfStream {
  const body = typeof bytes === "string" ? new Uint8Array(Buffer.from(bytes, "latin1")) : bytes;
  const dictionary = entries instanceof Dictionary ? entries.clone() : Dictionary.of(entries);
  for (const key of ["Filter", "DecodeParms", "DL", "F", "FFilter", "FDecodeParms"]) dictionary.delete(key);
  return new PdfStream(dictionary, plainBody(body));
}

/** Returns a rectangle as sorted numbers; undefined if the value is not a rectangle. */
export const rectangleOf = (file: PdfFile, value: Value | undefined): Box | undefined =>
  file.array(value)?.length === 4 ? readBox(file, value) : undefined;

export const isString = (value: PdfObject | undefined): value is PdfString => value instanceof PdfString;
