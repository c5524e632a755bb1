// Assembles pages of one or several documents, in any order and with repeats, into a new file. Data that belongs to no
// page (outline, form, structure...) is handled by parts, one module each.
//
// A part is created for one result. The order of calls, for each input:
//   open(taking)   The source is open, and nothing is copied yet. The part reads its data from the source (through
//                  `source.once`, so that 500 results of one source read it once), maps or drops objects with
//                  `copier.seed`, and adds visitors with `copier.onVisit`.
//   page(...)      Called for every selected page, before it is copied and visited. The part can change the page
//                  dictionary, for example Annots, StructParents or AA. New values must belong to the source.
//   close(taking)  All pages of this input, and all objects reachable from them, are copied. The part copies its own
//                  objects (`copier.value`, `copier.reference`) before the source is closed.
// After the last input:
//   finish(result) The part adds its entry to the catalog.
// A stream is written as soon as it is put into the target; later it can be referenced but not read. Other objects of
// the target can be changed until finish ends.
//
// Omitted pages are never copied: every reference to an omitted page becomes null. The intermediate nodes of the
// source's page tree are omitted too. References to the source's catalog become references to the target's catalog. A
// part whose data grows with the document charges that memory to `source.file.budget`.

import { ResourceUsage } from "../content/resources.ts";
import type { Notice } from "../contract/notice.ts";
import { pdfaPart } from "../formats/xmp/claims.ts";
import type { Budget } from "../objects/budget.ts";
import { Copier } from "../objects/copier.ts";
import { Interning } from "../objects/interning.ts";
import { PdfFile } from "../objects/pdf-file.ts";
import { type Dictionary, Name, Reference, type Value } from "../objects/values.ts";
import { FileWriter } from "../objects/writer.ts";
import { metadataOf } from "./claims.ts";
import { putPageTree } from "./page-tree.ts";
import { pageDictionary } from "./pages.ts";
import type { SourceDocument } from "./source-document.ts";

/** A page of the result. */
export interface SelectedPage {
  /** Page in the source. */
  readonly source: Reference;
  /** Page index in the source, from 0. */
  readonly sourceIndex: number;
  /** Page in the target. */
  readonly target: Reference;
  /** Page index in the target, from 0. */
  readonly targetIndex: number;
  /**
   * Number of earlier copies of this page from this input. References to the page lead to its first copy. The
   * annotations of later copies are copied separately, by a copier whose `repeat` is `target`.
   */
  readonly repeat: number;
}

/** The pages selected from one input. */
export interface InputSelection {
  /** Index of the input, from 0. */
  readonly inputIndex: number;
  readonly inputCount: number;
  readonly source: SourceDocument;
  /** Pages in the order of the result. */
  readonly pages: readonly SelectedPage[];
  /** True if every page of the source is selected, in any order. */
  readonly isWhole: boolean;
  readonly copier: Copier;
  readonly result: AssemblyTarget;
  /** @returns the copies of this page in the result; empty for an omitted page or another object */
  copiesOf(page: Reference): readonly SelectedPage[];
}

export interface AssemblyTarget {
  readonly file: PdfFile;
  /** The target's catalog, to be changed in place. */
  readonly catalog: Dictionary;
  readonly inputCount: number;
  /** Number of pages added so far. */
  readonly pageCount: number;
  /** Receives notices of losses. */
  readonly report: Report;
}

type Report = (...notices: readonly Notice[]) => void;

export interface DocumentPart {
  open?(taking: InputSelection): void;
  page?(page: Dictionary, taken: SelectedPage, taking: InputSelection): void;
  close?(taking: InputSelection): void;
  finish?(result: AssemblyTarget): void;
}

/** Creates the part for one result. */
export type PartFactory = () => DocumentPart;

/** An input, and the selection of its pages. */
export interface AssemblyInput {
  /** Opens the input. Called after the previous input was copied. */
  open(): Promise<SourceDocument>;
  /**
   * @param pageCount of the source
   * @returns page numbers from 1; an empty list skips the source. At least one input must have pages.
   * @throws OutOfRange if a page does not exist
   */
  select(pageCount: number): readonly number[];
  /** Closes the input when it is no longer needed, even after a failure. */
  close(source: SourceDocument): void;
}

/** Number of pending bytes that form an output chunk. */
const PENDING_BYTES = 256 * 1024;
/**
 * Page entries that refer to the whole document and would be wrong in another document: article threads, document
 * parts, separations (ISO 32000-1, 12.4.3 and 14.11.4; ISO 32000-2, 14.12).
 */
const LEFT_BEHIND = ["B", "DPart", "SeparationInfo"];

/**
 * Writes the selected pages, input by input, to a new file.
 * @param factories create the document parts that accompany the pages
 * @param budget for the objects of the result
 * @param report receives notices of losses, before the last chunk
 * @returns chunks that the caller owns
 */
export async function* assemble(
  inputs: readonly AssemblyInput[],
  factories: readonly PartFactory[],
  budget: Budget,
  signal: AbortSignal,
  report: Report = () => {},
): AsyncGenerator<Uint8Array> {
  const assembly = new Assembly(inputs.length, factories, budget, report);
  for (const input of inputs) {
    signal.throwIfAborted();
    const source = await input.open();
    try {
      const pageNumbers = input.select(source.pages.length);
      if (pageNumbers.length === 0) continue;
      for (const _ of assembly.take(source, pageNumbers)) {
        signal.throwIfAborted();
        yield* assembly.bytes();
        await source.file.relieve();
      }
    } finally {
      input.close(source);
    }
  }
  yield* assembly.finish();
}

class Assembly {
  readonly #inputCount: number;
  readonly #parts: readonly DocumentPart[];
  readonly #interning: Interning | undefined;
  readonly #file: PdfFile;
  readonly #report: Report;
  readonly #kids: Reference[] = [];
  #writer: FileWriter | undefined;
  /** `#written`: the version in the header. `#version`: the highest version of all inputs. */
  #written = "";
  #version = "";
  #inputIndex = 0;

  constructor(inputCount: number, factories: readonly PartFactory[], budget: Budget, report: Report) {
    this.#inputCount = inputCount;
    this.#report = report;
    this.#parts = factories.map((make) => make());
    this.#interning = inputCount > 1 ? new Interning(budget) : undefined;
    this.#file = PdfFile.create(budget, { writeStream: (...stream) => this.#writer!.writeStream(...stream) });
  }

  /** Copies pages of one input, and yields output between steps. */
  *take(source: SourceDocument, pageNumbers: readonly number[]): Generator<void> {
    this.#begin(source);
    const taking = this.#taking(source, pageNumbers);
    const { copier } = taking;
    for (const part of this.#parts) part.open?.(taking);
    for (const taken of taking.pages) {
      this.#takePage(taken, taking);
      yield* this.#copyAll(copier);
    }
    for (const part of this.#parts) part.close?.(taking);
    yield* this.#copyAll(copier);
    this.#inputIndex++;
  }

  /** @returns the bytes written since the last call */
  *bytes(): Generator<Uint8Array> {
    if (this.#writer) yield* this.#writer.take();
  }

  async *finish(): AsyncGenerator<Uint8Array> {
    const result = this.#result();
    for (const part of this.#parts) part.finish?.(result);
    result.catalog.set("Pages", putPageTree(this.#file, this.#kids));
    // The catalog's Version takes effect only if it is higher than the version in the header (table 28).
    if (this.#version > this.#written) result.catalog.set("Version", Name.of(this.#version));
    yield* this.#writer!.finish(this.#file);
  }

  #begin(source: SourceDocument): void {
    const { version } = source.file;
    if (!this.#writer) {
      this.#writer = new FileWriter(version, "kept", { classic: pdfaPart(source.once(metadataOf).claims) === 1 });
      this.#written = version;
    }
    if (version > this.#version) this.#version = version;
  }

  #result(): AssemblyTarget {
    const { catalog } = this.#file;
    const { length: pageCount } = this.#kids;
    return { file: this.#file, catalog, inputCount: this.#inputCount, pageCount, report: this.#report };
  }

  #taking(source: SourceDocument, pageNumbers: readonly number[]): InputSelection {
    const takes = new Map<number, SelectedPage[]>();
    const pages = pageNumbers.map((pageNumber): SelectedPage => {
      const { reference, index } = source.pages[pageNumber - 1]!;
      const before = takes.get(reference.number) ?? [];
      if (before.length === 0) takes.set(reference.number, before);
      const place = { target: this.#file.reserve(), targetIndex: this.#kids.length };
      const taken = { source: reference, sourceIndex: index, ...place, repeat: before.length };
      this.#kids.push(taken.target);
      before.push(taken);
      return taken;
    });
    const copier = Copier.between(source.file, this.#file, {
      isExcluded: (number) => source.isInPageTree(number),
      ...(this.#interning ? { interning: this.#interning } : {}),
    });
    const root = source.file.trailer.get("Root");
    if (root instanceof Reference) copier.seed(root, this.#file.trailer.get("Root") as Reference);
    for (const { source: page, target, repeat } of pages) if (repeat === 0) copier.seed(page, target);
    const isWhole = takes.size === source.distinctPageCount;
    if (!isWhole) copier.onVisit((dictionary, reference) => pruneObject(dictionary, reference, source));
    return {
      inputIndex: this.#inputIndex,
      inputCount: this.#inputCount,
      source,
      pages,
      isWhole,
      copier,
      result: this.#result(),
      copiesOf: ({ number }) => takes.get(number) ?? [],
    };
  }

  #takePage(taken: SelectedPage, taking: InputSelection): void {
    const { source } = taking;
    const page = pageDictionary(source.file, source.pages[taken.sourceIndex]!);
    for (const key of LEFT_BEHIND) page.delete(key);
    if (!taking.isWhole) {
      const resources = source.once(usageOf).ofPage(page);
      if (resources) page.set("Resources", resources);
    }
    for (const part of this.#parts) part.page?.(page, taken, taking);
    const copier = taken.repeat === 0 ? taking.copier : repeatCopier(page, taken, taking);
    const copy = copier.dictionary(page, taken.source);
    this.#file.put(taken.target, copy.set("Type", Name.of("Page")));
  }

  /** Copies all queued objects, and yields output when there is enough. */
  *#copyAll(copier: Copier): Generator<void> {
    while (copier.step()) if (this.#writer!.pendingBytes > PENDING_BYTES) yield;
    yield;
  }
}

const usageOf = ({ file }: SourceDocument) => new ResourceUsage(file);

/** Removes unused resources from an object that shares its resource dictionary with omitted pages. */
function pruneObject(dictionary: Dictionary, reference: Reference | undefined, source: SourceDocument): void {
  if (!reference || !dictionary.has("Resources") || source.isInPageTree(reference.number)) return;
  const resources = source.once(usageOf).ofObject(dictionary, reference);
  if (resources) dictionary.set("Resources", resources);
}

/** Returns a copier for a repeated page: an annotation and its popup belong to one page only (ISO 32000-1, 12.5.2). */
function repeatCopier(page: Dictionary, { source, target }: SelectedPage, taking: InputSelection): Copier {
  const { file } = taking.source;
  const own = new Set<number>();
  const add = (value: Value | undefined) => {
    if (value instanceof Reference) own.add(value.number);
  };
  for (const annotation of file.array(page.get("Annots")) ?? []) {
    add(annotation);
    add(file.dictionary(annotation)?.get("Popup"));
  }
  return taking.copier.forRepeat(own, source, target);
}
