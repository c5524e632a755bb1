// Serves the IIIF Image API 3.0 at level 2 for the pages of stored PDFs, and the IIIF Presentation API 3.0 for whole
// documents.

import { parseAccept } from "hono/utils/accept";
import { LIMITS } from "../../../document/contract/limits.ts";
import { TEXT_VERSION } from "../../../document/search/stored-text.ts";
import { methodNotAllowed, noSuchEndpoint, noSuchPage, outOfRange } from "../../http/contract/errors.ts";
import { toReadableStream } from "../../http/responses/body-stream.ts";
import type { FoundFile } from "../../storage/file.ts";
import { openDocument } from "../documents.ts";
import { cacheKey } from "../image-cache.ts";
import { resolvePageImage } from "../image-request.ts";
import { documentProperties, findPage } from "../page-store.ts";
import type { PageServices, PagesDocument } from "../pages-service.ts";
import { cacheControl, hasAny, isUnchanged, respondWithPageImage } from "../responses.ts";
import { contentSearch, SEARCH_CONTEXT, SEARCH_NAMES } from "./content-search.ts";
import { canonicalPath, parseImagePath } from "./iiif-path.ts";
import { CONTEXT, imageInformation, PROFILE } from "./image-information.ts";
import { manifestText, CONTEXT as PRESENTATION_CONTEXT } from "./manifest.ts";

export const IIIF_PATH = "/iiif";
const PREFIX = `${IIIF_PATH}/`;
/** Part of the entity tags of manifests: raise it when their content changes. */
const MANIFEST_VERSION = 2;
const LD_JSON = "application/ld+json";
const PAGE_IDENTIFIER = /^([^:]+):(\d{1,9})$/;

/** CORS headers that let web pages of any origin load images (IIIF Image API 3.0, section 7.1). */
const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag, Link, X-Request-Id",
};
const PREFLIGHT = {
  "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
  "Access-Control-Allow-Headers": "*",
  "Access-Control-Max-Age": "86400",
};

/** Sets the CORS headers of responses and errors. */
export function allowOrigins(headers: Headers): void {
  for (const [name, value] of Object.entries(CORS)) headers.set(name, value);
}

/**
 * Responds to requests under {@link IIIF_PATH}.
 * @throws ServiceError 404 for an unknown document, page or path, 400 for an invalid parameter
 */
export async function serveIiif(request: Request, service: PageServices): Promise<Response> {
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: PREFLIGHT });
  if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed("GET, HEAD, OPTIONS");
  const [identifier = "", ...rest] = new URL(request.url).pathname.slice(PREFIX.length).split("/");
  const [, id, page] = PAGE_IDENTIFIER.exec(decoded(identifier)) ?? [];
  if (id === undefined) return serveManifest(request, service, decoded(identifier), rest);
  const document = await openDocument(id, service);
  const number = Number(page);
  if (number < 1 || number > LIMITS.selectedPages) throw noSuchPage();
  // Clients write `:` or `%3A` between ID and page number. URIs in the response use the same spelling.
  const separator = identifier.includes(":") ? ":" : "%3A";
  const uri = `${service.baseUrl}${PREFIX}${id}${separator}${number}`;
  const [first = "", ...others] = rest.map(decoded);
  if (first === "" && others.length === 0) {
    await findPage(document, number, service, request.signal);
    return new Response(null, { status: 303, headers: { Location: `${uri}/info.json` } });
  }
  if (first === "info.json" && others.length === 0) {
    const size = await findPage(document, number, service, request.signal);
    const text = JSON.stringify(imageInformation(uri, size));
    const key = cacheKey(id, document.file.etag, number, { uri });
    return jsonResponse(request, document.file, { chunks: [text], context: CONTEXT, tag: key.tag });
  }
  if (rest.length < 4) throw noSuchEndpoint();
  // More than four segments: URL parsing has turned a backslash in the region into a slash.
  if (rest.length > 4) throw outOfRange("region", rest.slice(0, -3).map(decoded).join("/"));
  const asked = parseImagePath([first, ...others]);
  const key = cacheKey(id, document.file.etag, number, asked);
  const name = `page-${number}`;
  return respondWithPageImage({ request, service, file: document.file, key, name }, async () => {
    const found = await findPage(document, number, service, request.signal);
    const params = resolvePageImage(asked, found);
    const canonical = `${uri}/${canonicalPath(params, asked.quality, asked.size)}`;
    const headers = { Link: `<${canonical}>; rel="canonical", <${PROFILE}>; rel="profile"` };
    return { page: { document, number, page: found }, params, headers };
  });
}

async function serveManifest(request: Request, service: PageServices, id: string, rest: readonly string[]) {
  const document = await openDocument(id, service);
  const name = rest.join("/");
  if (name === SEARCH_NAMES.current || name === SEARCH_NAMES.old) return serveSearch(request, document, service, name);
  if (name !== "manifest.json") throw noSuchEndpoint();
  const facts = await documentProperties(document, service, request.signal);
  const { tag } = cacheKey(id, document.file.etag, 0, { manifest: service.baseUrl, version: MANIFEST_VERSION });
  const chunks = manifestText(document.file, facts, service.baseUrl);
  return jsonResponse(request, document.file, { chunks, context: PRESENTATION_CONTEXT, tag });
}

async function serveSearch(request: Request, document: PagesDocument, service: PageServices, name: string) {
  const { search } = new URL(request.url);
  const { tag } = cacheKey(document.file.id, document.file.etag, 0, {
    ...{ name, search, base: service.baseUrl, version: TEXT_VERSION },
  });
  const found = await contentSearch(document, request, service, name === SEARCH_NAMES.old);
  return jsonResponse(request, document.file, { chunks: [JSON.stringify(found)], context: SEARCH_CONTEXT, tag });
}

interface LinkedData {
  readonly chunks: Iterable<string>;
  readonly context: string;
  /** Entity tag of the data, unquoted. */
  readonly tag: string;
}

/**
 * Responds with JSON-LD if the client accepts it (section 5.1). Otherwise, responds with JSON and a Link header that
 * refers to the JSON-LD context.
 */
function jsonResponse(request: Request, file: FoundFile, { chunks, context, tag }: LinkedData): Response {
  const accepted = parseAccept(request.headers.get("Accept") ?? "").find(({ type }) => type === LD_JSON);
  const isLinked = accepted !== undefined && accepted.q > 0;
  const ownTag = isLinked ? `${tag}-ld` : tag;
  const headers = new Headers({
    "Content-Type": isLinked ? `${LD_JSON};profile="${context}"` : "application/json",
    "Cache-Control": cacheControl(file),
    ETag: `"${ownTag}"`,
    Vary: "Accept",
  });
  if (!isLinked) headers.set("Link", `<${context}>; rel="http://www.w3.org/ns/json-ld#context"; type="${LD_JSON}"`);
  if (isUnchanged(request.headers, ownTag) || hasAny(request.headers)) {
    headers.delete("Content-Type");
    return new Response(null, { status: 304, headers });
  }
  if (request.method === "HEAD") return new Response(null, { headers });
  return new Response(toReadableStream(encoded(chunks), { signal: request.signal, onEnd: () => {} }), { headers });
}

/** Number of characters per chunk. */
const PIECE_LENGTH = 2 ** 16;

async function* encoded(chunks: Iterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let piece = "";
  for (const chunk of chunks) {
    piece += chunk;
    if (piece.length < PIECE_LENGTH) continue;
    yield encoder.encode(piece);
    piece = "";
  }
  yield encoder.encode(piece);
}

/** @returns the segment unchanged if its encoding is invalid */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
