// Provides fonts for text that is set at the edge. They come from the container, which has them for its engines, and are
// cached in the isolate and by the platform. An isolate holds no large font: the container makes parts of it.

import { createHash } from "node:crypto";
import { EngineFailure } from "../../document/contract/failure.ts";
import type { TypefacePart, TypefaceProvider } from "../../document/contract/font-provider.ts";
import { LIMITS } from "../../document/contract/limits.ts";
import {
  type ContainerClient,
  type Context,
  type OperationDeclaration,
  stepOf,
} from "../../document/contract/operation.ts";
import { readWhole } from "../../operations/in-memory.ts";
import { drawEmoji, readTypeface } from "../../operations/typefaces.ts";
import type { PageImageCache } from "../ports/page-image-cache.ts";
import { runRemotely } from "./remote.ts";

/** Origin of the URLs that are cache keys. The host does not exist. Increment the version when parts change. */
const ORIGIN = "https://typefaces.invalid/1";
/** Time for which caches can store a part. Fonts change only with the container's image. */
const FRESH_SECONDS = 7 * 24 * 3600;
const NOTHING = new Uint8Array(0);

/** Parts by key, least recently used first. */
const recent = new Map<string, Uint8Array>();
let recentBytes = 0;

interface Places {
  readonly container: ContainerClient | undefined;
  readonly cache: PageImageCache | undefined;
  readonly context: Omit<Context, "heapLimitBytes" | "container">;
}

export function remoteTypefaces(places: Places): TypefaceProvider {
  return {
    async typeface(part) {
      const key = keyOf(part);
      const known = await find(key, places.cache);
      const [bytes = NOTHING] = known ? [known] : await read(readTypeface, part, places);
      if (!known) await keep(key, bytes, places.cache);
      return bytes.length > 0 ? bytes : undefined;
    },
    async emoji(sequences) {
      const keys = sequences.map((characters) => keyOf({ face: "emoji", characters }));
      const known = await Promise.all(keys.map((key) => find(key, places.cache)));
      const missing = sequences.filter((_, index) => !known[index]);
      const drawn = missing.length > 0 ? await read(drawEmoji, { sequences: missing }, places) : [];
      const pictures = known.map((picture) => picture ?? drawn.shift() ?? NOTHING);
      await Promise.all(
        keys.map((key, index) => (known[index] ? undefined : keep(key, pictures[index]!, places.cache))),
      );
      return pictures.map((picture) => (picture.length > 0 ? picture : undefined));
    },
  };
}

function keyOf({ face, member = 0, characters }: TypefacePart): string {
  const part = characters === undefined ? "all" : createHash("sha256").update(characters).digest("hex").slice(0, 32);
  return `${ORIGIN}/${face}/${member}/${part}`;
}

async function find(key: string, cache: PageImageCache | undefined): Promise<Uint8Array | undefined> {
  const held = recent.get(key);
  if (held) {
    recent.delete(key);
    recent.set(key, held);
    return held;
  }
  const response = await cache?.match(key);
  if (!response?.body) return undefined;
  const bytes = await readWhole(response.body as unknown as AsyncIterable<Uint8Array>);
  hold(key, bytes);
  return bytes;
}

async function keep(key: string, bytes: Uint8Array, cache: PageImageCache | undefined): Promise<void> {
  hold(key, bytes);
  const headers = { "Cache-Control": `public, max-age=${FRESH_SECONDS}` };
  await cache?.put(key, new Response(bytes as Uint8Array<ArrayBuffer>, { headers }));
}

function hold(key: string, bytes: Uint8Array): void {
  recentBytes += bytes.length - (recent.get(key)?.length ?? 0);
  recent.set(key, bytes);
  for (const [oldest, { length }] of recent) {
    if (recentBytes <= LIMITS.typefaceCacheBytes) break;
    recent.delete(oldest);
    recentBytes -= length;
  }
}

/** @throws EngineFailure of the container, except for a font that it lacks */
async function read<P>(operation: OperationDeclaration<P>, params: NoInfer<P>, places: Places): Promise<Uint8Array[]> {
  const { container, context } = places;
  const outputs: Uint8Array[] = [];
  try {
    const within = { ...context, heapLimitBytes: 0, ...(container ? { container } : {}) };
    for await (const { body } of runRemotely([stepOf(operation, params)], [], within))
      outputs.push(await readWhole(body));
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.reason !== "unsupported") throw error;
  }
  return outputs;
}
