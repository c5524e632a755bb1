// Provides the pages of a document as small PDFs, and the properties of the document. Stored objects of a document:
//   facts             page sizes, labels and bookmarks
//   group-<n>         pages 32n + 1 to 32n + 32, except large ones; the index at its start has the size of each
//   page-<n mod 128>  one page alone, preceded by its number: a large page, or a requested one whose group is not stored
// The first request for a page extracts only this page. The groups are extracted after the response.

import { OutOfRange } from "../../document/contract/failure.ts";
import { LIMITS } from "../../document/contract/limits.ts";
import type { Output } from "../../document/contract/operation.ts";
import {
  type DocumentProperties,
  findInGroup,
  groupOf,
  PAGES_PER_GROUP,
  type PageEntry,
  parseProperties,
} from "../../document/pages/page-groups.ts";
import { type ExtractPagesParams, extractPages } from "../../operations/extract-pages.ts";
import { yieldToEventLoop } from "../../runtime/delay.ts";
import { noSuchFile, noSuchPage } from "../http/contract/errors.ts";
import { edgeJob } from "../placement/placement.ts";
import type { Semaphore } from "../placement/semaphore.ts";
import type { ExtractedPage } from "./extracted-page.ts";
import { type PageServices, type PagesDocument, runPageJob } from "./pages-service.ts";

const FACTS = "facts";
const groupName = (group: number) => `group-${group}`;
/**
 * Maximum number of standalone pages per document. Pages whose numbers are equal modulo this number replace each other.
 */
const STANDALONE_PAGES = 128;
const standaloneName = (page: number) => `page-${page % STANDALONE_PAGES}`;
/** Number of bytes before a standalone page. They contain the page number. */
const NUMBER_BYTES = 4;
/** Size of the first read of a group. It contains the index and usually the page. */
const START_BYTES = 2 ** 16;
/**
 * Number of groups that are extracted with one permit. Reopening the document for each group would take as long as the
 * extraction itself.
 */
const GROUPS_PER_PERMIT = 2;

/** @throws EngineFailure the failure that the document caused */
export async function documentProperties(document: PagesDocument, service: PageServices, signal: AbortSignal) {
  return service.shared.facts.run(document.file.id, signal, (signal) => {
    const facts = findFacts(document, service, signal);
    service.waitUntil(facts.catch(() => {}));
    return facts;
  });
}

/**
 * @param number page number, from 1
 * @throws ServiceError 404 if there is no such page
 * @throws EngineFailure the failure that the document caused
 */
export async function findPage(
  document: PagesDocument,
  number: number,
  service: PageServices,
  signal: AbortSignal,
): Promise<ExtractedPage> {
  const openPage = service.shared.openPages.find({ id: document.file.id, number });
  if (openPage) return openPage;
  return service.shared.pages.run(`${document.file.id} ${number}`, signal, (signal) => {
    const page = new PageStore(document, service, signal).find(number);
    service.waitUntil(page.catch(() => {}));
    return page;
  });
}

async function findFacts(
  document: PagesDocument,
  service: PageServices,
  signal: AbortSignal,
): Promise<DocumentProperties> {
  const pageStore = new PageStore(document, service, signal);
  const known = await pageStore.facts();
  if (known) return known;
  const { facts } = await pageStore.extract({ facts: true });
  service.defer(() => new PageStore(document, service, NEVER).extractAhead(0, facts!.pageCount));
  return facts!;
}

interface Extracted {
  readonly facts?: DocumentProperties;
  /** PDF of the page. Empty if the page is too large to store. */
  readonly page?: Uint8Array;
}

class PageStore {
  readonly #document: PagesDocument;
  readonly #service: PageServices;
  readonly #signal: AbortSignal;

  constructor(document: PagesDocument, service: PageServices, signal: AbortSignal) {
    this.#document = document;
    this.#service = service;
    this.#signal = signal;
  }

  /** @throws ServiceError 404 if there is no such page */
  async find(number: number): Promise<ExtractedPage> {
    const start = await this.#read(groupName(groupOf(number)), { offset: 0, length: START_BYTES });
    if (!start) return this.#beforeGroups(number);
    const extent = findInGroup(start, number);
    if (!extent) throw noSuchPage();
    return extent.length > 0 ? this.#pageOfGroup(number, extent, start) : this.#standalone(number, extent);
  }

  async facts(): Promise<DocumentProperties | undefined> {
    const bytes = await this.#read(FACTS);
    return bytes && parseProperties(bytes);
  }

  /**
   * Extracts properties, a page or groups, depending on the parameters. Stores extracted properties and groups.
   * @param semaphore semaphore that limits the extraction. @default the semaphore for extractions that a client waits
   *   for
   */
  async extract(
    params: ExtractPagesParams,
    semaphore: Semaphore = this.#service.shared.extractionSemaphore.for(this.#service.client),
  ): Promise<Extracted> {
    const { shared, store } = this.#service;
    const { file, input } = this.#document;
    const extracted: { facts?: DocumentProperties; page?: Uint8Array } = {};
    const receive = async (output: Output) => {
      if (output.extension === "json") {
        const bytes = await wholeOf(output, Number.POSITIVE_INFINITY);
        extracted.facts = parseProperties(bytes);
        await store.pageFiles.put(file, FACTS, bytes);
      } else if (output.extension === "pdf") {
        extracted.page = await wholeOf(output, LIMITS.extractedPageBytes);
      } else {
        const bytes = await wholeOf(output, Number.POSITIVE_INFINITY);
        await store.pageFiles.put(file, groupName(Number(output.name)), bytes);
        await yieldToEventLoop();
      }
    };
    await shared.withFailureCache(`${file.id} ${params.page ?? ""} extracted`, async () => {
      using _permit = await semaphore.acquire(this.#signal);
      await runPageJob(
        edgeJob(extractPages, params),
        [input],
        { service: this.#service, signal: this.#signal },
        receive,
      );
    });
    return extracted;
  }

  /**
   * Extracts the groups of pages, starting with the group `first`, up to `LIMITS.extractedGroups` groups. Releases the
   * permit after every few groups, so that other jobs can run.
   */
  async extractAhead(first: number, pageCount: number): Promise<void> {
    const { shared, log } = this.#service;
    const { id } = this.#document.file;
    if (shared.extracting.has(id)) return;
    shared.extracting.add(id);
    const groups = Math.ceil(pageCount / PAGES_PER_GROUP);
    const order = [...Array(groups).keys()].map((index) => (first + index) % groups).slice(0, LIMITS.extractedGroups);
    try {
      for (let at = 0; at < order.length; ) {
        const from = order[at]!;
        // The first extraction contains only one group, because requests for neighboring pages probably follow soon.
        const most = at === 0 ? 1 : GROUPS_PER_PERMIT;
        const count = Math.min(most, order.length - at, groups - from);
        await this.extract({ facts: false, groups: { first: from, count } }, shared.prefetchSemaphore);
        at += count;
        await yieldToEventLoop();
      }
    } catch (error) {
      log("pages not extracted ahead", { error: String(error) });
    } finally {
      shared.extracting.delete(id);
    }
  }

  /**
   * Returns a page whose group is not stored yet. If an earlier request has not stored the page, extracts it, and
   * stores it after the response. After the response, also extracts the groups of pages, as `extractAhead` does.
   */
  async #beforeGroups(number: number): Promise<ExtractedPage> {
    const known = await this.facts();
    if (number > (known?.pageCount ?? LIMITS.selectedPages)) throw noSuchPage();
    const stored = known && (await this.#readStandalone(number));
    const extracted = stored ? undefined : await this.#extractPage(number, !known);
    const facts = known ?? extracted!.facts!;
    const page = stored ?? extracted!.page;
    const later = new PageStore(this.#document, this.#service, NEVER);
    this.#service.defer(async () => {
      if (!stored) await later.#putStandalone(number, page);
      await later.extractAhead(groupOf(number), facts.pageCount);
    });
    const [width, height] = facts.sizes[number - 1]!;
    return extractedPage({ width, height }, page);
  }

  /** @param facts true if the document's properties are extracted, too */
  async #extractPage(page: number, facts: boolean) {
    try {
      const extracted = await this.extract({ facts, page });
      return { ...extracted, page: extracted.page! };
    } catch (error) {
      throw error instanceof OutOfRange ? noSuchPage() : error;
    }
  }

  async #pageOfGroup(
    number: number,
    { width, height, offset, length }: PageEntry,
    start: Uint8Array,
  ): Promise<ExtractedPage> {
    const isRead = offset + length <= start.length;
    if (isRead) return { width, height, pdf: start.slice(offset, offset + length) };
    const pdf = await this.#read(groupName(groupOf(number)), { offset, length });
    // The document was deleted in the meantime.
    if (!pdf) throw noSuchFile();
    return { width, height, pdf };
  }

  /** Returns a page that is too large to be stored in its group. */
  async #standalone(number: number, size: PageEntry): Promise<ExtractedPage> {
    const stored = await this.#readStandalone(number);
    if (stored) return extractedPage(size, stored);
    const { page } = await this.#extractPage(number, false);
    this.#service.defer(() => this.#putStandalone(number, page));
    return extractedPage(size, page);
  }

  /** Stores a standalone page. An empty `pdf` records that the page is too large to store. */
  #putStandalone(number: number, pdf: Uint8Array): Promise<void> {
    const bytes = new Uint8Array(NUMBER_BYTES + pdf.length);
    new DataView(bytes.buffer).setUint32(0, number);
    bytes.set(pdf, NUMBER_BYTES);
    return this.#service.store.pageFiles.put(this.#document.file, standaloneName(number), bytes);
  }

  /** @returns undefined if the page is not stored, or another page has replaced it */
  async #readStandalone(number: number): Promise<Uint8Array | undefined> {
    const bytes = await this.#read(standaloneName(number));
    if (!bytes || new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) !== number) return undefined;
    return bytes.subarray(NUMBER_BYTES);
  }

  #read(name: string, range?: { offset: number; length: number }): Promise<Uint8Array | undefined> {
    return this.#service.store.pageFiles.read(this.#document.file.id, name, range);
  }
}

/** @param pdf PDF of the page; empty if the page is too large to store */
const extractedPage = ({ width, height }: Pick<ExtractedPage, "width" | "height">, pdf: Uint8Array): ExtractedPage => ({
  ...{ width, height },
  ...(pdf.length > 0 ? { pdf } : {}),
});

/** A signal that never aborts, for work after the response. */
const NEVER = new AbortController().signal;

/** @returns all bytes of an output; an empty array if there are more than the limit */
async function wholeOf({ body }: Output, limitBytes: number): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limitBytes) return new Uint8Array(0);
    chunks.push(chunk.slice());
  }
  return new Uint8Array(Buffer.concat(chunks));
}
