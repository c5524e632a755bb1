// A multipart upload to the file system. Several instances can represent the same upload, because requests resume it by
// ID.

import type { BucketObject, MultipartUpload, UploadedPart } from "../../../src/service/ports/bucket.ts";
import type { UnfinishedUploads, WholeUpload } from "./unfinished-uploads.ts";

export interface UploadTarget {
  readonly uploads: UnfinishedUploads;
  readonly key: string;
  /** Commits the object of a completed upload. */
  commit(upload: WholeUpload): Promise<BucketObject>;
  /** Runs a write, and maps its errors to errors that callers handle. */
  storing<T>(write: () => Promise<T>): Promise<T>;
}

export class FileUpload implements MultipartUpload {
  readonly uploadId: string;
  readonly #target: UploadTarget;

  constructor(uploadId: string, target: UploadTarget) {
    this.uploadId = uploadId;
    this.#target = target;
  }

  uploadPart(partNumber: number, value: Uint8Array): Promise<UploadedPart> {
    const { uploads, storing } = this.#target;
    return storing(() => uploads.add(this.uploadId, partNumber, value));
  }

  complete(parts: readonly UploadedPart[]): Promise<BucketObject> {
    const { uploads, key, commit, storing } = this.#target;
    return storing(() => uploads.complete(this.uploadId, key, parts, commit));
  }

  abort(): Promise<void> {
    return this.#target.uploads.remove(this.uploadId);
  }
}
