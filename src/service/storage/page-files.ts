// Stores data derived from the pages of a stored file, such as page images. Derived objects have no ID. They are
// deleted together with the file. Layout:
//   pages/<id>/<name>   the bytes
// Custom metadata contains the time at which the file was stored, because derived objects expire with the file.

import type { Bucket, BucketObject } from "../ports/bucket.ts";
import type { ByteRange, StoredFile } from "./file.ts";

export const PAGE_FILES = "pages/";
/** Maximum number of concurrent deletions: a Worker can have six connections. */
const REMOVED_AT_ONCE = 6;

/** Returns the prefix of the keys of all objects derived from a file. */
export const pageFilesPrefix = (id: string): string => `${PAGE_FILES}${id}/`;
const keyOf = (id: string, name: string) => pageFilesPrefix(id) + name;

export class PageFiles {
  readonly #bucket: Bucket;
  readonly #exists: (id: string) => Promise<boolean>;

  /** @param exists reports whether a file with this ID exists */
  constructor(bucket: Bucket, exists: (id: string) => Promise<boolean>) {
    this.#bucket = bucket;
    this.#exists = exists;
  }

  /** @returns the bytes, or the requested range; undefined if there is no object with this name */
  async read(id: string, name: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const object = await this.#bucket.get(keyOf(id, name), range ? { range: { ...range } } : {});
    return object ? new Uint8Array(await object.bytes()) : undefined;
  }

  /** Stores a derived object, which exists until the file is deleted. */
  async put({ id, modified }: StoredFile, name: string, bytes: Uint8Array): Promise<void> {
    const key = keyOf(id, name);
    await this.#bucket.put(key, bytes, { customMetadata: { stored: String(modified.getTime()) } });
    // If a concurrent request deleted the file, it might have listed the derived objects before this one was stored.
    if (!(await this.#exists(id))) await this.#bucket.delete(key);
  }
}

/** Deletes all objects derived from the files. */
export async function removePageFiles(bucket: Bucket, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += REMOVED_AT_ONCE) {
    await Promise.all(ids.slice(at, at + REMOVED_AT_ONCE).map((id) => removeOf(bucket, id)));
  }
}

const removeOf = (bucket: Bucket, id: string) => removeBeginningWith(bucket, pageFilesPrefix(id));

/**
 * Deletes all objects derived from a standalone file or from the files of a pack.
 * @param name ID of a standalone file, or the ID prefix that identifies a pack
 */
export const removePageFilesOf = (bucket: Bucket, name: string) => removeBeginningWith(bucket, PAGE_FILES + name);

async function removeBeginningWith(bucket: Bucket, prefix: string): Promise<void> {
  for (;;) {
    const { objects, truncated } = await bucket.list({ prefix });
    if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}

/**
 * Returns the source file's time of storage, from the listing of a derived object. A derived object does not count as a
 * file.
 */
export const aboutPageFile = ({ customMetadata, uploaded }: BucketObject) => ({
  stored: customMetadata?.stored === undefined ? uploaded : new Date(Number(customMetadata.stored)),
  count: 0,
});
