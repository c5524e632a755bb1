// Keeps what is derived from the pages of a stored file, beside it in the bucket. It is not a file of its own: it has no
// id, and is removed with its file. Layout:
//   pages/<id>/<name>   the bytes; custom metadata holds the time when the file was stored, which is when its lifetime
//                       began

import type { Bucket, BucketObject } from "../ports/bucket.ts";
import type { ByteRange, StoredFile } from "./file.ts";

export const PAGE_FILES = "pages/";
/** Limits concurrent removals; a Worker has six connections. */
const REMOVED_AT_ONCE = 6;

const keyOf = (id: string, name: string) => `${PAGE_FILES}${id}/${name}`;

export class PageFiles {
  readonly #bucket: Bucket;
  readonly #exists: (id: string) => Promise<boolean>;

  /** @param exists reports whether there is a file with this id */
  constructor(bucket: Bucket, exists: (id: string) => Promise<boolean>) {
    this.#bucket = bucket;
    this.#exists = exists;
  }

  /** @returns the bytes, or those of them that are within the range; undefined if there are none of this name */
  async read(id: string, name: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const object = await this.#bucket.get(keyOf(id, name), range ? { range: { ...range } } : {});
    return object ? new Uint8Array(await object.bytes()) : undefined;
  }

  /** Keeps bytes for as long as the file exists. */
  async put({ id, modified }: StoredFile, name: string, bytes: Uint8Array): Promise<void> {
    const key = keyOf(id, name);
    await this.#bucket.put(key, bytes, { customMetadata: { stored: String(modified.getTime()) } });
    // A removal that did not see the object has removed the file before.
    if (!(await this.#exists(id))) await this.#bucket.delete(key);
  }
}

/** Removes everything that was derived from the files. */
export async function removePageFiles(bucket: Bucket, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += REMOVED_AT_ONCE) {
    await Promise.all(ids.slice(at, at + REMOVED_AT_ONCE).map((id) => removeOf(bucket, id)));
  }
}

const removeOf = (bucket: Bucket, id: string) => removeBeginningWith(bucket, keyOf(id, ""));

/**
 * Removes everything that was derived from the files of a name.
 * @param name id of a lone file, or the part of an id that names a pack
 */
export const removePageFilesOf = (bucket: Bucket, name: string) => removeBeginningWith(bucket, PAGE_FILES + name);

async function removeBeginningWith(bucket: Bucket, prefix: string): Promise<void> {
  for (;;) {
    const { objects, truncated } = await bucket.list({ prefix });
    if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}

/** Returns when the file of a derived object was stored. It does not count as a file. */
export const aboutPageFile = ({ customMetadata, uploaded }: BucketObject) => ({
  stored: customMetadata?.stored === undefined ? uploaded : new Date(Number(customMetadata.stored)),
  count: 0,
});
