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
  { url, tag }: CacheKey,
  picture: { readonly bytes: Uint8Array; readonly headers: Headers },
): Promise<void> {
  if (picture.bytes.length > LIMITS.cachedPictureBytes) return;
  const headers = new Headers(picture.headers);
  headers.set(PICTURE_HEADER, tag);
  headers.set("Cache-Control", `public, max-age=${FRESH_SECONDS}`);
  await cache?.put(url, new Response(picture.bytes as Uint8Array<ArrayBuffer>, { headers }));
}
