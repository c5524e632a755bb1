// Stores each file as a separate R2 object. Layout:
//   files/<id>    the bytes
//   sha256/<id>   the SHA-256 of a file that was stored by a multipart upload
// The HTTP metadata of a file contains the media type. The custom metadata contains the name (URI encoded) and, if the
// file was stored by one put(), the SHA-256. A multipart upload needs its metadata at the start, when the digest is
// unknown, so the digest is in the custom metadata of a second, empty object.
import { createHash } from "node:crypto";
import type { Bucket, BucketObject, MultipartUpload, UploadedPart } from "../ports/bucket.ts";
import type { ByteRange, FileKind, IdGenerator, NewFile, StoredFile } from "./file.ts";
import { type FilePolicy, policyFromMetadata, policyToMetadata, writeExpiryMarker } from "./file-policy.ts";
import type { PartBuffer } from "./uploads/part-buffer.ts";

/**
 * Size of a part of a multipart upload. R2 requires parts of equal size, of at least 5 MiB. At most one part of a file
 * is buffered, or two if the file has a `head`.
 */
export const PART_BYTES = 5 * 2 ** 20;
/** Maximum number of bytes needed to detect a media type. */
export const SNIFFED_BYTES = 4096;

export const FILES = "files/";
export const DIGESTS = "sha256/";
export const keysOf = (id: string) => [FILES + id, DIGESTS + id];

/** A file that fits into one part, and has been read but not stored. */
export interface BufferedFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
  /** SHA-256 in lowercase hexadecimal. */
  readonly sha256: string;
}

/** Properties that the files of a batch share. */
export interface BatchProperties {
  readonly kind: FileKind;
  readonly ids: IdGenerator;
  /** Returns the policy of a file stored now. */
  marks(): FilePolicy;
}

/** A file whose parts are stored, except possibly the last part. */
export interface MultipartFile extends Pick<StoredFile, "name" | "type" | "size"> {
  /** Missing if the file has a head. */
  readonly sha256?: string;
  readonly stored: Promise<StoredFile>;
}

/**
 * Reads a file. Stores a large file while reading it. If the body throws, or any other step fails, no part of the file
 * remains stored.
 */
export async function readFile(
  bucket: Bucket,
  about: BatchProperties,
  file: NewFile,
  parts: PartBuffer,
): Promise<BufferedFile | MultipartFile> {
  const { name } = file;
  const digest = createHash("sha256");
  const upload = new Upload(bucket, about, file);
  let size = 0;
  try {
    parts.begin(file.partBytes ?? PART_BYTES, file.sizeHint);
    for await (const chunk of file.body instanceof Uint8Array ? [file.body] : file.body) {
      size += chunk.length;
      if (!file.head) digest.update(chunk);
      for (const part of parts.add(chunk)) await upload.add(part);
    }
    const rest = parts.rest();
    const head = file.head?.();
    if (head) (upload.firstPart ?? rest).set(head);
    if (upload.hasParts) {
      const known = head ? {} : { sha256: digest.digest("hex") };
      const stored = upload.finish(rest, known.sha256).catch((error: unknown) => upload.undo(error));
      return { name, type: upload.typeFrom(rest), size, ...known, stored };
    }
    if (head) digest.update(rest);
    return { name, type: upload.typeFrom(rest), bytes: rest, sha256: digest.digest("hex") };
  } catch (error) {
    return upload.undo(error);
  }
}

/** The multipart upload of one file. It is created in R2 when the first part is complete. */
class Upload {
  readonly #bucket: Bucket;
  readonly #about: BatchProperties;
  readonly #file: NewFile;
  #type: string | undefined;
  #sending: { readonly id: string; readonly parts: MultipartUpload; readonly marks: FilePolicy } | undefined;
  readonly #uploaded: UploadedPart[] = [];
  /**
   * Set if the file has a head: the first part is buffered until the end of the file, because only then are its first
   * bytes final.
   */
  firstPart: Uint8Array | undefined;

  constructor(bucket: Bucket, about: BatchProperties, file: NewFile) {
    this.#bucket = bucket;
    this.#about = about;
    this.#file = file;
  }

  get hasParts(): boolean {
    return this.#sending !== undefined || this.firstPart !== undefined;
  }

  /** @param start first bytes of the file; ignored if the media type is known */
  typeFrom(start: Uint8Array): string {
    const { type } = this.#file;
    this.#type ??= typeof type === "string" ? type : type(start.subarray(0, SNIFFED_BYTES));
    return this.#type;
  }

  async add(part: Uint8Array): Promise<void> {
    if (this.#file.head && !this.firstPart) {
      this.firstPart = part.slice();
      this.typeFrom(this.firstPart);
    } else await this.#sendNext(part);
  }

  /** @param knownDigest SHA-256 of the whole file; undefined if the file has a head */
  async finish(rest: Uint8Array, knownDigest: string | undefined): Promise<StoredFile> {
    if (rest.length > 0) await this.#sendNext(rest);
    if (this.firstPart) this.#uploaded.unshift(await this.#send(1, this.firstPart));
    const { id, parts, marks } = this.#sending!;
    await writeExpiryMarker(this.#bucket, marks, id);
    const object = await parts.complete(this.#uploaded);
    this.#sending = undefined;
    try {
      const sha256 = knownDigest ?? (await digestOf(this.#bucket, FILES + id));
      await this.#bucket.put(DIGESTS + id, new Uint8Array(0), { customMetadata: { sha256 } });
    } catch (error) {
      await this.#bucket.delete(keysOf(id));
      throw error;
    }
    return { ...describe(id, object), name: this.#file.name };
  }

  async undo(error: unknown): Promise<never> {
    await this.#sending?.parts.abort();
    throw error;
  }

  async #sendNext(part: Uint8Array): Promise<void> {
    this.#uploaded.push(await this.#send(this.#uploaded.length + (this.firstPart ? 2 : 1), part));
  }

  async #send(number: number, part: Uint8Array): Promise<UploadedPart> {
    if (!this.#sending) {
      const id = await this.#about.ids.standalone(this.#about.kind);
      const marks = this.#about.marks();
      const settings = fileOptions({ name: this.#file.name, type: this.typeFrom(part), marks });
      const [bucket, key] = [this.#bucket, FILES + id];
      const parts = await (bucket.createTransientUpload?.(key, settings) ??
        bucket.createMultipartUpload(key, settings));
      this.#sending = { id, marks, parts };
    }
    return this.#sending.parts.uploadPart(number, part);
  }
}

export async function putFile(bucket: Bucket, about: BatchProperties, file: BufferedFile): Promise<StoredFile> {
  const id = await about.ids.standalone(about.kind);
  const marks = about.marks();
  try {
    await writeExpiryMarker(bucket, marks, id);
    return describe(id, await bucket.put(FILES + id, file.bytes, fileOptions({ ...file, marks })));
  } catch (error) {
    await bucket.delete(FILES + id);
    throw error;
  }
}

/** @returns undefined if there is no such file */
export async function findFile(bucket: Bucket, id: string): Promise<StoredFile | undefined> {
  const object = await bucket.head(FILES + id);
  return object ? describe(id, object) : undefined;
}

/** @returns undefined if there is no such file */
export async function openFile(bucket: Bucket, id: string, range?: ByteRange) {
  const object = await bucket.get(FILES + id, range ? { range: { ...range } } : {});
  return object ? { file: describe(id, object), body: object.body } : undefined;
}

export async function sha256OfFile(bucket: Bucket, id: string): Promise<string | undefined> {
  const file = await bucket.head(FILES + id);
  return file?.customMetadata?.sha256 ?? (await bucket.head(DIGESTS + id))?.customMetadata?.sha256;
}

/** Returns the object options of a file. */
export const fileOptions = ({ name, type, sha256, marks }: DescribedFile) => ({
  httpMetadata: { contentType: type },
  customMetadata: { name: encodeURIComponent(name), ...(sha256 ? { sha256 } : {}), ...policyToMetadata(marks) },
});

interface DescribedFile extends Pick<StoredFile, "name" | "type" | "marks"> {
  readonly sha256?: string;
}

function describe(id: string, object: BucketObject): StoredFile {
  return {
    id,
    name: decodeURIComponent(object.customMetadata?.name ?? id),
    type: object.httpMetadata?.contentType ?? "application/octet-stream",
    size: object.size,
    etag: object.etag,
    modified: object.uploaded,
    marks: policyFromMetadata(object.customMetadata),
  };
}

/** Reads a stored object to compute its digest. Needed for a file with a head, whose first bytes were stored last. */
async function digestOf(bucket: Bucket, key: string): Promise<string> {
  const digest = createHash("sha256");
  const object = await bucket.get(key);
  if (object) for await (const chunk of object.body) digest.update(chunk);
  return digest.digest("hex");
}
