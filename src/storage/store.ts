// Stores files by id in R2, alone or in packs. No code above this file knows R2, and this file does not know HTTP.

import type { Bucket, BucketObject } from "../core/bucket.ts";
import { Batch } from "./batch.ts";
import { type ByteRange, isId, isPacked, type Kind, packOf, type StoredFile } from "./file.ts";
import type { Keeping } from "./kept-bytes.ts";
import { DIGESTS, FILES, findFile, keysOf, openFile, sha256OfFile } from "./lone-files.ts";
import { aboutPack, PACKS, Packs } from "./packs.ts";

const MAX_DELETED_AT_ONCE = 1000;

export interface Store {
  /** Returns a batch for the files of one request. Small files wait for others as long as `room` has space for them. */
  batch(kind: Kind, room: Keeping): Batch;
  /** @returns undefined if there is no such file, or it has expired */
  find(id: string): Promise<StoredFile | undefined>;
  /** Returns the file with its bytes, or a range of them. */
  open(id: string, range?: ByteRange): Promise<{ file: StoredFile; body: ReadableStream<Uint8Array> } | undefined>;
  /** @returns the SHA-256 in lowercase hexadecimal digits */
  sha256(id: string): Promise<string | undefined>;
  remove(ids: readonly string[]): Promise<void>;
  /** Removes expired files. @returns the number of removed files */
  sweep(): Promise<number>;
}

export function createStore(bucket: Bucket, options: { lifetimeMs: number; now?: () => number }): Store {
  const packs = new Packs(bucket);
  const now = options.now ?? Date.now;
  const isOver = (stored: Date) => options.lifetimeMs > 0 && stored.getTime() + options.lifetimeMs <= now();

  async function remove(ids: readonly string[]): Promise<void> {
    const known = ids.filter(isId);
    const keys = known.filter((id) => !isPacked(id)).flatMap(keysOf);
    for (let at = 0; at < keys.length; at += MAX_DELETED_AT_ONCE) {
      await bucket.delete(keys.slice(at, at + MAX_DELETED_AT_ONCE));
    }
    for (const inPack of Map.groupBy(known.filter(isPacked), packOf).values()) await packs.remove(inPack);
  }

  return {
    batch: (kind, room) => new Batch({ bucket, kind, room, remove }),
    remove,

    async find(id) {
      if (!isId(id)) return undefined;
      const file = isPacked(id) ? (await packs.find(id))?.file : await findFile(bucket, id);
      return file && !isOver(file.modified) ? file : undefined;
    },

    async open(id, range) {
      if (!isId(id)) return undefined;
      const opened = await (isPacked(id) ? packs.open(id, range) : openFile(bucket, id, range));
      if (!opened || !isOver(opened.file.modified)) return opened;
      await opened.body.cancel();
      return undefined;
    },

    sha256: async (id) => (isPacked(id) ? (await packs.find(id))?.sha256 : sha256OfFile(bucket, id)),

    async sweep() {
      if (options.lifetimeMs === 0) return 0;
      const alone = ({ uploaded }: BucketObject) => ({ stored: uploaded, count: 1 });
      const digest = ({ uploaded }: BucketObject) => ({ stored: uploaded, count: 0 });
      let removed = 0;
      for (const [prefix, about, include] of [
        [FILES, alone, []] as const,
        [PACKS, aboutPack, ["customMetadata"] as const] as const,
        [DIGESTS, digest, []] as const,
      ]) {
        let cursor: string | undefined;
        do {
          const page = await bucket.list({ prefix, include: [...include], ...(cursor ? { cursor } : {}) });
          const old = page.objects.filter((object) => isOver(about(object).stored));
          if (old.length > 0) await bucket.delete(old.map(({ key }) => key));
          removed += old.reduce((sum, object) => sum + about(object).count, 0);
          cursor = page.truncated ? page.cursor : undefined;
        } while (cursor);
      }
      return removed;
    },
  };
}
