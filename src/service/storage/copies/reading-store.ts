// Opens the store of a request that reads pages of a file of another region: from a copy in the region of the reader,
// if there is one.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { PageImageCache } from "../../ports/page-image-cache.ts";
import { bucketAt } from "../../regions/located-env.ts";
import { homeOf } from "../../regions/region-tag.ts";
import { type Region, regionOf } from "../../regions/regions.ts";
import type { Env } from "../../settings/config.ts";
import type { FoundFile } from "../file.ts";
import { createStore, type Store } from "../store.ts";
import { copiesIn, copyFile } from "./copies.ts";
import { KnownFiles, type LocationOptions } from "./known-files.ts";

/** Origin of the URLs of cache entries for documents that were read recently. The host does not exist. */
const READ_ORIGIN = "https://read-files.invalid";
/** Contents of the cache entries. */
const READ = "read";
const COPYING = "copying";

export interface ReadingOptions extends LocationOptions {
  /** Lifetime of files; 0 means unlimited. */
  readonly lifetimeMs: number;
  /** Runs work after the response, and limits how many copies are made at the same time. */
  later(work: () => Promise<void>): void;
}

/**
 * @param env environment of the request; its region is the nearest one to the reader
 * @param store store of the request
 */
export function openReadingStore(env: Env, store: Store, options: ReadingOptions): Store {
  const here = regionOf(env);
  return here ? { ...store, ...readingFrom(env, here, store, options) } : store;
}

type Reading = Pick<Store, "find" | "open" | "pageFiles">;

function readingFrom(env: Env, here: Region, store: Store, options: ReadingOptions): Reading {
  const { lifetimeMs, cache, now = Date.now, waitUntil, later } = options;
  const known = new KnownFiles(options);
  const copies = createStore(copiesIn(env, here), { lifetimeMs, now });
  /** Files of other regions, by ID, with the regions. */
  const found = new Map<string, { readonly file: FoundFile; readonly from: Region }>();
  const copied = new Map<string, Promise<boolean>>();
  const noted = new Set<string>();
  /** The current write of derived data, for which no client waits. A write is lost if its region is. */
  let writing: Promise<void> = Promise.resolve();

  /** Reports whether the file has a complete copy here. A lost region has none. */
  function hasCopy(id: string): Promise<boolean> {
    const asked = copied.get(id) ?? copies.find(id).then(Boolean, () => false);
    copied.set(id, asked);
    return asked;
  }

  /** Copies a document if it is read often. */
  function note(id: string): void {
    const { file, from } = found.get(id)!;
    if (noted.has(id) || file.size > LIMITS.copiedDocumentBytes) return;
    noted.add(id);
    const copyIfOften = async () => {
      if (await isReadAgain(cache, id)) later(() => copyFile(file, { env, from, to: here, now: now() }));
    };
    waitUntil(copyIfOften().catch(() => {}));
  }

  return {
    async find(id) {
      const home = homeOf(id, env)!;
      if (home.isBound || (home.region === here && !env.REMOTE)) return store.find(id);
      const inHome = createStore(bucketAt(env, home.region), { lifetimeMs, now });
      const file = await known.find(id, () => inHome.find(id));
      if (file && home.region !== here) found.set(id, { file, from: home.region });
      return file ?? (home.isCertain ? undefined : store.find(id));
    },

    async open(id, range) {
      const far = found.get(id);
      if (!far) return store.open(id, range);
      const opened = await copies.open(id, range).catch(() => undefined);
      if (opened) return { ...opened, file: far.file };
      note(id);
      return store.open(id, range);
    },

    pageFiles: {
      async read(id, name, range) {
        if (!found.has(id)) return store.pageFiles.read(id, name, range);
        const [bytes, isCopied] = await Promise.all([
          copies.pageFiles.read(id, name, range).catch(() => undefined),
          hasCopy(id),
        ]);
        if (bytes || isCopied) return bytes;
        note(id);
        return store.pageFiles.read(id, name, range);
      },

      async put(file, name, bytes) {
        if (!found.has(file.id)) return store.pageFiles.put(file, name, bytes);
        await writing;
        writing = hasCopy(file.id)
          .then((isCopied) => (isCopied ? copies : store).pageFiles.put(file, name, bytes))
          .catch(() => {});
        waitUntil(writing);
      },
    },
  };
}

/**
 * Asks the region of a file for the file, so that the location of its reader knows it, and records that it was read. The
 * file's region carries out the first request itself: for the reader, that is one trip instead of several.
 * @param env environment of the nearest region to the reader
 */
export async function learnOf(env: Env, id: string, { lifetimeMs, ...location }: Learning): Promise<void> {
  const { region } = homeOf(id, env)!;
  const inHome = createStore(bucketAt(env, region), { lifetimeMs });
  const file = await new KnownFiles(location).find(id, () => inHome.find(id));
  if (file && region !== regionOf(env)) await recordRead(location.cache, id, READ, LIMITS.copyAfterMs);
}

type Learning = Omit<ReadingOptions, "later" | "now">;

/**
 * Records in a location that a document without a copy was read.
 * @returns true if another request read it recently, and none is copying it
 */
async function isReadAgain(cache: PageImageCache | undefined, id: string): Promise<boolean> {
  const before = await (await cache?.match(`${READ_ORIGIN}/${id}`))?.text();
  if (before === COPYING) return false;
  const [state, untilMs] = before === READ ? [COPYING, LIMITS.copyMs] : [READ, LIMITS.copyAfterMs];
  await recordRead(cache, id, state, untilMs);
  return state === COPYING;
}

async function recordRead(cache: PageImageCache | undefined, id: string, state: string, untilMs: number) {
  const headers = { "Cache-Control": `public, max-age=${untilMs / 1000}` };
  await cache?.put(`${READ_ORIGIN}/${id}`, new Response(state, { headers }));
}
