// Stores files that arrive in several requests. An upload has an ID from the start. When the last byte has arrived, it
// becomes a stored file with the same ID.

import { detectMediaType } from "../../../document/contract/media-type.ts";
import type { Bucket } from "../../ports/bucket.ts";
import { withTag } from "../../regions/id-tag.ts";
import { isId, isPacked, newId } from "../file.ts";
import { type FilePolicy, policyFromMetadata, writeExpiryMarker } from "../file-policy.ts";
import { FILES, fileOptions } from "../standalone-files.ts";
import { findInfo, openState, removeState, statesIn, UPLOADS, type UploadInfo, writeState } from "./upload-state.ts";
import { partCount, UploadWriter } from "./upload-writer.ts";

/** The maximum part number of R2 and S3. */
const LAST_PART_NUMBER = 10_000;

export interface NewUpload {
  readonly name: string;
  readonly length: number;
  /** Upload-Metadata of the client. */
  readonly metadata: string;
  readonly marks?: FilePolicy;
}

/** An unfinished upload. */
export interface Unfinished extends NewUpload {
  readonly offset: number;
  /** Time at which the upload expires. */
  readonly expires: Date | undefined;
}

interface ResumableUploadsOptions {
  /** Time between the last change and the expiry of an unfinished upload; 0 means that it never expires. */
  readonly lifetimeMs: number;
  readonly now?: () => number;
  /** Tag of the region in new IDs. @default none */
  readonly tag?: string | undefined;
}

export class ResumableUploads {
  readonly #bucket: Bucket;
  readonly #lifetimeMs: number;
  readonly #now: () => number;
  readonly #tag: string | undefined;

  constructor(bucket: Bucket, { lifetimeMs, now = Date.now, tag }: ResumableUploadsOptions) {
    this.#tag = tag;
    this.#bucket = bucket;
    this.#lifetimeMs = lifetimeMs;
    this.#now = now;
  }

  /** Creates an upload, and returns its ID. Stores an empty file immediately. */
  async create({ name, length, metadata, marks = {} }: NewUpload): Promise<string> {
    const id = withTag(newId("input"), this.#tag);
    const nothing = new Uint8Array(0);
    if (length === 0) {
      await writeExpiryMarker(this.#bucket, marks, id);
      const type = detectMediaType(nothing, name);
      await this.#bucket.put(FILES + id, nothing, fileOptions({ name, type, marks }));
    } else {
      const marked = Object.keys(marks).length > 0 ? { marks } : {};
      const state = { name, length, metadata, ...marked, offset: 0, freeNumber: 1, parts: [], uploadId: undefined };
      await writeState(this.#bucket, id, state, nothing);
    }
    return id;
  }

  /** Returns the expiry of an upload that was last changed at `changed`, by default now. */
  expiry(changed = new Date(this.#now()), { expires = Infinity }: FilePolicy = {}): Date | undefined {
    const end = Math.min(this.#lifetimeMs > 0 ? changed.getTime() + this.#lifetimeMs : Infinity, expires);
    return end === Infinity ? undefined : new Date(end);
  }

  /** @returns undefined if there is no such upload, or it is complete */
  async find(id: string): Promise<Unfinished | "expired" | undefined> {
    const facts = isUploadId(id) ? await findInfo(this.#bucket, id) : undefined;
    if (!facts) return undefined;
    if (this.#isOver(facts, facts.changed)) return "expired";
    return { ...facts, expires: this.expiry(facts.changed, facts.marks) };
  }

  /**
   * Opens an upload for the bytes of one request.
   * @param wholeBytes see {@link WriterOptions.wholeBytes}
   * @returns undefined if there is no such upload, or it is complete
   */
  async open(id: string, wholeBytes?: number): Promise<UploadWriter | "expired" | undefined> {
    const opened = isUploadId(id) ? await openState(this.#bucket, id) : undefined;
    if (!opened) return undefined;
    await using reader = opened.reader;
    if (this.#isOver(opened.state, opened.changed)) return "expired";
    return await UploadWriter.open({ bucket: this.#bucket, id, opened: { ...opened, reader }, wholeBytes });
  }

  /** Deletes an unfinished upload. Requests that write to it fail. */
  async remove(id: string): Promise<void> {
    const facts = isUploadId(id) ? await findInfo(this.#bucket, id) : undefined;
    if (!facts) return;
    await removeState(this.#bucket, id);
    await this.#abort(id, facts.uploadId);
  }

  /**
   * Deletes expired uploads.
   * @returns their number
   */
  async sweep(): Promise<number> {
    let removed = 0;
    for await (const { key, uploaded, customMetadata } of statesIn(this.#bucket)) {
      const expires = this.expiry(uploaded, policyFromMetadata(customMetadata));
      if (expires === undefined || expires.getTime() > this.#now()) continue;
      await this.#bucket.delete(key);
      await this.#abort(key.slice(UPLOADS.length), customMetadata?.upload);
      removed++;
    }
    return removed;
  }

  /**
   * Reports whether an upload has expired. An upload has also expired if lost requests have used so many part numbers
   * that too few remain.
   */
  #isOver({ length, offset, freeNumber, marks }: UploadInfo, changed: Date): boolean {
    const expires = this.expiry(changed, marks);
    if (expires !== undefined && expires.getTime() <= this.#now()) return true;
    return freeNumber + partCount(length - offset) > LAST_PART_NUMBER;
  }

  async #abort(id: string, uploadId: string | undefined): Promise<void> {
    if (uploadId === undefined) return;
    // Fails if another request has completed the upload, or the bucket's lifecycle rules have deleted it.
    await this.#bucket
      .resumeMultipartUpload(FILES + id, uploadId)
      .abort()
      .catch(() => {});
  }
}

/** Reports whether an ID can belong to a resumable upload, unfinished or complete. */
export const isUploadId = (id: string) => isId(id) && id.startsWith("1") && !isPacked(id);
