// Caches small page images, a limited number per page.

import { createHash } from "node:crypto";
import { LIMITS } from "../../document/contract/limits.ts";
import type { PageImageCache } from "../ports/page-image-cache.ts";
import type { Env } from "../settings/config.ts";
import { TILE_SIDE } from "./deep-zoom.ts";
import type { IiifImageRequest } from "./image-request.ts";

export type { PageImageCache };

/** Returns the configured cache, or the cache of the platform. */
export const cacheOf = ({ PICTURES }: Env): PageImageCache | undefined =>
  PICTURES ?? (globalThis as { readonly caches?: { readonly default?: PageImageCache } }).caches?.default;

/** Time for which caches can store a page image, in seconds. */
export const FRESH_SECONDS = 3600;
/** Increment it when the same request produces a different image. */
const VERSION = 1;
/** Header of a cache entry with the tag of its image, because different images can have the same cache URL. */
const PICTURE_HEADER = "Picture";
/** Origin of the URLs that are cache keys. The host does not exist. */
const ORIGIN = "https://pictures.invalid";

export interface CacheKey {
  readonly url: string;
  /** Unique for each image of each document. Also the entity tag of the image. */
  readonly tag: string;
}

/**
 * @param etag entity tag of the document
 * @param request all parameters of the image
 */
export function cacheKey(id: string, etag: string, page: number, request: IiifImageRequest | object): CacheKey {
  const name = JSON.stringify([VERSION, id, etag, page, request]);
  const tag = createHash("sha256").update(name).digest("hex").slice(0, 32);
  const place = "region" in request ? tilePlace(request) : undefined;
  const slot = place ?? String(Number.parseInt(tag.slice(0, 8), 16) % LIMITS.cachedPictures);
  return { url: `${ORIGIN}/${id}/${page}/${slot}`, tag };
}

/**
 * Returns the cache slot of a tile; undefined for other images. Each tile has its own slot, because a page has few
 * tiles. The other images of a page share `LIMITS.cachedPictures` slots.
 */
function tilePlace({ region, size, turn, mirrored, quality, format }: IiifImageRequest): string | undefined {
  if (region.kind !== "pixels" || size.kind !== "exact" || turn !== 0 || mirrored || size.isLarger) return undefined;
  const [x, y, width, height] = region.numbers;
  const level = Math.max(0, Math.ceil(Math.log2(Math.max(width, height, 1) / TILE_SIDE)));
  const side = TILE_SIDE * 2 ** level;
  if (x % side !== 0 || y % side !== 0) return undefined;
  return ["tile", level, x / side, y / side, quality, format].join("-");
}

/** @returns the image, if it is cached */
export async function matchCached(
  cache: PageImageCache | undefined,
  { url, tag }: CacheKey,
): Promise<Response | undefined> {
  const response = await cache?.match(url);
  if (!response) return undefined;
  if (response.headers.get(PICTURE_HEADER) === tag) return response;
  await response.body?.cancel();
  return undefined;
}

export async function putCached(
  cache: PageImageCache | undefined,
  key: CacheKey,
  picture: { readonly bytes: Uint8Array; readonly headers: Headers },
): Promise<void> {
  if (picture.bytes.length <= limitOf(cache))
    await put(cache, key, picture.bytes as Uint8Array<ArrayBuffer>, picture.headers);
}

/**
 * Yields the chunks of an image, and caches it meanwhile. Drops it from the cache if it is too large, or its reader
 * leaves.
 * @param defer receives the work of the cache
 */
export async function* cachedWhileRead(
  chunks: AsyncIterable<Uint8Array>,
  cache: PageImageCache | undefined,
  { key, headers, defer }: { readonly key: CacheKey; readonly headers: Headers; defer(work: Promise<void>): void },
): AsyncGenerator<Uint8Array> {
  if (!cache) return yield* chunks;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  // A cache that fails might not cancel the body, whose writer would then wait forever.
  defer(put(cache, key, readable, headers).catch((error) => writer.abort(error).catch(() => {})));
  let isCached = true;
  const stop = () => {
    isCached = false;
  };
  let leftBytes = limitOf(cache);
  try {
    for await (const chunk of chunks) {
      leftBytes -= chunk.length;
      if (isCached && leftBytes < 0) {
        stop();
        void writer.abort(new Error("too large")).catch(() => {});
      }
      if (isCached) await writer.write(chunk.slice()).catch(stop);
      yield chunk;
    }
    if (isCached) await writer.close().catch(stop);
    stop();
  } finally {
    if (isCached) void writer.abort(new Error("not read to its end")).catch(() => {});
  }
}

const limitOf = (cache: PageImageCache | undefined): number => cache?.limitBytes ?? LIMITS.cachedPictureBytes;

async function put(
  cache: PageImageCache | undefined,
  { url, tag }: CacheKey,
  body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>,
  pictureHeaders: Headers,
): Promise<void> {
  const headers = new Headers(pictureHeaders);
  headers.set(PICTURE_HEADER, tag);
  headers.set("Cache-Control", `public, max-age=${FRESH_SECONDS}`);
  await cache?.put(url, new Response(body, { headers }));
}
