// A multipart upload to an S3-compatible store. Several instances can represent the same upload, because requests
// resume it by ID.

import type { BucketMetadata, BucketObject, MultipartUpload, UploadedPart } from "../../../src/service/ports/bucket.ts";
import { escapeXml, type S3Client, textOf } from "./s3-client.ts";
import { headersOf, objectFrom, objectOf } from "./s3-headers.ts";

export class S3Upload implements MultipartUpload {
  readonly uploadId: string;
  readonly #client: S3Client;
  readonly #key: string;
  /** Undefined if another instance created the upload. */
  readonly #options: BucketMetadata | undefined;
  readonly #sizes = new Map<number, number>();

  constructor(client: S3Client, key: string, uploadId: string, options?: BucketMetadata) {
    this.#client = client;
    this.#key = key;
    this.uploadId = uploadId;
    this.#options = options;
  }

  static async create(client: S3Client, key: string, options: BucketMetadata): Promise<S3Upload> {
    const request = { method: "POST", key, query: { uploads: "" }, headers: headersOf(options) } as const;
    const uploadId = textOf(await client.sendForXml(request), "UploadId");
    if (!uploadId) throw new Error("the S3 store began an upload without an id");
    return new S3Upload(client, key, uploadId, options);
  }

  async uploadPart(partNumber: number, value: Uint8Array): Promise<UploadedPart> {
    const query = { partNumber: String(partNumber), uploadId: this.uploadId };
    const response = await this.#client.sendWhole({ method: "PUT", key: this.#key, query, body: value });
    this.#sizes.set(partNumber, value.length);
    return { partNumber, etag: response.headers.get("ETag") ?? "" };
  }

  async complete(parts: readonly UploadedPart[]): Promise<BucketObject> {
    const ordered = parts.toSorted((a, b) => a.partNumber - b.partNumber);
    const items = ordered.map(
      ({ partNumber, etag }) => `<Part><PartNumber>${partNumber}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
    );
    const body = `<CompleteMultipartUpload>${items.join("")}</CompleteMultipartUpload>`;
    const query = { uploadId: this.uploadId };
    const headers = { "Content-Type": "application/xml" };
    const root = await this.#client.sendForXml({ method: "POST", key: this.#key, query, headers, body });
    const sizes = ordered.map(({ partNumber }) => this.#sizes.get(partNumber) ?? Number.NaN);
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
    if (this.#options && !Number.isNaN(size)) {
      return objectOf(this.#key, size, textOf(root, "ETag") ?? "", this.#options);
    }
    return objectFrom(this.#key, await this.#client.send({ method: "HEAD", key: this.#key }));
  }

  async abort(): Promise<void> {
    const query = { uploadId: this.uploadId };
    await this.#client.sendWhole({ method: "DELETE", key: this.#key, query, expected: [404] });
  }
}
