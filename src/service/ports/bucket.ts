// Declares what the service asks of the storage below it: a subset of Cloudflare's R2Bucket. Every R2Bucket is a
// Bucket; host/storage has others, for the file system and for S3.

export interface BucketObject {
  readonly key: string;
  readonly size: number;
  /** Entity tag: opaque, unquoted, and another one after each change of the content. */
  readonly etag: string;
  readonly uploaded: Date;
  readonly httpMetadata?: { readonly contentType?: string };
  readonly customMetadata?: Readonly<Record<string, string>>;
}

/** An object whose bytes, or the range that was asked for, can be read once. */
export interface BucketObjectBody extends BucketObject {
  readonly body: ReadableStream<Uint8Array>;
  bytes(): Promise<Uint8Array>;
}

/** Holds if the object exists and has this entity tag. */
export interface BucketCondition {
  readonly etagMatches: string;
}

export interface BucketMetadata {
  readonly httpMetadata?: { contentType: string };
  /** Its names are lower case, because S3 makes them so. */
  readonly customMetadata?: Record<string, string>;
}

export interface BucketGetOptions {
  /** Lies within the object, or reaches beyond its end and is cut there. */
  readonly range?: { offset: number; length: number };
}

export interface BucketListOptions {
  readonly prefix?: string;
  readonly cursor?: string;
  /** Without `customMetadata`, objects may lack theirs. */
  readonly include?: "customMetadata"[];
}

/** At most 1000 objects, in the order of their keys. */
export type BucketPage = { readonly objects: readonly BucketObject[] } & (
  | { readonly truncated: true; readonly cursor: string }
  | { readonly truncated: false }
);

export interface UploadedPart {
  readonly partNumber: number;
  readonly etag: string;
}

/** An object that arrives in parts. Nobody sees it before it is complete. */
export interface MultipartUpload {
  readonly uploadId: string;
  /**
   * Stores a part durably, in place of an earlier one with the same number. Parts have numbers from 1 and come in any
   * order. All but the last have the same size of at least 5 MiB.
   */
  uploadPart(partNumber: number, value: Uint8Array): Promise<UploadedPart>;
  /** Joins parts, and forgets those that are not given. */
  complete(parts: UploadedPart[]): Promise<BucketObject>;
  abort(): Promise<void>;
}

/** Writes are durable and visible to all readers when their promise resolves. A reader never sees a part of one. */
export interface Bucket {
  head(key: string): Promise<BucketObject | null>;
  /** @returns null if there is no such object, and the object without its bytes if it fails the condition */
  get(
    key: string,
    options: BucketGetOptions & { readonly onlyIf: BucketCondition },
  ): Promise<BucketObjectBody | BucketObject | null>;
  get(key: string, options?: BucketGetOptions): Promise<BucketObjectBody | null>;
  /** @returns null if the object that is there now fails the condition; it stays as it is */
  put(
    key: string,
    value: Uint8Array,
    options: BucketMetadata & { readonly onlyIf: BucketCondition },
  ): Promise<BucketObject | null>;
  put(key: string, value: Uint8Array, options?: BucketMetadata): Promise<BucketObject>;
  /** @param keys one key, or at most 1000; those without an object are ignored */
  delete(keys: string | string[]): Promise<void>;
  list(options?: BucketListOptions): Promise<BucketPage>;
  createMultipartUpload(key: string, options?: BucketMetadata): Promise<MultipartUpload>;
  /**
   * Begins an upload that nobody resumes: its parts need not be durable before it is complete, and leave nothing behind
   * if the process ends. @default the bucket makes no difference
   */
  createBriefUpload?(key: string, options?: BucketMetadata): Promise<MultipartUpload>;
  /** Continues an upload that another request or process began. Does not check that there is such an upload. */
  resumeMultipartUpload(key: string, uploadId: string): MultipartUpload;
}
