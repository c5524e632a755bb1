// Responds to requests for page images: evaluates conditional headers, uses the cache, and sets entity tags.

import { MEDIA_TYPES } from "../../operations/rasterize-pdf.ts";
import { chunksOf } from "../http/requests/inputs.ts";
import { toReadableStream } from "../http/responses/body-stream.ts";
import { overflowing } from "../http/responses/overflow.ts";
import type { FoundFile } from "../storage/file.ts";
import { type CacheKey, cachedWhileRead, FRESH_SECONDS, matchCached, putCached } from "./image-cache.ts";
import type { PageImageParams } from "./image-request.ts";
import { isSmall, type RenderablePage, renderLarge, renderSmall } from "./page-renderer.ts";
import type { PageServices } from "./pages-service.ts";

/** The context of a page image response. */
export interface PageImageRequest {
  readonly request: Request;
  readonly service: PageServices;
  readonly file: FoundFile;
  readonly key: CacheKey;
  /** File name of the image, without extension. */
  readonly name: string;
}

export interface ResolvedPageImage {
  readonly page: RenderablePage;
  readonly params: PageImageParams;
  /** Additional response headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Names of the headers that are cached together with an image. */
const CACHED_HEADERS = ["Content-Type", "Content-Length", "Content-Disposition", "X-Content-Type-Options", "Link"];

/**
 * Returns the header Cache-Control. Shared caches must not store responses, because IDs are secrets. A response is
 * fresh at most until the file expires.
 */
export function cacheControl({ expires }: Pick<FoundFile, "expires">, now = Date.now()): string {
  const leftSeconds = expires ? Math.max(0, Math.floor((expires.getTime() - now) / 1000)) : FRESH_SECONDS;
  return `private, max-age=${Math.min(leftSeconds, FRESH_SECONDS)}`;
}

/**
 * Responds to GET and HEAD of an image, from the cache or by rendering it.
 * @param find resolves the page and the image; not called if the client or the cache has the current image
 */
export async function respondWithPageImage(
  answering: PageImageRequest,
  find: () => Promise<ResolvedPageImage>,
): Promise<Response> {
  const { request, service, file, key } = answering;
  const entity = { ETag: `"${key.tag}"`, "Cache-Control": cacheControl(file) };
  const unchanged = () => new Response(null, { status: 304, headers: entity });
  if (isUnchanged(request.headers, key.tag)) return unchanged();
  const found = await matchCached(service.cache, key);
  if (found && hasAny(request.headers)) {
    await found.body?.cancel();
    return unchanged();
  }
  if (found) {
    const headers = new Headers(entity);
    for (const name of CACHED_HEADERS) {
      const value = found.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    return sent(request, found.body, Object.fromEntries(headers));
  }
  const image = await find();
  if (hasAny(request.headers)) return unchanged();
  const headers = { ...headersOf(image, answering.name), ...entity };
  if (request.method === "HEAD") return new Response(null, { headers });
  return isSmall(image.params)
    ? respondWithSmall(answering, image, headers)
    : respondWithLarge(answering, image, headers);
}

function headersOf({ params, headers }: ResolvedPageImage, name: string): Record<string, string> {
  return {
    "Content-Type": MEDIA_TYPES[params.format],
    "Content-Disposition": `inline; filename="${name}.${params.format}"`,
    "X-Content-Type-Options": "nosniff",
    ...headers,
  };
}

async function respondWithSmall(
  { request, service, key }: PageImageRequest,
  { page, params }: ResolvedPageImage,
  headers: Record<string, string>,
): Promise<Response> {
  const bytes = await service.shared.pictures.run(key.tag, request.signal, (signal) => {
    const work = renderSmall(page, params, service, signal);
    service.waitUntil(work.catch(() => {}));
    return work;
  });
  const own = headersOf({ page, params }, "");
  const kept = new Headers({ ...headers, "Content-Type": own["Content-Type"]! });
  service.defer(() => putCached(service.cache, key, { bytes, headers: kept }));
  return sent(request, bytes, { ...headers, "Content-Length": String(bytes.length) });
}

async function respondWithLarge(
  { request, service, key }: PageImageRequest,
  { page, params }: ResolvedPageImage,
  headers: Record<string, string>,
): Promise<Response> {
  const { signal } = request;
  const caching = { key, headers: new Headers(headers), defer: service.waitUntil };
  const { delivery, storing, close } = await renderLarge(page, params, service, signal);
  switch (delivery.kind) {
    case "whole":
      service.defer(close);
      service.defer(() => putCached(service.cache, key, { bytes: delivery.bytes, headers: caching.headers }));
      return sent(request, delivery.bytes, { ...headers, "Content-Length": String(delivery.bytes.length) });
    case "stream": {
      const chunks = overflowing(cachedWhileRead(delivery.body, service.cache, caching), storing);
      return new Response(toReadableStream(chunks, { signal, onEnd: () => service.waitUntil(close()) }), { headers });
    }
    default: {
      const stored = delivery.kind === "arrival" ? await delivery.file.stored : undefined;
      const opened = stored && (await service.store.open(stored.id));
      if (!opened) throw new Error("the image is no longer stored");
      const body = toReadableStream(cachedWhileRead(chunksOf(opened.body), service.cache, caching), {
        signal,
        onEnd: () => service.waitUntil(close()),
      });
      return new Response(body, { headers });
    }
  }
}

function sent(
  { method }: Request,
  body: ReadableStream | Uint8Array | null,
  headers: Record<string, string>,
): Response {
  if (method !== "HEAD") return new Response(body as BodyInit | null, { headers });
  if (body instanceof ReadableStream) void body.cancel();
  return new Response(null, { headers });
}

/** Reports whether If-None-Match is `*`, which matches any existing image at this URL (RFC 9110 13.1.2). */
export const hasAny = (headers: Headers): boolean => headers.get("If-None-Match")?.trim() === "*";

/** Reports whether If-None-Match contains the tag (RFC 9110 13.1.2). The tag is known before the image is rendered. */
export function isUnchanged(headers: Headers, tag: string): boolean {
  const tags = headers.get("If-None-Match");
  return tags?.split(",").some((item) => item.trim().replace(/^W\//, "") === `"${tag}"`) ?? false;
}
