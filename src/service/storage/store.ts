// Stores files by id in R2, alone or in packs. No code above this file knows R2, and this file does not know HTTP.

import type { Bucket, BucketObject } from "../ports/bucket.ts";
import { Batch } from "./batch.ts";
import {
  type ByteRange,
  type FileKind,
  type FoundFile,
  type IdGenerator,
  isId,
  isPacked,
  packNameOf,
  randomIds,
  type StoredFile,
} from "./file.ts";
import { type FilePolicy, listExpired } from "./file-policy.ts";
import type { Reservation } from "./memory-quota.ts";
import { aboutPack, isPackName, PACKS, Packs } from "./packs.ts";
import { aboutPageFile, PAGE_FILES, PageFiles, removePageFiles, removePageFilesOf } from "./page-files.ts";
import { isNoted, noteRetired, sweepRetired } from "./retired.ts";
import { DIGESTS, FILES, findFile, keysOf, openFile, sha256OfFile } from "./standalone-files.ts";
import type { Storing } from "./stored-bytes.ts";

const MAX_DELETED_AT_ONCE = 1000;

export interface Store {
  /** Returns a batch for the files of one request. Small files wait for others as long as `room` has space for them. */
  batch(kind: FileKind, room: Reservation): Batch;
  /** @returns undefined if there is no such file, or it has expired */
  find(id: string): Promise<FoundFile | undefined>;
  /** Returns the file with its bytes, or a range of them. */
  open(id: string, range?: ByteRange): Promise<{ file: FoundFile; body: ReadableStream<Uint8Array> } | undefined>;
  /** @returns the SHA-256 in lowercase hexadecimal digits */
  sha256(id: string): Promise<string | undefined>;
  /** Removes files, and what was derived from their pages. */
  remove(ids: readonly string[]): Promise<void>;
  /** Removes files at the wish of a client, and remembers for a while that they were there. */
  retire(files: readonly FoundFile[]): Promise<void>;
  /** Reports whether a file was removed at the wish of a client, not long ago. */
  isRetired(id: string): Promise<boolean>;
  /** What is derived from the pages of files. */
  readonly pageFiles: PageFiles;
  /** Removes expired files. @returns the number of removed files */
  sweep(): Promise<number>;
}

const unmarked = (): FilePolicy => ({});

export interface StoreOptions {
  /** Lifetime of all files; 0 means unlimited. */
  readonly lifetimeMs: number;
  /** Makes the ids of files that are stored. @default at random */
  readonly ids?: IdGenerator;
  /** Returns the marks of a file that is stored now. @default none */
  marks?(): FilePolicy;
  /** Counts the bytes of an input that was received. @default not counted */
  received?(bytes: number): void;
  /** Counts what is stored. @default not counted */
  readonly storing?: Storing | undefined;
  /** Told of files that a client removed. */
  retired?(files: readonly FoundFile[]): Promise<void>;
  readonly now?: () => number;
}

export function createStore(bucket: Bucket, options: StoreOptions): Store {
  const packs = new Packs(bucket);
  const now = options.now ?? Date.now;
  const endOf = (stored: Date) => (options.lifetimeMs > 0 ? stored.getTime() + options.lifetimeMs : Infinity);

  /** @returns undefined if the file has expired */
  function current(file: StoredFile): FoundFile | undefined {
    const end = Math.min(endOf(file.modified), file.marks.expires ?? Infinity);
    if (end <= now()) return undefined;
    return end === Infinity ? file : { ...file, expires: new Date(end) };
  }

  async function remove(ids: readonly string[]): Promise<void> {
    const known = ids.filter(isId);
    const keys = known.filter((id) => !isPacked(id)).flatMap(keysOf);
    for (let at = 0; at < keys.length; at += MAX_DELETED_AT_ONCE) {
      await bucket.delete(keys.slice(at, at + MAX_DELETED_AT_ONCE));
    }
    for (const inPack of Map.groupBy(known.filter(isPacked), packNameOf).values()) await packs.remove(inPack);
  }

  async function removeAll(ids: readonly string[]): Promise<void> {
    await remove(ids);
    await removePageFiles(bucket, ids.filter(isId));
  }

  return {
    // The ids of a batch that is discarded are not known to anyone, so nothing was derived from its files.
    batch(kind, reservation) {
      const { ids = randomIds, marks = unmarked, received, storing } = options;
      const counting = received && kind === "input" ? { received } : {};
      return new Batch({ bucket, kind, ids, marks, reservation, remove, storing, ...counting });
    },

    async find(id) {
      if (!isId(id)) return undefined;
      const file = isPacked(id) ? (await packs.find(id))?.file : await findFile(bucket, id);
      return file && current(file);
    },

    remove: removeAll,

    async retire(files) {
      const ids = files.map(({ id }) => id);
      await removeAll(ids);
      await options.retired?.(files);
      await noteRetired(bucket, ids.filter(isId));
    },

    isRetired: async (id) => isId(id) && isNoted(bucket, id, now()),

    // A fresh look: a pack that was read before tells nothing about a removal since then.
    pageFiles: new PageFiles(bucket, async (id) => (await createStore(bucket, options).find(id)) !== undefined),

    async open(id, range) {
      if (!isId(id)) return undefined;
      const opened = await (isPacked(id) ? packs.open(id, range) : openFile(bucket, id, range));
      const file = opened && current(opened.file);
      if (file) return { ...opened, file };
      await opened?.body.cancel();
      return undefined;
    },

    sha256: async (id) => (isPacked(id) ? (await packs.find(id))?.sha256 : sha256OfFile(bucket, id)),

    sweep: () => sweep(bucket, options.lifetimeMs, now()),
  };
}

/** Removes expired files. @returns their number */
async function sweep(bucket: Bucket, lifetimeMs: number, now: number): Promise<number> {
  await sweepRetired(bucket, now);
  const removedEarly = await sweepEnded(bucket, now);
  if (lifetimeMs === 0) return removedEarly;
  const alone = ({ uploaded }: BucketObject) => ({ stored: uploaded, count: 1 });
  const digest = ({ uploaded }: BucketObject) => ({ stored: uploaded, count: 0 });
  let removed = removedEarly;
  for (const [prefix, about, include] of [
    [FILES, alone, []] as const,
    [PACKS, aboutPack, ["customMetadata" as const] as const] as const,
    [DIGESTS, digest, []] as const,
    [PAGE_FILES, aboutPageFile, ["customMetadata" as const] as const] as const,
  ]) {
    let cursor: string | undefined;
    do {
      const page = await bucket.list({ prefix, include: [...include], ...(cursor ? { cursor } : {}) });
      const old = page.objects.filter((object) => about(object).stored.getTime() + lifetimeMs <= now);
      if (old.length > 0) await bucket.delete(old.map(({ key }) => key));
      removed += old.reduce((sum, object) => sum + about(object).count, 0);
      cursor = page.truncated ? page.cursor : undefined;
    } while (cursor);
  }
  return removed;
}

/** Removes the files that ended before the lifetime of all files. @returns their number */
async function sweepEnded(bucket: Bucket, now: number): Promise<number> {
  let removed = 0;
  for await (const ended of listExpired(bucket, now)) {
    for (const { name } of ended) {
      const keys = isPackName(name) ? [PACKS + name] : keysOf(name);
      const object = await bucket.head(keys[0]!);
      if (!object) continue;
      removed += isPackName(name) ? aboutPack(object).count : 1;
      await bucket.delete(keys);
      await removePageFilesOf(bucket, name);
    }
    await bucket.delete(ended.map(({ key }) => key));
  }
  return removed;
}
