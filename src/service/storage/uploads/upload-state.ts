// Reads and writes the state of an unfinished upload. The state is one object, so that each change is one conditional
// write. Layout:
//   uploads/<id>   info as JSON, then the list of parts as JSON, then the bytes after the last part
// Custom metadata contains the lengths of both texts, the file policy and, once the first part is stored, the bucket's
// ID of the multipart upload.

import { ByteReader } from "../../../document/contract/byte-reader.ts";
import { delay } from "../../../runtime/delay.ts";
import type { Bucket, BucketObject, UploadedPart } from "../../ports/bucket.ts";
import { type FilePolicy, policyToMetadata } from "../file-policy.ts";
import { PART_BYTES } from "../standalone-files.ts";

export const UPLOADS = "uploads/";
export const stateKey = (id: string) => UPLOADS + id;

/** Size of the first read, which always contains the whole info. */
const START_BYTES = 2 ** 15;
/** R2 accepts one write per second to the same object, so a failed write is retried after a delay. */
const WRITE_ATTEMPTS = 4;
const WRITE_PAUSE_MS = 700;

export interface UploadInfo {
  /** Name of the file, without characters that are unsafe in file names. */
  readonly name: string;
  /** Size of the whole file in bytes. */
  readonly length: number;
  /** Number of stored bytes. */
  readonly offset: number;
  /** Upload-Metadata of the client, returned unchanged. */
  readonly metadata: string;
  /** The lowest part number that no request has used or reserved. */
  readonly freeNumber: number;
  /** Policy of the file. @default none */
  readonly marks?: FilePolicy;
}

export interface UploadState extends UploadInfo {
  readonly parts: readonly UploadedPart[];
  /** The bucket's ID of the multipart upload. */
  readonly uploadId: string | undefined;
}

/** Returns the number of stored bytes after the last part. */
export const restLength = ({ offset, parts }: UploadState) => offset - parts.length * PART_BYTES;

export interface FoundFacts extends UploadInfo {
  readonly changed: Date;
  readonly uploadId: string | undefined;
}

/** @returns undefined if there is no such upload */
export async function findInfo(bucket: Bucket, id: string): Promise<FoundFacts | undefined> {
  const object = await bucket.get(stateKey(id), { range: { offset: 0, length: START_BYTES } });
  if (!object) return undefined;
  const { facts, upload: uploadId } = object.customMetadata!;
  const bytes = (await object.bytes()).subarray(0, Number(facts));
  return { ...(parse(bytes) as UploadInfo), changed: object.uploaded, uploadId };
}

export interface OpenedState {
  readonly state: UploadState;
  readonly etag: string;
  readonly changed: Date;
  /** Reads the bytes after the last part. */
  readonly reader: ByteReader;
}

/** @returns undefined if there is no such upload */
export async function openState(bucket: Bucket, id: string): Promise<OpenedState | undefined> {
  const object = await bucket.get(stateKey(id));
  if (!object) return undefined;
  const { facts, parts, upload: uploadId } = object.customMetadata!;
  const reader = new ByteReader(object.body);
  const known = parse((await reader.read(Number(facts)))!) as UploadInfo;
  const listed = parse((await reader.read(Number(parts)))!) as (readonly [number, string])[];
  const state = { ...known, parts: listed.map(([partNumber, etag]) => ({ partNumber, etag })), uploadId };
  return { state, etag: object.etag, changed: object.uploaded, reader };
}

/**
 * @param rest the bytes after the last part
 * @param etag entity tag of the state to replace; undefined for a new upload
 * @returns the new object, or null if another request has changed the state
 */
export async function writeState(
  bucket: Bucket,
  id: string,
  { parts, uploadId, ...facts }: UploadState,
  rest: Uint8Array,
  etag?: string,
): Promise<BucketObject | null> {
  const encoded = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const factBytes = encoded(facts);
  const partBytes = encoded(parts.map(({ partNumber, etag }) => [partNumber, etag]));
  const body = new Uint8Array(factBytes.length + partBytes.length + rest.length);
  body.set(factBytes);
  body.set(partBytes, factBytes.length);
  body.set(rest, factBytes.length + partBytes.length);
  const customMetadata = {
    facts: String(factBytes.length),
    parts: String(partBytes.length),
    ...(uploadId === undefined ? {} : { upload: uploadId }),
    ...policyToMetadata(facts.marks ?? {}),
  };
  const options = { customMetadata, ...(etag === undefined ? {} : { onlyIf: { etagMatches: etag } }) };
  for (let attempt = 1; ; attempt++) {
    try {
      return await bucket.put(stateKey(id), body, options);
    } catch (error) {
      if (attempt === WRITE_ATTEMPTS) throw error;
      await delay(attempt * WRITE_PAUSE_MS);
    }
  }
}

/** Lists the state objects of all unfinished uploads, with their metadata. */
export async function* statesIn(bucket: Bucket): AsyncGenerator<BucketObject> {
  for (let cursor: string | undefined; ; ) {
    const options = { prefix: UPLOADS, include: ["customMetadata" as const] };
    const page = await bucket.list({ ...options, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.objects;
    if (!page.truncated) return;
    cursor = page.cursor;
  }
}

/** Returns the bucket's IDs of the multipart uploads that belong to unfinished uploads. */
export async function resumableIds(bucket: Bucket): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { customMetadata } of statesIn(bucket)) {
    if (customMetadata?.upload !== undefined) ids.add(customMetadata.upload);
  }
  return ids;
}

export const removeState = (bucket: Bucket, id: string) => bucket.delete(stateKey(id));

const parse = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));
