// A bucket in a folder of the file system, used by one process. Layout:
//   objects/<key up to its last slash>/<rest of the key>   an object, see object-file.ts
//   writing/<random name>                                  an incomplete object
//   unfinished/                                            multipart uploads, see unfinished-uploads.ts
//   owner.db                                               the lock of the process that uses the folder
// An object is written and synced under a random name, then renamed, then its folder is synced. After a crash, the key
// therefore has either the old or the new object. Opening the bucket deletes incomplete objects of a crash.

import { randomBytes, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StorageFull } from "../../../src/document/contract/failure.ts";
import type {
  Bucket,
  BucketCondition,
  BucketGetOptions,
  BucketListOptions,
  BucketMetadata,
  BucketObject,
  BucketObjectBody,
  BucketPage,
  MultipartUpload,
} from "../../../src/service/ports/bucket.ts";
import { FolderSyncs, ignoreNotFound, syncFolder } from "./durable.ts";
import { FileUpload } from "./file-upload.ts";
import { lockFolder } from "./folder-lock.ts";
import { keyOf, pathOf, startOf } from "./key-path.ts";
import { KeyedMutex } from "./keyed-mutex.ts";
import {
  type ByteExtent,
  extentsOf,
  type Properties,
  readExtents,
  readTrailer,
  streamExtents,
  writeTrailer,
  writeWhole,
} from "./object-file.ts";
import { TransientUpload, type Written } from "./transient-upload.ts";
import { UnfinishedUploads, type WholeUpload } from "./unfinished-uploads.ts";

const PAGE_KEYS = 1000;
/** Number of concurrent reads of object properties for one page of a listing. */
const READ_AT_ONCE = 16;

interface Commit {
  readonly key: string;
  readonly written: Written;
  readonly properties: Properties;
  readonly onlyIf?: BucketCondition | undefined;
}

export class FileBucket implements Bucket, Disposable {
  readonly #objects: string;
  readonly #writing: string;
  readonly #uploads: UnfinishedUploads;
  readonly #owner: Disposable;
  readonly #changes = new KeyedMutex();
  readonly #folders = new FolderSyncs();
  /** Object folders that are known to be durable. */
  readonly #lasting = new Set<string>();
  /** The keys after the last page of a listing, so that the next page need not read the folders again. */
  #listed: { readonly cursor: string; readonly keys: readonly string[] } | undefined;

  private constructor(folder: string, uploads: UnfinishedUploads, owner: Disposable) {
    this.#objects = join(folder, "objects");
    this.#writing = join(folder, "writing");
    this.#uploads = uploads;
    this.#owner = owner;
  }

  /**
   * Opens the bucket in a folder. Creates the folder if necessary. If another process uses it, waits a few seconds for
   * that process to exit.
   * @throws Error with a message for the operator if another process uses the folder
   */
  static async open(folder: string): Promise<FileBucket> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const owner = await lockFolder(folder);
    try {
      const uploads = await UnfinishedUploads.open(join(folder, "unfinished"));
      const bucket = new FileBucket(folder, uploads, owner);
      await rm(bucket.#writing, { recursive: true, force: true });
      await mkdir(bucket.#writing, { mode: 0o700 });
      await mkdir(bucket.#objects, { recursive: true, mode: 0o700 });
      await syncFolder(folder);
      return bucket;
    } catch (error) {
      owner[Symbol.dispose]();
      throw error;
    }
  }

  /** Releases the folder for another process. */
  [Symbol.dispose](): void {
    this.#owner[Symbol.dispose]();
  }

  async head(key: string): Promise<BucketObject | null> {
    const found = await this.#find(key);
    await found?.file.close();
    return found ? describe(key, found.properties) : null;
  }

  get(
    key: string,
    options: BucketGetOptions & { readonly onlyIf: BucketCondition },
  ): Promise<BucketObjectBody | BucketObject | null>;
  get(key: string, options?: BucketGetOptions): Promise<BucketObjectBody | null>;
  async get(key: string, options: BucketGetOptions & { readonly onlyIf?: BucketCondition } = {}) {
    const found = await this.#find(key);
    if (!found) return null;
    const { file, properties } = found;
    const object = describe(key, properties);
    if (options.onlyIf && options.onlyIf.etagMatches !== properties.etag) {
      await file.close();
      return object;
    }
    // An open file remains readable after its key has been overwritten or deleted.
    const pieces = extentsOf(properties, options.range);
    let body: ReadableStream<Uint8Array> | undefined;
    return {
      ...object,
      get body() {
        body ??= streamExtents(file, pieces);
        return body;
      },
      bytes: () => readExtents(file, pieces),
    };
  }

  put(
    key: string,
    value: Uint8Array,
    options: BucketMetadata & { readonly onlyIf: BucketCondition },
  ): Promise<BucketObject | null>;
  put(key: string, value: Uint8Array, options?: BucketMetadata): Promise<BucketObject>;
  async put(key: string, value: Uint8Array, options: BucketMetadata & { readonly onlyIf?: BucketCondition } = {}) {
    const { onlyIf } = options;
    return mapWriteErrors(async () => {
      const written = await this.#create();
      let object: BucketObject | null = null;
      try {
        const properties = propertiesOf([{ offset: 0, length: value.length }], options);
        await writeWhole(written.file, value, properties);
        object = await this.#commit({ key, written, properties, onlyIf });
        return object;
      } finally {
        await (object ? written.file.close() : discard(written));
      }
    });
  }

  async createMultipartUpload(key: string, options: BucketMetadata = {}): Promise<MultipartUpload> {
    pathOf(key);
    const uploadId = await mapWriteErrors(() => this.#uploads.create(key, options));
    return this.resumeMultipartUpload(key, uploadId);
  }

  async createTransientUpload(key: string, options: BucketMetadata = {}): Promise<MultipartUpload> {
    pathOf(key);
    const written = await mapWriteErrors(() => this.#create());
    return new TransientUpload({
      ...{ written, mapWriteErrors, discard: () => discard(written) },
      commit: (pieces) => this.#commitPieces({ key, written, properties: propertiesOf(pieces, options) }),
    });
  }

  resumeMultipartUpload(key: string, uploadId: string): MultipartUpload {
    const commit = ({ path, file, pieces, options }: WholeUpload) =>
      this.#commitPieces({ key, written: { path, file }, properties: propertiesOf(pieces, options) });
    return new FileUpload(uploadId, { uploads: this.#uploads, key, commit, storing: mapWriteErrors });
  }

  /**
   * Deletes all unfinished uploads except those with the given IDs.
   * @returns their number
   */
  removeUploadsExcept(ids: ReadonlySet<string>): Promise<number> {
    return this.#uploads.removeExcept(ids);
  }

  async delete(keys: string | string[]): Promise<void> {
    const folders = new Set<string>();
    for (const key of [keys].flat()) {
      const path = this.#pathOf(key);
      await this.#changes.run(key, async () => {
        await unlink(path).then(() => folders.add(dirname(path)), ignoreNotFound);
      });
    }
    for (const folder of folders) await this.#folders.sync(folder);
  }

  async list({ prefix = "", cursor }: BucketListOptions = {}): Promise<BucketPage> {
    const listed = this.#listed;
    const keys = cursor !== undefined && listed?.cursor === cursor ? listed.keys : await this.#keys(prefix, cursor);
    const page = keys.slice(0, PAGE_KEYS);
    const objects: BucketObject[] = [];
    for (let at = 0; at < page.length; at += READ_AT_ONCE) {
      const found = await Promise.all(page.slice(at, at + READ_AT_ONCE).map((key) => this.head(key)));
      objects.push(...found.filter((object) => object !== null));
    }
    if (keys.length <= PAGE_KEYS) return { objects, truncated: false };
    this.#listed = { cursor: page.at(-1)!, keys: keys.slice(PAGE_KEYS) };
    return { objects, truncated: true, cursor: this.#listed.cursor };
  }

  /** Returns the sorted keys that start with `prefix` and follow `after`. */
  async #keys(prefix: string, after = ""): Promise<string[]> {
    const keys: string[] = [];
    for (const folder of await readdir(this.#objects)) {
      const start = startOf(folder);
      if (!start.startsWith(prefix) && !prefix.startsWith(start)) continue;
      for (const name of await readdir(join(this.#objects, folder))) {
        const key = keyOf({ folder, name });
        if (key > after && key.startsWith(prefix)) keys.push(key);
      }
    }
    return keys.sort();
  }

  #pathOf(key: string): string {
    const { folder, name } = pathOf(key);
    return join(this.#objects, folder, name);
  }

  async #find(key: string): Promise<{ readonly file: FileHandle; readonly properties: Properties } | undefined> {
    const file = await open(this.#pathOf(key)).catch(ignoreNotFound);
    if (!file) return undefined;
    try {
      return { file, properties: await readTrailer(file) };
    } catch (error) {
      await file.close();
      throw new Error(`The stored object ${key} cannot be read.`, { cause: error });
    }
  }

  async #create(): Promise<Written> {
    const path = join(this.#writing, randomUUID());
    return { path, file: await open(path, "wx", 0o600) };
  }

  /** Adds the trailer to a file that already contains the bytes in several extents, and commits it. */
  async #commitPieces(commit: Commit): Promise<BucketObject> {
    await writeTrailer(commit.written.file, commit.properties);
    return (await this.#commit(commit))!;
  }

  /**
   * Makes a complete file the object of a key.
   * @returns null if the current object does not meet the condition
   */
  async #commit({ key, written, properties, onlyIf }: Commit): Promise<BucketObject | null> {
    await written.file.datasync();
    const path = this.#pathOf(key);
    const folder = dirname(path);
    return this.#changes.run(key, async () => {
      if (onlyIf && (await this.head(key))?.etag !== onlyIf.etagMatches) return null;
      await rename(written.path, path).catch(async (error) => {
        ignoreNotFound(error);
        this.#lasting.delete(folder);
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await rename(written.path, path);
      });
      if (!this.#lasting.has(folder)) {
        await this.#folders.sync(this.#objects);
        this.#lasting.add(folder);
      }
      await this.#folders.sync(folder);
      return describe(key, properties);
    });
  }
}

function propertiesOf(pieces: readonly ByteExtent[], { httpMetadata, customMetadata }: BucketMetadata): Properties {
  return {
    size: pieces.reduce((sum, { length }) => sum + length, 0),
    etag: randomBytes(16).toString("hex"),
    uploaded: Date.now(),
    pieces,
    ...(httpMetadata ? { contentType: httpMetadata.contentType } : {}),
    ...(customMetadata ? { customMetadata } : {}),
  };
}

function describe(key: string, { size, etag, uploaded, contentType, customMetadata }: Properties): BucketObject {
  return {
    key,
    size,
    etag,
    uploaded: new Date(uploaded),
    httpMetadata: contentType === undefined ? {} : { contentType },
    customMetadata: customMetadata ?? {},
  };
}

/**
 * Runs a write, and maps its errors to errors that callers handle.
 * @throws StorageFull if the disk or the quota is full
 */
async function mapWriteErrors<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") throw new StorageFull("the disk is full", { cause: error });
    throw error;
  }
}

async function discard({ path, file }: Written): Promise<void> {
  await file.close();
  await unlink(path).catch(ignoreNotFound);
}
