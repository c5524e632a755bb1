// Stores files by ID in R2, as standalone objects or in packs. Only this folder uses R2. It is independent of HTTP.

import type { Bucket, BucketObject } from "../ports/bucket.ts";
import { withTag } from "../regions/id-tag.ts";
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

/** Maximum number of concurrent lookups of IDs: a Worker can have six connections. */
export const LOOKUP_CONCURRENCY = 6;

export interface Store {
  /**
   * Returns a batch for the files of one request. Small files are buffered and stored in packs, as long as the
   * reservation has memory for them.
   */
  batch(kind: FileKind, reservation: Reservation): Batch;
  /** @returns undefined if there is no such file, or it has expired */
  find(id: string): Promise<FoundFile | undefined>;
  /** Returns the file with its bytes, or a range of them; undefined if there is no such file, or it has expired. */
  open(id: string, range?: ByteRange): Promise<{ file: FoundFile; body: ReadableStream<Uint8Array> } | undefined>;
  /** @returns the SHA-256 of a file, in lowercase hexadecimal */
  sha256(id: string): Promise<string | undefined>;
  /** Deletes files, and the objects derived from their pages. */
  remove(ids: readonly string[]): Promise<void>;
  /** Deletes files at a client's request, and records the deletion for a limited time. */
  retire(files: readonly FoundFile[]): Promise<void>;
  /** Reports whether a client deleted the file recently. */
  isRetired(id: string): Promise<boolean>;
  /** Returns the ID of a new job, with the tag of the region. @param id UUID without a tag. @default a random one */
  taggedId(id?: string): string;
  /** Stores data derived from the pages of files. */
  readonly pageFiles: Pick<PageFiles, "read" | "put">;
  /**
   * Deletes expired files.
   * @returns the number of deleted files
   */
  sweep(): Promise<number>;
}

const unmarked = (): FilePolicy => ({});

const tagged = (ids: IdGenerator, tag: string | undefined): IdGenerator => ({
  standalone: async (kind) => withTag(await ids.standalone(kind), tag),
  packed: async (kind, count) => (await ids.packed(kind, count)).map((id) => withTag(id, tag)),
});

export interface StoreOptions {
  /** Default lifetime of files; 0 means unlimited. */
  readonly lifetimeMs: number;
  /** Generates the IDs of new files. @default random IDs */
  readonly ids?: IdGenerator;
  /** Tag of the region, which all new IDs contain. @default none */
  readonly tag?: string | undefined;
  /** Returns the policy of a file stored now. @default no owner, and the default lifetime */
  marks?(): FilePolicy;
  /** Counts the bytes of received inputs. @default not counted */
  received?(bytes: number): void;
  /** Counts stored bytes. @default not counted */
  readonly storing?: Storing | undefined;
  /** Called with the files that a client deleted. */
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
    // A discarded batch need not delete derived objects: no client received the IDs of its files, so nothing was
    // derived from them.
    batch(kind, reservation) {
      const { ids: untagged = randomIds, tag, marks = unmarked, received, storing } = options;
      const counting = received && kind === "input" ? { received } : {};
      return new Batch({ bucket, kind, ids: tagged(untagged, tag), marks, reservation, remove, storing, ...counting });
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

    taggedId: (id = crypto.randomUUID()) => withTag(id, options.tag),

    // Uses a new store, because the packs that this store has cached do not show later deletions.
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

/**
 * Deletes expired files.
 * @returns their number
 */
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

/**
 * Deletes expired files that expire earlier than by the default lifetime.
 * @returns their number
 */
async function sweepEnded(bucket: Bucket, now: number): Promise<number> {
  let removed = 0;
  for await (const ended of listExpired(bucket, now)) {
    for (const { name } of ended) {
      const object = await bucket.head(objectKeyOf(name));
      if (!object) continue;
      removed += isPackName(name) ? aboutPack(object).count : 1;
      await removeObject(bucket, name);
    }
    await bucket.delete(ended.map(({ key }) => key));
  }
  return removed;
}

/** Returns the key of an object. @param name ID of a standalone file, or the ID prefix that identifies a pack */
export const objectKeyOf = (name: string): string => (isPackName(name) ? PACKS : FILES) + name;

/** Deletes a standalone file or a pack by its name, and the objects derived from its pages. */
export async function removeObject(bucket: Bucket, name: string): Promise<void> {
  await bucket.delete(isPackName(name) ? objectKeyOf(name) : keysOf(name));
  await removePageFilesOf(bucket, name);
}
