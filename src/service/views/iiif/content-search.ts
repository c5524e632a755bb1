// Serves the IIIF Content Search API 2.0, and 1.0 for viewers that only know that version.

import type { Box } from "../../../document/content/matrix.ts";
import { type Parameters, parameter } from "../../../document/contract/parameter.ts";
import { integer } from "../../../document/contract/parameters/number.ts";
import { readFields } from "../../http/contract/fields.ts";
import { fullSize } from "../image-request.ts";
import type { PageServices, PagesDocument } from "../pages-service.ts";
import { type Found, type Hit, search } from "../text/search.ts";
import { QUERY } from "../text/text-routes.ts";

export const SEARCH_CONTEXT = "http://iiif.io/api/search/2/context.json";
const OLD_CONTEXT = "http://iiif.io/api/search/1/context.json";
/** Last parts of the addresses, after that of the document. */
export const SEARCH_NAMES = { current: "search", old: "search1" } as const;
const PER_PAGE = 100;

export const CONTENT_SEARCH_FIELDS = {
  q: parameter("Words, and phrases in quotation marks.", QUERY),
  page: parameter("Number of the page of results.", integer({ min: 1, max: 10_000 }), "1"),
} satisfies Parameters;

/** Returns the descriptions of the search of a document, for its manifest. */
export const searchServices = (base: string): readonly object[] => [
  { id: `${base}/${SEARCH_NAMES.current}`, type: "SearchService2" },
  {
    "@context": OLD_CONTEXT,
    "@id": `${base}/${SEARCH_NAMES.old}`,
    "@type": "SearchService1",
    profile: "http://iiif.io/api/search/1/search",
  },
];

/**
 * @param isOld true for version 1.0
 * @throws ServiceError 400 for an invalid parameter
 */
export async function contentSearch(
  document: PagesDocument,
  request: Request,
  service: PageServices,
  isOld: boolean,
): Promise<object> {
  const { searchParams } = new URL(request.url);
  // A viewer can send further parameters of the standard, which the service may ignore.
  const fields = new Map(
    Object.keys(CONTENT_SEARCH_FIELDS).flatMap((name) =>
      searchParams.has(name) ? [[name, searchParams.getAll(name)] as const] : [],
    ),
  );
  const { q, page } = readFields(CONTENT_SEARCH_FIELDS, { fields }, {}) as {
    readonly q: string;
    readonly page: number;
  };
  const offset = (page - 1) * PER_PAGE;
  const found = await search(document, q, { offset, limit: PER_PAGE }, service, request.signal);
  const base = `${service.baseUrl}/iiif/${document.file.id}`;
  const address = (number: number) =>
    `${base}/${isOld ? SEARCH_NAMES.old : SEARCH_NAMES.current}?${new URLSearchParams({ q, page: String(number) })}`;
  const last = Math.max(1, Math.ceil(found.total / PER_PAGE));
  const pages = { base, address, page, last, offset };
  return isOld ? annotationList(found, pages) : annotationPage(found, pages);
}

interface Pages {
  readonly base: string;
  readonly address: (page: number) => string;
  readonly page: number;
  readonly last: number;
  readonly offset: number;
}

/** Returns the place of a box on the canvas of its page. */
function target({ page: { page, width, height } }: Hit, [left, bottom, right, top]: Box, base: string): string {
  const full = fullSize({ width, height });
  const [across, down] = [full.width / width, full.height / height];
  const [x, y] = [Math.floor(left * across), Math.floor((height - top) * down)];
  const [w, h] = [Math.ceil((right - left) * across), Math.ceil((top - bottom) * down)];
  return `${base}/canvas/${page}#xywh=${Math.max(0, x)},${Math.max(0, y)},${Math.max(1, w)},${Math.max(1, h)}`;
}

interface Mark {
  readonly hit: Hit;
  readonly id: string;
  readonly target: string;
}

const marksOf = ({ hits }: Found, { base, offset, address, page }: Pages): readonly (readonly Mark[])[] =>
  hits.map((hit, at) =>
    hit.boxes.map((box, line) => ({
      ...{ hit, target: target(hit, box, base) },
      id: `${address(page)}#hit-${offset + at + 1}-${line + 1}`,
    })),
  );

function annotationPage(found: Found, pages: Pages): object {
  const { address, page, last, offset } = pages;
  const marks = marksOf(found, pages);
  const items = marks.flat().map(({ id, target, hit }) => ({
    ...{ id, type: "Annotation", motivation: "supplementing" },
    body: { type: "TextualBody", value: hit.match, format: "text/plain" },
    target,
  }));
  const quotes = marks.flat().map(({ id, hit }) => ({
    ...{ id: `${id}-quote`, type: "Annotation", motivation: "contextualizing" },
    target: {
      ...{ type: "SpecificResource", source: id },
      selector: [{ type: "TextQuoteSelector", prefix: hit.before, exact: hit.match, suffix: hit.after }],
    },
  }));
  const whole = { id: `${address(1)}#all`, type: "AnnotationCollection", total: found.total };
  const link = (number: number) => ({ id: address(number), type: "AnnotationPage" });
  return {
    "@context": SEARCH_CONTEXT,
    ...{ id: address(page), type: "AnnotationPage", startIndex: offset },
    partOf: { ...whole, first: link(1), last: link(last) },
    ...(page < last ? { next: link(page + 1) } : {}),
    ...(page > 1 ? { prev: link(page - 1) } : {}),
    items,
    ...(quotes.length > 0
      ? { annotations: [{ id: `${address(page)}#quotes`, type: "AnnotationPage", items: quotes }] }
      : {}),
  };
}

function annotationList(found: Found, pages: Pages): object {
  const { address, page, last, offset } = pages;
  const marks = marksOf(found, pages);
  return {
    "@context": ["http://iiif.io/api/presentation/2/context.json", OLD_CONTEXT],
    ...{ "@id": address(page), "@type": "sc:AnnotationList" },
    within: { "@type": "sc:Layer", total: found.total, first: address(1), last: address(last) },
    startIndex: offset,
    ...(page < last ? { next: address(page + 1) } : {}),
    ...(page > 1 ? { prev: address(page - 1) } : {}),
    resources: marks.flat().map(({ id, target, hit }) => ({
      ...{ "@id": id, "@type": "oa:Annotation", motivation: "sc:painting" },
      resource: { "@type": "cnt:ContentAsText", chars: hit.match },
      on: target,
    })),
    hits: marks.map((some) => ({
      ...{ "@type": "search:Hit", annotations: some.map(({ id }) => id) },
      ...{ match: some[0]?.hit.match, before: some[0]?.hit.before, after: some[0]?.hit.after },
    })),
  };
}
