// A bucket of an S3-compatible store. Several hosts can share it, because the store resolves conflicts between
// conditional writes.

import { createHash, randomUUID } from "node:crypto";
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
import { childrenOf, escapeXml, S3Client, S3Error, type S3Settings, textOf } from "./s3-client.ts";
import { headersOf, objectFrom, objectOf, quoted, unquoted } from "./s3-headers.ts";
import { S3Upload } from "./s3-upload.ts";

/** Number of concurrent reads of object properties for one page of a listing. */
const READ_AT_ONCE = 16;
const MISSING = 404;
const CHANGED = 412;
/** Status if another conditional write to the same key is in progress. */
const CONFLICT = 409;

export class S3Bucket implements Bucket, Disposable {
  readonly #client: S3Client;

  private constructor(client: S3Client) {
    this.#client = client;
  }

  /**
   * Opens the bucket, creating it if necessary.
   * @throws Error with a message for the operator if the bucket is unusable
   */
  static async open(settings: S3Settings): Promise<S3Bucket> {
    const client = new S3Client(settings);
    const bucket = new S3Bucket(client);
    try {
      const { ok } = await client.send({ method: "HEAD", expected: [MISSING] });
      if (!ok) await client.sendWhole({ method: "PUT" });
      await bucket.#check();
      return bucket;
    } catch (error) {
      const { bucket: name, endpoint } = settings;
      const { cause } = error as Error;
      const reason = cause instanceof Error ? `${error} (${cause.message})` : `${error}`;
      throw new Error(`The bucket ${name} at ${endpoint} cannot be used: ${reason}`, { cause: error });
    }
  }

  /** Does nothing, because idle connections close by themselves. */
  [Symbol.dispose](): void {}

  async head(key: string): Promise<BucketObject | null> {
    const response = await this.#client.send({ method: "HEAD", key, expected: [MISSING] });
    return response.ok ? objectFrom(key, response) : null;
  }

  get(
    key: string,
    options: BucketGetOptions & { readonly onlyIf: BucketCondition },
  ): Promise<BucketObjectBody | BucketObject | null>;
  get(key: string, options?: BucketGetOptions): Promise<BucketObjectBody | null>;
  async get(key: string, { range, onlyIf }: BucketGetOptions & { readonly onlyIf?: BucketCondition } = {}) {
    const headers = {
      ...(range ? { Range: `bytes=${range.offset}-${range.offset + range.length - 1}` } : {}),
      ...(onlyIf ? { "If-Match": quoted(onlyIf.etagMatches) } : {}),
    };
    const response = await this.#client.send({ method: "GET", key, headers, expected: [MISSING, CHANGED] });
    if (response.ok) {
      return {
        ...objectFrom(key, response),
        get body() {
          return response.body!;
        },
        bytes: () => response.bytes(),
      };
    }
    await response.body?.cancel();
    // Some stores report a failed condition even if the object does not exist, so `head` decides.
    return response.status === CHANGED ? this.head(key) : null;
  }

  put(
    key: string,
    value: Uint8Array,
    options: BucketMetadata & { readonly onlyIf: BucketCondition },
  ): Promise<BucketObject | null>;
  put(key: string, value: Uint8Array, options?: BucketMetadata): Promise<BucketObject>;
  async put(key: string, value: Uint8Array, options: BucketMetadata & { readonly onlyIf?: BucketCondition } = {}) {
    const { onlyIf } = options;
    const headers = { ...headersOf(options), ...(onlyIf ? { "If-Match": quoted(onlyIf.etagMatches) } : {}) };
    const expected = onlyIf ? [MISSING, CHANGED, CONFLICT] : [];
    const response = await this.#client.sendWhole({ method: "PUT", key, headers, body: value, expected });
    return response.ok ? objectOf(key, value.length, response.headers.get("ETag") ?? "", options) : null;
  }

  createMultipartUpload(key: string, options: BucketMetadata = {}): Promise<MultipartUpload> {
    return S3Upload.create(this.#client, key, options);
  }

  resumeMultipartUpload(key: string, uploadId: string): MultipartUpload {
    return new S3Upload(this.#client, key, uploadId);
  }

  async delete(keys: string | string[]): Promise<void> {
    const all = [keys].flat();
    if (all.length === 0) return;
    const objects = all.map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`);
    const body = `<Delete><Quiet>true</Quiet>${objects.join("")}</Delete>`;
    const headers = {
      "Content-Type": "application/xml",
      "Content-MD5": createHash("md5").update(body).digest("base64"),
    };
    const root = await this.#client.sendForXml({ method: "POST", query: { delete: "" }, headers, body });
    const failed = childrenOf(root, "Error").find((error) => textOf(error, "Code") !== "NoSuchKey");
    if (failed) throw new S3Error(`DELETE ${textOf(failed, "Key")}`, 200, textOf(failed, "Code") ?? "");
  }

  async list({ prefix = "", cursor, include = [] }: BucketListOptions = {}): Promise<BucketPage> {
    const query = { "list-type": "2", prefix, ...(cursor === undefined ? {} : { "continuation-token": cursor }) };
    const root = await this.#client.sendForXml({ method: "GET", query });
    const listed = childrenOf(root, "Contents").map((item) => ({
      key: textOf(item, "Key")!,
      size: Number(textOf(item, "Size")),
      etag: unquoted(textOf(item, "ETag") ?? ""),
      uploaded: new Date(textOf(item, "LastModified")!),
    }));
    const objects = include.includes("customMetadata") ? await this.#described(listed) : listed;
    const next = textOf(root, "NextContinuationToken");
    return next === undefined ? { objects, truncated: false } : { objects, truncated: true, cursor: next };
  }

  /** Adds the properties that listings of S3 lack. Omits objects that have been deleted since the listing. */
  async #described(listed: readonly BucketObject[]): Promise<BucketObject[]> {
    const objects: BucketObject[] = [];
    for (let at = 0; at < listed.length; at += READ_AT_ONCE) {
      const found = await Promise.all(listed.slice(at, at + READ_AT_ONCE).map(({ key }) => this.head(key)));
      objects.push(...found.filter((object) => object !== null));
    }
    return objects;
  }

  /**
   * Tests whether the store supports conditions, by a conditional write that must fail. If a store ignored conditions,
   * two hosts could overwrite each other's changes.
   */
  async #check(): Promise<void> {
    const key = `check/${randomUUID()}`;
    if ((await this.put(key, new Uint8Array(0), { onlyIf: { etagMatches: "0".repeat(32) } })) === null) return;
    await this.delete(key);
    throw new Error("the store ignores If-Match in PUT");
  }
}
