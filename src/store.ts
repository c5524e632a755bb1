// Files by id in R2. Nothing above this file knows R2, and this file knows no HTTP.
//
// Layout:  files/<id>    the bytes; HTTP metadata holds the media type, custom metadata the name (URI encoded) and, when
//                        the file was small enough for one put(), its SHA-256
//          sha256/<id>   an empty object whose custom metadata holds the SHA-256 of a larger file, which is known only
//                        after R2 wanted the metadata
import { createHash } from "node:crypto";
import type { Chunks } from "./operations/operation.ts";

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  /** Media type. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** Opaque, unquoted. */
  readonly etag: string;
  readonly modified: Date;
}

/** A file whose body has been read; of what was read R2 may not have confirmed the last part yet. */
export interface Arrival extends Pick<StoredFile, "id" | "name" | "type" | "size"> {
  /** All of it, where it was small enough for one part. */
  readonly bytes?: Uint8Array;
  /** Settles when it is stored; rejects, and leaves nothing, when that fails. */
  readonly stored: Promise<StoredFile>;
}

export interface NewFile {
  readonly kind: "input" | "output";
  readonly name: string;
  /** The media type, or how to tell it from the file's first bytes (as many as there are, up to 4096). */
  readonly type: string | ((start: Uint8Array) => string);
  readonly body: Uint8Array | Chunks;
  /** See Output.head. */
  readonly head?: () => Uint8Array;
  /** Bytes, at most, where something tells: saves copies while the buffer grows. */
  readonly sizeHint?: number;
  /** Bytes that may be held at a time, where that is more than a part: what has no more is stored in one piece. @default PART_BYTES */
  readonly partBytes?: number;
}

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * R2 takes multipart uploads in equal parts of at least 5 MiB. One part is the most that a file on its way in or out
 * holds in memory (two when it has a `head`).
 */
export const PART_BYTES = 5 * 2 ** 20;
const FIRST_BUFFER_BYTES = 2 ** 17;
const SNIFFED_BYTES = 4096;
const MAX_DELETED_AT_ONCE = 1000;

/** Shape of an id: `1` for an input or `2` for an output, then a UUIDv4. */
const ID = /^[12][0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const fileKey = (id: string) => `files/${id}`;
const digestKey = (id: string) => `sha256/${id}`;

export interface Store {
  /** Streams a file in. When `body` throws, or anything else fails, nothing of it is left. */
  put(file: NewFile): Promise<StoredFile>;
  /** The same, but does not wait for R2 to confirm the last part: work on the file can begin meanwhile. */
  receive(file: NewFile): Promise<Arrival>;
  /** @returns undefined where there is no such file, or its time is up */
  find(id: string): Promise<StoredFile | undefined>;
  /** The file with its bytes, or a range of them. */
  open(id: string, range?: ByteRange): Promise<{ file: StoredFile; body: ReadableStream<Uint8Array> } | undefined>;
  /** @returns lowercase hex */
  sha256(id: string): Promise<string | undefined>;
  remove(ids: readonly string[]): Promise<void>;
  /** Removes what is older than the lifetime. @returns how many files went */
  sweep(): Promise<number>;
}

export function createStore(bucket: R2Bucket, options: { lifetimeMs: number; now?: () => number }): Store {
  const now = options.now ?? Date.now;
  const expired = (uploaded: Date) => options.lifetimeMs > 0 && uploaded.getTime() + options.lifetimeMs <= now();

  async function find(id: string): Promise<StoredFile | undefined> {
    if (!ID.test(id)) return undefined;
    const object = await bucket.head(fileKey(id));
    return object && !expired(object.uploaded) ? describe(id, object) : undefined;
  }

  return {
    put: async (file) => (await receive(bucket, file)).stored,
    receive: (file) => receive(bucket, file),
    find,

    async open(id, range) {
      if (!ID.test(id)) return undefined;
      const object = await bucket.get(fileKey(id), range ? { range: { ...range } } : {});
      if (!object) return undefined;
      if (expired(object.uploaded)) {
        await object.body.cancel();
        return undefined;
      }
      return { file: describe(id, object), body: object.body };
    },

    async sha256(id) {
      const file = await bucket.head(fileKey(id));
      return file?.customMetadata?.sha256 ?? (await bucket.head(digestKey(id)))?.customMetadata?.sha256;
    },

    async remove(ids) {
      const keys = ids.filter((id) => ID.test(id)).flatMap((id) => [fileKey(id), digestKey(id)]);
      for (let at = 0; at < keys.length; at += MAX_DELETED_AT_ONCE) {
        await bucket.delete(keys.slice(at, at + MAX_DELETED_AT_ONCE));
      }
    },

    async sweep() {
      if (options.lifetimeMs === 0) return 0;
      let removed = 0;
      for (const prefix of [fileKey(""), digestKey("")]) {
        let cursor: string | undefined;
        do {
          const page = await bucket.list({ prefix, ...(cursor ? { cursor } : {}) });
          const old = page.objects.filter((object) => expired(object.uploaded)).map((object) => object.key);
          if (old.length > 0) await bucket.delete(old);
          if (prefix === fileKey("")) removed += old.length;
          cursor = page.truncated ? page.cursor : undefined;
        } while (cursor);
      }
      return removed;
    },
  };
}

function describe(id: string, object: R2Object): StoredFile {
  return {
    id,
    name: decodeURIComponent(object.customMetadata?.name ?? id),
    type: object.httpMetadata?.contentType ?? "application/octet-stream",
    size: object.size,
    etag: object.etag,
    modified: object.uploaded,
  };
}

async function receive(bucket: R2Bucket, file: NewFile): Promise<Arrival> {
  const id = `${file.kind === "input" ? 1 : 2}${crypto.randomUUID()}`;
  const { name } = file;
  const digest = createHash("sha256");
  const parts = new PartBuffer(file.partBytes ?? PART_BYTES, file.sizeHint);
  let size = 0;
  let type = typeof file.type === "string" ? file.type : undefined;
  let upload: R2MultipartUpload | undefined;
  const uploaded: R2UploadedPart[] = [];
  // With a head the first part is kept until the end, for only then its first bytes are known.
  let firstPart: Uint8Array | undefined;

  const options = (start: Uint8Array, sha256?: string): R2PutOptions & R2MultipartOptions => {
    type ??= (file.type as (start: Uint8Array) => string)(start.subarray(0, SNIFFED_BYTES));
    const customMetadata = { name: encodeURIComponent(name), ...(sha256 ? { sha256 } : {}) };
    return { httpMetadata: { contentType: type }, customMetadata };
  };
  const send = async (part: Uint8Array) => {
    upload ??= await bucket.createMultipartUpload(fileKey(id), options(part));
    const number = uploaded.length + (firstPart ? 2 : 1);
    uploaded.push(await upload.uploadPart(number, part));
  };
  const finish = async (rest: Uint8Array): Promise<R2Object> => {
    if (rest.length > 0) await send(rest);
    if (firstPart) {
      upload ??= await bucket.createMultipartUpload(fileKey(id), options(firstPart));
      uploaded.unshift(await upload.uploadPart(1, firstPart));
    }
    const object = await upload!.complete(uploaded);
    upload = undefined;
    const sha256 = file.head ? await digestOf(bucket, fileKey(id)) : digest.digest("hex");
    await bucket.put(digestKey(id), new Uint8Array(0), { customMetadata: { sha256 } });
    return object;
  };
  const undo = async (error: unknown): Promise<never> => {
    if (upload) await upload.abort();
    else await bucket.delete([fileKey(id), digestKey(id)]);
    throw error;
  };

  try {
    for await (const chunk of file.body instanceof Uint8Array ? [file.body] : file.body) {
      size += chunk.length;
      if (!file.head) digest.update(chunk);
      for (const part of parts.add(chunk)) {
        if (file.head && !firstPart) firstPart = part.slice();
        else await send(part);
      }
    }
    const rest = parts.rest();
    const head = file.head?.();
    if (head) (firstPart ?? rest).set(head);
    if (upload || firstPart) {
      const object = finish(rest);
      const stored = object.then((object) => ({ ...describe(id, object), name }), undo);
      return arrival({ id, name, type: type!, size, stored });
    }
    if (head) digest.update(rest);
    const object = bucket.put(fileKey(id), rest, options(rest, digest.digest("hex")));
    const stored = object.then((object) => describe(id, object), undo);
    return arrival({ id, name, type: type!, size, bytes: rest, stored });
  } catch (error) {
    return undo(error);
  }
}

function arrival(file: Arrival): Arrival {
  // Whoever needs the file awaits `stored`; until then a failure is not one that nobody looks at.
  file.stored.catch(() => {});
  return file;
}

/** Reads a stored object once more: the digest of a file whose first bytes were written last. */
async function digestOf(bucket: R2Bucket, key: string): Promise<string> {
  const digest = createHash("sha256");
  const object = await bucket.get(key);
  if (object) for await (const chunk of object.body) digest.update(chunk);
  return digest.digest("hex");
}

/** Cuts a stream of chunks into parts of equal size, in one buffer that grows as it is needed. */
class PartBuffer {
  readonly #partBytes: number;
  #buffer: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(partBytes: number, sizeHint = FIRST_BUFFER_BYTES) {
    this.#partBytes = partBytes;
    this.#buffer = new Uint8Array(Math.max(1, Math.min(sizeHint, partBytes)));
  }

  /** Each part is valid until the next is asked for. */
  *add(chunk: Uint8Array): Generator<Uint8Array> {
    let taken = 0;
    while (taken < chunk.length) {
      const count = Math.min(chunk.length - taken, this.#partBytes - this.#length);
      this.#reserve(this.#length + count);
      this.#buffer.set(chunk.subarray(taken, taken + count), this.#length);
      this.#length += count;
      taken += count;
      if (this.#length === this.#partBytes) {
        yield this.#buffer;
        this.#length = 0;
      }
    }
  }

  /** What is left after the last whole part; in no buffer that is much too large for it. */
  rest(): Uint8Array {
    const rest = this.#buffer.subarray(0, this.#length);
    return rest.length < this.#buffer.length / 2 ? rest.slice() : rest;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    let size = this.#buffer.length;
    while (size < bytes) size *= 2;
    const larger = new Uint8Array(Math.min(size, this.#partBytes));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}
