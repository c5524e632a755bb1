// A document that pages are taken from: its objects, its pages, and what was found out about it once for all outputs.

import type { PdfFile } from "../objects/pdf-file.ts";
import type { Reference } from "../objects/values.ts";
import { readPages, type SourcePage } from "./pages.ts";

export class SourceDocument {
  readonly file: PdfFile;
  readonly pages: readonly SourcePage[];
  /** By object number: the index of a page, from 0; the first, where the page tree has it several times. */
  readonly #indexes = new Map<number, number>();
  readonly #nodes: ReadonlySet<number>;
  readonly #found = new Map<unknown, unknown>();

  /** @throws EngineFailure `damaged` where it has no pages */
  constructor(file: PdfFile) {
    const { pages, nodes } = readPages(file);
    this.file = file;
    this.pages = pages;
    this.#nodes = new Set(nodes.map(({ number }) => number));
    for (const { reference, index } of pages) {
      if (!this.#indexes.has(reference.number)) this.#indexes.set(reference.number, index);
    }
  }

  /** @returns from 0; undefined for what is no page */
  pageIndex(reference: Reference): number | undefined {
    return this.#indexes.get(reference.number);
  }

  isPage(number: number): boolean {
    return this.#indexes.has(number);
  }

  /** Pages, each counted once. */
  get distinctPageCount(): number {
    return this.#indexes.size;
  }

  /** @param number of an object: whether it is a page or a node above pages */
  isInPageTree(number: number): boolean {
    return this.#indexes.has(number) || this.#nodes.has(number);
  }

  /**
   * What `find` gives, found once for a document however many outputs it has.
   * @param find the same function every time
   */
  once<T>(find: (document: SourceDocument) => T): T {
    if (!this.#found.has(find)) this.#found.set(find, find(this));
    return this.#found.get(find) as T;
  }
}
