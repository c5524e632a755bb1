// An upload in parts to the file system. Several can stand for the same upload.

import type { BucketObject, MultipartUpload, UploadedPart } from "../../../src/service/ports/bucket.ts";
import type { UnfinishedUploads, WholeUpload } from "./unfinished-uploads.ts";

export interface UploadTarget {
  readonly uploads: UnfinishedUploads;
  readonly key: string;
  /** Makes an object of an upload. */
  commit(upload: WholeUpload): Promise<BucketObject>;
  /** Runs a write, and words its failure. */
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
