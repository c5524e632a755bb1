// Writes the bytes of one request to an unfinished upload. Buffers one part. If several requests write to the same
// upload concurrently, one succeeds. The others fail without adding a byte to the file.

import { detectMediaType } from "../../../document/contract/media-type.ts";
import type { Bucket, MultipartUpload, UploadedPart } from "../../ports/bucket.ts";
import { writeExpiryMarker } from "../file-policy.ts";
import { FILES, fileOptions, PART_BYTES, SNIFFED_BYTES } from "../standalone-files.ts";
import { PartBuffer } from "./part-buffer.ts";
import { type OpenedState, removeState, restLength, stateKey, type UploadState, writeState } from "./upload-state.ts";

/** Minimum time between two writes of the state: R2 accepts one write per second to the same object. */
const COMMIT_EVERY_MS = 1000;
/** Maximum number of parts that are lost if the request is killed while it waits for bytes. */
const UNCOMMITTED_PARTS = 4;
/** Number of part numbers that a request reserves at a time. If the request is lost, they remain unused. */
const NUMBERS_AT_ONCE = 16;

/** Thrown if another request has changed, completed or deleted the upload since this request opened it. */
export class UploadConflict extends Error {
  override readonly name = "UploadConflict";
}

export interface WriterOptions {
  readonly bucket: Bucket;
  readonly id: string;
  readonly opened: OpenedState;
  /**
   * Set if the bytes of the request are stored completely or not at all, at `save` or `finish`: the maximum number of
   * these bytes. @default bytes are stored as they arrive
   */
  readonly wholeBytes?: number | undefined;
}

export class UploadWriter {
  readonly #bucket: Bucket;
  readonly #id: string;
  readonly #wholeBytes: number | undefined;
  readonly #buffer = new PartBuffer();
  readonly #parts: UploadedPart[];
  /** The state in the bucket. */
  #state: UploadState;
  #etag: string;
  #received: number;
  #multipart: MultipartUpload | undefined;
  /** The next of the part numbers that this request has reserved. */
  #nextNumber = 0;
  #endNumber = 0;
  #committedAt = Date.now();

  private constructor({ bucket, id, opened, wholeBytes }: WriterOptions) {
    this.#bucket = bucket;
    this.#id = id;
    this.#wholeBytes = wholeBytes;
    this.#state = opened.state;
    this.#etag = opened.etag;
    this.#parts = [...opened.state.parts];
    this.#received = opened.state.offset;
  }

  static async open(options: WriterOptions): Promise<UploadWriter> {
    const { state, reader } = options.opened;
    const writer = new UploadWriter(options);
    const rest = restLength(state);
    writer.#buffer.begin(PART_BYTES, rest + state.length - state.offset);
    // The loaded bytes are shorter than a part, so no part becomes complete.
    let loaded = 0;
    for await (const piece of reader.pieces(rest)) {
      loaded += piece.length;
      for (const _part of writer.#buffer.add(piece)) throw new Error(`the state of ${options.id} is too long`);
    }
    if (loaded < rest) throw new Error(`the state of ${options.id} is too short`);
    return writer;
  }

  /** Number of bytes of the file that this request and earlier requests have received. Some might not be stored yet. */
  get received(): number {
    return this.#received;
  }

  /** Number of bytes of the file that have not arrived. */
  get missing(): number {
    return this.#state.length - this.#received;
  }

  /** @throws UploadConflict */
  async add(chunk: Uint8Array): Promise<void> {
    this.#received += chunk.length;
    for (const part of this.#buffer.add(chunk)) await this.#send(part);
  }

  /**
   * Stores all received bytes for later requests.
   * @throws UploadConflict
   */
  async save(): Promise<void> {
    const rest = this.#buffer.rest();
    if (this.#received === this.#state.offset) return;
    const freeNumber = this.#multipart ? this.#nextNumber : this.#state.freeNumber;
    await this.#write({ parts: [...this.#parts], offset: this.#received, freeNumber }, rest);
  }

  /**
   * Completes the upload when all its bytes have arrived. It becomes a stored file.
   * @throws UploadConflict
   */
  async finish(): Promise<void> {
    const rest = this.#buffer.rest();
    const multipart = this.#multipart ?? (await this.#begin(rest));
    await writeExpiryMarker(this.#bucket, this.#state.marks ?? {}, this.#id);
    await this.orConflict(async () => {
      if (rest.length > 0) this.#parts.push(await multipart.uploadPart(this.#nextNumber++, rest));
      await multipart.complete(this.#parts);
    });
    await removeState(this.#bucket, this.#id);
  }

  async #send(part: Uint8Array): Promise<void> {
    const multipart = this.#multipart ?? (await this.#begin(part));
    if (this.#nextNumber === this.#endNumber) await this.#commit();
    this.#parts.push(await this.orConflict(() => multipart.uploadPart(this.#nextNumber++, part)));
    // A state without missing bytes must not be stored, because the upload would look complete.
    const isLast = this.#parts.length * PART_BYTES === this.#state.length;
    const isDue =
      Date.now() - this.#committedAt >= COMMIT_EVERY_MS ||
      this.#parts.length - this.#state.parts.length >= UNCOMMITTED_PARTS;
    if (this.#wholeBytes === undefined && isDue && !isLast) await this.#commit();
  }

  /**
   * Reserves part numbers that no request has used. If two parts have the same number, the bucket discards the earlier
   * part.
   * @param bytes received bytes after the last stored part
   */
  async #begin(bytes: Uint8Array): Promise<MultipartUpload> {
    const { name, uploadId, freeNumber, length, offset, marks = {} } = this.#state;
    const key = FILES + this.#id;
    const rest = bytes.subarray(0, restLength(this.#state));
    const count =
      this.#wholeBytes === undefined
        ? NUMBERS_AT_ONCE
        : partCount(rest.length + Math.min(this.#wholeBytes, length - offset));
    this.#nextNumber = freeNumber;
    if (uploadId !== undefined) {
      await this.#write({ freeNumber: freeNumber + count }, rest);
      this.#multipart = this.#bucket.resumeMultipartUpload(key, uploadId);
    } else {
      const type = detectMediaType(bytes.subarray(0, SNIFFED_BYTES), name);
      const multipart = await this.#bucket.createMultipartUpload(key, fileOptions({ name, type, marks }));
      try {
        await this.#write({ uploadId: multipart.uploadId, freeNumber: freeNumber + count }, rest);
      } catch (error) {
        await multipart.abort();
        throw error;
      }
      this.#multipart = multipart;
    }
    return this.#multipart;
  }

  /** Stores the list of parts, and reserves further part numbers. */
  async #commit(): Promise<void> {
    const offset = this.#parts.length * PART_BYTES;
    await this.#write(
      { parts: [...this.#parts], offset, freeNumber: this.#nextNumber + NUMBERS_AT_ONCE },
      new Uint8Array(0),
    );
  }

  async #write(changes: Partial<UploadState>, rest: Uint8Array): Promise<void> {
    const state = { ...this.#state, ...changes };
    const written = await writeState(this.#bucket, this.#id, state, rest, this.#etag);
    if (!written) throw new UploadConflict(`${this.#id} was changed by another request`);
    this.#state = state;
    this.#etag = written.etag;
    this.#endNumber = state.freeNumber;
    this.#committedAt = Date.now();
  }

  /** Runs a step. If it fails because another request has completed or deleted the upload, throws UploadConflict. */
  async orConflict<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      const state = await this.#bucket.head(stateKey(this.#id));
      // Even if this request has written the state last, another request can have completed the upload.
      const isOurs = state?.etag === this.#etag && !(await this.#bucket.head(FILES + this.#id));
      throw isOurs ? error : new UploadConflict(`${this.#id} was ended by another request`, { cause: error });
    }
  }
}

/** Returns the number of part numbers that these bytes might need. */
export const partCount = (bytes: number) => Math.ceil(bytes / PART_BYTES) + 1;
