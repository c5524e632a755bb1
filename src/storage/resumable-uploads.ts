// Stores files that arrive in several requests. An upload has its id from the start, and is a stored file when its last
// byte has arrived.

import type { Bucket } from "../core/bucket.ts";
import { mediaTypeOf } from "../core/media-type.ts";
import { isId, isPacked, newId } from "./file.ts";
import { FILES, fileOptions } from "./lone-files.ts";
import { findFacts, openState, removeState, statesIn, UPLOADS, type UploadFacts, writeState } from "./upload-state.ts";
import { partCount, UploadWriter } from "./upload-writer.ts";

/** The limit of R2 and S3. */
const LAST_PART_NUMBER = 10_000;

export interface NewUpload {
  readonly name: string;
  readonly length: number;
  /** The client's description of the file. */
  readonly metadata: string;
}

/** An unfinished upload. */
export interface Unfinished extends NewUpload {
  readonly offset: number;
  /** Time after which it is removed. */
  readonly expires: Date | undefined;
}

export class ResumableUploads {
  readonly #bucket: Bucket;
  readonly #lifetimeMs: number;
  readonly #now: () => number;

  /** @param lifetimeMs time after the last change until an unfinished upload is removed; 0 means unlimited */
  constructor(bucket: Bucket, { lifetimeMs, now = Date.now }: { lifetimeMs: number; now?: () => number }) {
    this.#bucket = bucket;
    this.#lifetimeMs = lifetimeMs;
    this.#now = now;
  }

  /** Returns the id of the new upload. An empty file is stored at once. */
  async create({ name, length, metadata }: NewUpload): Promise<string> {
    const id = newId("input");
    const nothing = new Uint8Array(0);
    if (length === 0) await this.#bucket.put(FILES + id, nothing, fileOptions(name, mediaTypeOf(nothing, name)));
    else {
      const state = { name, length, metadata, offset: 0, freeNumber: 1, parts: [], uploadId: undefined };
      await writeState(this.#bucket, id, state, nothing);
    }
    return id;
  }

  /** Returns the time after which an upload that changes now is removed. */
  expiry(changed = new Date(this.#now())): Date | undefined {
    return this.#lifetimeMs > 0 ? new Date(changed.getTime() + this.#lifetimeMs) : undefined;
  }

  /** @returns undefined if there is no such upload, or it is finished */
  async find(id: string): Promise<Unfinished | "expired" | undefined> {
    const facts = isUploadId(id) ? await findFacts(this.#bucket, id) : undefined;
    if (!facts) return undefined;
    return this.#isOver(facts, facts.changed) ? "expired" : { ...facts, expires: this.expiry(facts.changed) };
  }

  /**
   * Opens an upload for the bytes of one request.
   * @param wholeBytes see WriterOptions
   * @returns undefined if there is no such upload, or it is finished
   */
  async open(id: string, wholeBytes?: number): Promise<UploadWriter | "expired" | undefined> {
    const opened = isUploadId(id) ? await openState(this.#bucket, id) : undefined;
    if (!opened) return undefined;
    await using reader = opened.reader;
    if (this.#isOver(opened.state, opened.changed)) return "expired";
    return await UploadWriter.open({ bucket: this.#bucket, id, opened: { ...opened, reader }, wholeBytes });
  }

  /** Removes an unfinished upload. A request that writes to it fails. */
  async remove(id: string): Promise<void> {
    const facts = isUploadId(id) ? await findFacts(this.#bucket, id) : undefined;
    if (!facts) return;
    await removeState(this.#bucket, id);
    await this.#abort(id, facts.uploadId);
  }

  /** Removes expired uploads. @returns their number */
  async sweep(): Promise<number> {
    if (this.#lifetimeMs === 0) return 0;
    let removed = 0;
    for await (const { key, uploaded, customMetadata } of statesIn(this.#bucket)) {
      if (this.expiry(uploaded)!.getTime() > this.#now()) continue;
      await this.#bucket.delete(key);
      await this.#abort(key.slice(UPLOADS.length), customMetadata?.upload);
      removed++;
    }
    return removed;
  }

  /** Reports whether an upload has outlived its time, or too many requests were lost for another one to finish it. */
  #isOver({ length, offset, freeNumber }: UploadFacts, changed: Date): boolean {
    const expires = this.expiry(changed);
    if (expires !== undefined && expires.getTime() <= this.#now()) return true;
    return freeNumber + partCount(length - offset) > LAST_PART_NUMBER;
  }

  async #abort(id: string, uploadId: string | undefined): Promise<void> {
    if (uploadId === undefined) return;
    // Fails if the upload was finished at the same time, or the bucket has removed it after its own time limit.
    await this.#bucket
      .resumeMultipartUpload(FILES + id, uploadId)
      .abort()
      .catch(() => {});
  }
}

/** Reports whether an id can be that of a resumable upload. */
const isUploadId = (id: string) => isId(id) && id.startsWith("1") && !isPacked(id);
