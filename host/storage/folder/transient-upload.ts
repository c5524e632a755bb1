// A multipart upload that is never resumed, so only the complete object must be durable. Writes the parts to the file
// of the object, and syncs them while the next parts arrive.

import type { FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import type { BucketObject, MultipartUpload, UploadedPart } from "../../../src/service/ports/bucket.ts";
import { type ByteExtent, writeAll } from "./object-file.ts";

/** The incomplete file of an object. */
export interface Written {
  readonly path: string;
  readonly file: FileHandle;
}

export interface TransientUploadSettings {
  readonly written: Written;
  /** Syncs the file and commits the object. */
  commit(pieces: readonly ByteExtent[]): Promise<BucketObject>;
  /** Deletes the file. */
  discard(): Promise<void>;
  /** Runs a write, and maps its errors to errors that callers handle. */
  mapWriteErrors<T>(write: () => Promise<T>): Promise<T>;
}

export class TransientUpload implements MultipartUpload {
  readonly uploadId: string;
  readonly #settings: TransientUploadSettings;
  /** Extents of the parts, by etag. */
  readonly #pieces = new Map<string, ByteExtent>();
  #size = 0;
  #isOver = false;
  /** The running or last sync. Its failure is stored, because the system reports a failure only once. */
  #syncing: Promise<{ readonly error?: unknown }> | undefined;

  constructor(settings: TransientUploadSettings) {
    this.#settings = settings;
    this.uploadId = basename(settings.written.path);
  }

  uploadPart(partNumber: number, value: Uint8Array): Promise<UploadedPart> {
    const piece = { offset: this.#size, length: value.length };
    const etag = String(this.#pieces.size + 1);
    this.#size += value.length;
    this.#pieces.set(etag, piece);
    const { written, mapWriteErrors } = this.#settings;
    return mapWriteErrors(async () => {
      await writeAll(written.file, value, piece.offset);
      await this.#beginSync();
      return { partNumber, etag };
    });
  }

  complete(parts: readonly UploadedPart[]): Promise<BucketObject> {
    const { commit, mapWriteErrors, written } = this.#settings;
    return mapWriteErrors(async () => {
      await this.#synced();
      const object = await commit(this.#joined(parts));
      this.#isOver = true;
      await written.file.close();
      return object;
    });
  }

  async abort(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#syncing;
    await this.#settings.discard();
  }

  #joined(parts: readonly UploadedPart[]): ByteExtent[] {
    const joined: ByteExtent[] = [];
    for (const { partNumber, etag } of parts.toSorted((a, b) => a.partNumber - b.partNumber)) {
      const piece = this.#pieces.get(etag);
      if (!piece) throw new Error(`part ${partNumber} does not exist`);
      const last = joined.at(-1);
      if (last && last.offset + last.length === piece.offset) {
        joined[joined.length - 1] = { offset: last.offset, length: last.length + piece.length };
      } else joined.push(piece);
    }
    return joined;
  }

  /** Waits for the previous sync, then starts to sync the written bytes. */
  async #beginSync(): Promise<void> {
    await this.#synced();
    this.#syncing = this.#settings.written.file.datasync().then(
      () => ({}),
      (error: unknown) => ({ error }),
    );
  }

  async #synced(): Promise<void> {
    const ended = await this.#syncing;
    if (ended?.error !== undefined) throw ended.error;
  }
}
