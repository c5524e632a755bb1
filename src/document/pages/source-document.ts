// A document from which pages are copied: its objects, its pages, and data that is collected once for all outputs.

import type { PdfFile } from "../objects/pdf-file.ts";
import type { Reference } from "../objects/values.ts";
import { readPages, type SourcePage } from "./pages.ts";

export class SourceDocument {
  readonly file: PdfFile;
  readonly pages: readonly SourcePage[];
  /** Page index, from 0, by object number. A page that occurs several times in the page tree has its first index. */
  readonly #indexes = new Map<number, number>();
  readonly #nodes: ReadonlySet<number>;
  readonly #found = new Map<unknown, unknown>();

  /** @throws EngineFailure `damaged` if the document has no pages */
  constructor(file: PdfFile) {
    const { pages, nodes } = readPages(file);
    this.file = file;
    this.pages = pages;
    this.#nodes = new Set(nodes.map(({ number }) => number));
    for (const { reference, index } of pages) {
      if (!this.#indexes.has(reference.number)) this.#indexes.set(reference.number, index);
    }
  }

  /** @returns the page index, from 0; undefined if the object is not a page */
  pageIndex(reference: Reference): number | undefined {
    return this.#indexes.get(reference.number);
  }

  isPage(number: number): boolean {
    return this.#indexes.has(number);
  }

  /** Number of pages. Repeated pages count once. */
  get distinctPageCount(): number {
    return this.#indexes.size;
  }

  /** Reports whether the object with this number is a page or an intermediate node. */
  isInPageTree(number: number): boolean {
    return this.#indexes.has(number) || this.#nodes.has(number);
  }

  /**
   * Returns the result of `find`, which runs once per document, regardless of the number of outputs.
   * @param find must be the same function each time
   */
  once<T>(find: (document: SourceDocument) => T): T {
    if (!this.#found.has(find)) this.#found.set(find, find(this));
    return this.#found.get(find) as T;
  }
}
