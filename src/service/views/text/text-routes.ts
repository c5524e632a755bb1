// Serves the text of pages of stored PDFs, and searches it.

import type { Box } from "../../../document/content/matrix.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import { type Parameters, parameter } from "../../../document/contract/parameter.ts";
import { integer } from "../../../document/contract/parameters/number.ts";
import { text } from "../../../document/contract/parameters/text.ts";
import { type PageRecord, textOf } from "../../../document/search/page-record.ts";
import { TEXT_VERSION } from "../../../document/search/stored-text.ts";
import { methodNotAllowed, noSuchPage } from "../../http/contract/errors.ts";
import { readFields } from "../../http/contract/fields.ts";
import type { FoundFile } from "../../storage/file.ts";
import { openDocument } from "../documents.ts";
import { cacheKey } from "../image-cache.ts";
import type { PageServices } from "../pages-service.ts";
import { cacheControl, hasAny, isUnchanged } from "../responses.ts";
import { type Found, type Paging, search } from "./search.ts";
import { findPageText } from "./text-store.ts";

const TEXT_NAME = /^([1-9]\d{0,8})\.(txt|md|json)$/;
export const QUERY = text({ max: 200 });

/** The query parameters of a search. */
export const SEARCH_FIELDS = {
  q: parameter(
    "Words, and phrases in quotation marks; all must be on a page. A word with * at its end is a start.",
    QUERY,
  ),
  limit: parameter("Maximum number of hits.", integer({ min: 1, max: 100 }), "20"),
  offset: parameter("Number of hits to skip.", integer({ min: 0, max: 1_000_000 }), "0"),
} satisfies Parameters;

export const isTextName = (name: string): boolean => TEXT_NAME.test(name);

/**
 * Responds to GET and HEAD of the text of a page.
 * @param name `<page>.txt`, `<page>.md` or `<page>.json`
 * @throws ServiceError 404 for an unknown document or page
 */
export async function servePageText(
  request: Request,
  id: string,
  name: string,
  service: PageServices,
): Promise<Response> {
  mustRead(request);
  const document = await openDocument(id, service);
  const [, page, format] = TEXT_NAME.exec(name)!;
  const number = Number(page);
  if (number > LIMITS.selectedPages) throw noSuchPage();
  const { tag } = cacheKey(id, document.file.etag, number, { text: format, version: TEXT_VERSION });
  return unlessUnchanged(request, document.file, tag, async () => {
    const found = await findPageText(document, number, service, request.signal);
    if (format === "txt") return [textOf(found), "text/plain; charset=utf-8"];
    if (format === "md") return [found.markdown, "text/markdown; charset=utf-8"];
    return [JSON.stringify(described(found)), "application/json"];
  });
}

/** @throws ServiceError 404 for an unknown document, 400 for an invalid parameter */
export async function serveSearch(request: Request, id: string, service: PageServices): Promise<Response> {
  mustRead(request);
  const document = await openDocument(id, service);
  const { searchParams } = new URL(request.url);
  const fields = new Map([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
  const { q, ...paging } = readFields(SEARCH_FIELDS, { fields }, {}) as Paging & { readonly q: string };
  const { tag } = cacheKey(id, document.file.etag, 0, { q, ...paging, version: TEXT_VERSION });
  return unlessUnchanged(request, document.file, tag, async () => {
    const found = await search(document, q, paging, service, request.signal);
    return [JSON.stringify(resultOf(found, q, paging, `${service.baseUrl}/resource/${id}/search`)), "application/json"];
  });
}

function mustRead({ method }: Request): void {
  if (method !== "GET" && method !== "HEAD") throw methodNotAllowed("GET, HEAD");
}

async function unlessUnchanged(
  request: Request,
  file: FoundFile,
  tag: string,
  make: () => Promise<readonly [body: string, type: string]>,
): Promise<Response> {
  const entity = { ETag: `"${tag}"`, "Cache-Control": cacheControl(file) };
  if (isUnchanged(request.headers, tag)) return new Response(null, { status: 304, headers: entity });
  const [body, type] = await make();
  if (hasAny(request.headers)) return new Response(null, { status: 304, headers: entity });
  const headers = { ...entity, "Content-Type": type, "X-Content-Type-Options": "nosniff" };
  return new Response(request.method === "HEAD" ? null : body, { headers });
}

/** Returns the response for a page in JSON. */
function described({ page, width, height, blocks, words }: PageRecord): object {
  const shown = words.map(([word, left, bottom, right, top, line]) => ({
    ...{ text: word, box: [left, bottom, right, top] satisfies Box, line },
  }));
  return { page, width, height, blocks, words: shown };
}

function resultOf({ total, hits }: Found, query: string, { offset, limit }: Paging, address: string): object {
  const end = offset + hits.length;
  const next = `${address}?${new URLSearchParams({ q: query, limit: String(limit), offset: String(end) })}`;
  return {
    ...{ query, total, offset },
    hits: hits.map(({ page: { page, width, height }, boxes, before, match, after }) => ({
      ...{ page, width, height, boxes, before, match, after },
    })),
    ...(end < total && hits.length > 0 ? { next } : {}),
  };
}
