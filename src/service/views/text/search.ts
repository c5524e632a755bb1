// Searches the text of stored PDFs.
import type { Box } from "../../../document/content/matrix.ts";
import {
  boxesOf,
  type Match,
  matchesAt,
  matchesOn,
  placesOf,
  type Snippet,
  snippetOf,
} from "../../../document/search/find.ts";
import { type Term, termsOf } from "../../../document/search/fold-word.ts";
import { foldPage, type PageRecord } from "../../../document/search/page-record.ts";
import { noSuchFile } from "../../http/contract/errors.ts";
import type { PageServices, PagesDocument } from "../pages-service.ts";
import { findIndexedText, indexParts } from "./text-store.ts";

export interface Found {
  /** Number of all hits in the document. */
  readonly total: number;
  readonly hits: readonly Hit[];
}

export interface Hit extends Snippet {
  readonly page: PageRecord;
  /** One for each line. */
  readonly boxes: readonly Box[];
}

export interface Paging {
  readonly offset: number;
  readonly limit: number;
}

/** @throws EngineFailure the failure that the document caused */
export async function search(
  document: PagesDocument,
  query: string,
  { offset, limit }: Paging,
  service: PageServices,
  signal: AbortSignal,
): Promise<Found> {
  const terms = termsOf(query);
  const shown: { readonly page: number; readonly match: Match }[] = [];
  let total = 0;
  for await (const { first, pages } of terms.length > 0 ? indexParts(document, service, signal) : []) {
    for (const [at, page] of pages.entries()) {
      const places = placesOf(terms, page);
      const from = Math.max(0, offset - total);
      const room = Math.max(0, offset + limit - total);
      for (const match of matchesAt(places.slice(from, room), page)) shown.push({ page: first + at, match });
      total += places.length;
    }
  }
  const texts = await textsOf(new Set(shown.map(({ page }) => page)), document, service, signal);
  const hits = shown.map(({ page: number, match }) => {
    const page = texts.get(number)!;
    return { page, boxes: boxesOf(page, match), ...snippetOf(page, match) };
  });
  return { total, hits };
}

/** Number of pages that are read at the same time: a Worker can have six connections. */
const READ_AT_ONCE = 6;

async function textsOf(
  numbers: ReadonlySet<number>,
  document: PagesDocument,
  service: PageServices,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, PageRecord>> {
  const texts = new Map<number, PageRecord>();
  const waiting = [...numbers];
  const read = async () => {
    for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
      const page = await findIndexedText(document, number, service, signal);
      // The document was deleted in the meantime.
      if (!page) throw noSuchFile();
      texts.set(number, page);
    }
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, read));
  return texts;
}

/** Returns the boxes of all matches on a page. */
export function boxesOn(page: PageRecord, query: string): readonly Box[] {
  const terms: readonly Term[] = termsOf(query);
  if (terms.length === 0) return [];
  return matchesOn(foldPage(page), terms).flatMap((match) => boxesOf(page, match));
}
