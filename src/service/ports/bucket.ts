// Storage contract of files: a subset of Cloudflare's R2Bucket. Every R2Bucket is a Bucket; host/storage contains
// implementations for the file system and S3.

export interface BucketObject {
  readonly key: string;
  readonly size: number;
  /** Entity tag: opaque, unquoted, different after each change of the content. */
  readonly etag: string;
  readonly uploaded: Date;
  readonly httpMetadata?: { readonly contentType?: string };
  readonly customMetadata?: Readonly<Record<string, string>>;
}

/** An object with its bytes, or the requested range of them. The bytes can be read once. */
export interface BucketObjectBody extends BucketObject {
  readonly body: ReadableStream<Uint8Array>;
  bytes(): Promise<Uint8Array>;
}

/** Met if the object exists and has this entity tag. */
export interface BucketCondition {
  readonly etagMatches: string;
}

export interface BucketMetadata {
  readonly httpMetadata?: { contentType: string };
  /** Names must be lowercase, because S3 converts them to lowercase. */
  readonly customMetadata?: Record<string, string>;
}

export interface BucketGetOptions {
  /** A range that extends beyond the object's end is truncated. */
  readonly range?: { offset: number; length: number };
}

export interface BucketListOptions {
  readonly prefix?: string;
  readonly cursor?: string;
  /** Without `customMetadata`, listed objects might lack it. */
  readonly include?: "customMetadata"[];
}

/** At most 1000 objects, ordered by key. */
export type BucketPage = { readonly objects: readonly BucketObject[] } & (
  | { readonly truncated: true; readonly cursor: string }
  | { readonly truncated: false }
);

export interface UploadedPart {
  readonly partNumber: number;
  readonly etag: string;
}

/** An object that is uploaded in parts. The object is invisible until the upload is complete. */
export interface MultipartUpload {
  readonly uploadId: string;
  /**
   * Stores a part durably, replacing an earlier part with the same number. Parts are numbered from 1, and can be
   * uploaded in any order. All parts except the last have the same size, which is at least 5 MiB.
   */
  uploadPart(partNumber: number, value: Uint8Array): Promise<UploadedPart>;
  /** Completes the object from the given parts, and deletes other parts. */
  complete(parts: UploadedPart[]): Promise<BucketObject>;
  abort(): Promise<void>;
}

/**
 * Writes are durable and visible to all readers when their promise resolves. Readers never see a partial write. Example
 * of a conditional write: `put(key, bytes, { onlyIf: { etagMatches: etag } })` returns null if the object has changed.
 */
export interface Bucket {
  head(key: string): Promise<BucketObject | null>;
  /** @returns null if there is no such object; the object without its bytes if it does not meet the condition */
  get(
    key: string,
    options: BucketGetOptions & { readonly onlyIf: BucketCondition },
  ): Promise<BucketObjectBody | BucketObject | null>;
  get(key: string, options?: BucketGetOptions): Promise<BucketObjectBody | null>;
  /** @returns null if the stored object does not meet the condition; the stored object then remains unchanged */
  put(
    key: string,
    value: Uint8Array,
    options: BucketMetadata & { readonly onlyIf: BucketCondition },
  ): Promise<BucketObject | null>;
  put(key: string, value: Uint8Array, options?: BucketMetadata): Promise<BucketObject>;
  /** @param keys one key, or at most 1000; keys without an object are ignored */
  delete(keys: string | string[]): Promise<void>;
  list(options?: BucketListOptions): Promise<BucketPage>;
  createMultipartUpload(key: string, options?: BucketMetadata): Promise<MultipartUpload>;
  /**
   * Creates an upload that is never resumed. Its parts need not be durable before the upload is complete, and are
   * deleted if the process ends. @default createMultipartUpload
   */
  createTransientUpload?(key: string, options?: BucketMetadata): Promise<MultipartUpload>;
  /** Resumes an upload that another request or process created. Does not check that the upload exists. */
  resumeMultipartUpload(key: string, uploadId: string): MultipartUpload;
}
