// Provides the text of stored PDFs. Stored objects of a document, beside those of its pages:
//   text-1-<n>     pages 16n + 1 to 16n + 16 with their blocks and words, read without the other pages, as text of pages
//   indexed-1-<n>  the same pages, read with all others when the index was made, which refers to their words
//   index-1-<n>    parts of the index, in the order of the pages
//   index-1        the number of parts; stored last, so that it shows that the index is complete
// The names contain the version of the text.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { Output } from "../../../document/contract/operation.ts";
import type { PageRecord } from "../../../document/search/page-record.ts";
import {
  type IndexPart,
  pageInGroup,
  parsePart,
  TEXT_PAGES_PER_GROUP,
  TEXT_VERSION,
  textGroupOf,
} from "../../../document/search/stored-text.ts";
import { type IndexTextParams, indexText } from "../../../operations/index-text.ts";
import { noSuchFile, noSuchPage } from "../../http/contract/errors.ts";
import { edgeJob } from "../../placement/placement.ts";
import { documentProperties } from "../page-store.ts";
import { type PageServices, type PagesDocument, runPageJob } from "../pages-service.ts";

const groupName = (group: number | string) => `text-${TEXT_VERSION}-${group}`;
const indexedName = (group: number | string) => `indexed-${TEXT_VERSION}-${group}`;
const INDEX = `index-${TEXT_VERSION}`;
const partName = (part: number | string) => `${INDEX}-${part}`;

/**
 * Reads a page with the others of its group, never from the index, so that its text is the same before and after a
 * search.
 * @param number page number, from 1
 * @throws ServiceError 404 if there is no such page
 * @throws EngineFailure the failure that the document caused
 */
export async function findPageText(
  document: PagesDocument,
  number: number,
  service: PageServices,
  signal: AbortSignal,
): Promise<PageRecord> {
  const page = await pageOf(document, groupName(textGroupOf(number)), number, service, signal, (signal) =>
    readGroup(document, number, service, signal),
  );
  if (!page) throw noSuchPage();
  return page;
}

/** @returns the page to whose words the index refers; undefined if the document has no index */
export const findIndexedText = (
  document: PagesDocument,
  number: number,
  service: PageServices,
  signal: AbortSignal,
): Promise<PageRecord | undefined> => pageOf(document, indexedName(textGroupOf(number)), number, service, signal);

/** Returns a page of a group, which is stored, or made. */
async function pageOf(
  document: PagesDocument,
  name: string,
  number: number,
  service: PageServices,
  signal: AbortSignal,
  make?: (signal: AbortSignal) => Promise<Uint8Array>,
): Promise<PageRecord | undefined> {
  const { texts } = service.shared;
  const key = `${document.file.id} ${name} ${number}`;
  const known = texts.find(key);
  if (known) return known;
  const group = await sharedRead(document, name, service, signal, make);
  const page = group && pageInGroup(group, number);
  if (page) texts.keep(key, page, page.words.length);
  return page;
}

/** Reads a stored object, or makes it. Concurrent requests share the work. */
function sharedRead(
  { file }: PagesDocument,
  name: string,
  service: PageServices,
  signal: AbortSignal,
  make?: (signal: AbortSignal) => Promise<Uint8Array>,
): Promise<Uint8Array | undefined> {
  return service.shared.textGroups.run(`${file.id} ${name}`, signal, (signal) => {
    const work = service.store.pageFiles.read(file.id, name).then((stored) => stored ?? make?.(signal));
    service.waitUntil(work.catch(() => {}));
    return work;
  });
}

async function readGroup(document: PagesDocument, number: number, service: PageServices, signal: AbortSignal) {
  const { pageCount } = await documentProperties(document, service, signal);
  if (number > pageCount) throw noSuchPage();
  const first = textGroupOf(number) * TEXT_PAGES_PER_GROUP + 1;
  const last = Math.min(pageCount, first + TEXT_PAGES_PER_GROUP - 1);
  let group = new Uint8Array(0) as Uint8Array;
  await readText(document, { first, last, index: false }, service, signal, async (_, bytes) => {
    group = bytes;
  });
  return group;
}

/** Runs the operation, stores its outputs, and passes each on. */
async function readText(
  document: PagesDocument,
  params: IndexTextParams,
  service: PageServices,
  signal: AbortSignal,
  take: (name: string, bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const { shared, store, client } = service;
  const { file, input } = document;
  const receive = async ({ extension, name, body }: Output) => {
    const textName = params.index ? indexedName : groupName;
    const stored = extension === "text" ? textName(name!) : partName(name!);
    const bytes = await joined(body);
    await store.pageFiles.put(file, stored, bytes);
    await take(stored, bytes);
  };
  await shared.withFailureCache(`${file.id} ${params.index ? INDEX : groupName(params.first)}`, async () => {
    using _permit = await shared.extractionSemaphore.for(client).acquire(signal);
    await runPageJob(edgeJob(indexText, params), [input], { service, signal }, receive);
  });
}

/**
 * Yields the parts of the index. Makes the index first if it is not stored.
 * @throws EngineFailure the failure that the document caused
 */
export async function* indexParts(
  document: PagesDocument,
  service: PageServices,
  signal: AbortSignal,
): AsyncGenerator<IndexPart> {
  const { id } = document.file;
  const { shared, store } = service;
  const count = shared.indexSizes.find(id) ?? (await storedSize(document, service)) ?? (await indexed());
  shared.indexSizes.keep(id, count, 1);
  for (let part = 0; part < count; part++) {
    const key = `${id} ${part}`;
    const kept = shared.indexes.find(key);
    if (kept) {
      yield kept;
      continue;
    }
    const bytes = await store.pageFiles.read(id, partName(part));
    // The document was deleted in the meantime.
    if (!bytes) throw noSuchFile();
    const parsed = parsePart(bytes);
    shared.indexes.keep(key, parsed, bytes.length);
    yield parsed;
  }

  function indexed(): Promise<number> {
    return shared.indexing.run(id, signal, (signal) => {
      const work = makeIndex(document, service, signal);
      service.waitUntil(work.catch(() => {}));
      return work;
    });
  }
}

async function storedSize({ file }: PagesDocument, { store }: PageServices): Promise<number | undefined> {
  const bytes = await store.pageFiles.read(file.id, INDEX);
  return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as { readonly parts: number }).parts;
}

/** @returns the number of parts */
async function makeIndex(document: PagesDocument, service: PageServices, signal: AbortSignal): Promise<number> {
  const { pageCount } = await documentProperties(document, service, signal);
  const last = Math.min(pageCount, LIMITS.selectedPages);
  let parts = 0;
  await readText(document, { first: 1, last, index: true }, service, signal, async (name) => {
    if (name.startsWith(`${INDEX}-`)) parts++;
  });
  const about = new TextEncoder().encode(JSON.stringify({ parts }));
  await service.store.pageFiles.put(document.file, INDEX, about);
  return parts;
}

async function joined(body: Output["body"]): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk.slice());
  return new Uint8Array(Buffer.concat(chunks));
}
