// Reads the parts of a zip file, and writes parts to a zip file.

import { createWriteStream, readFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { crc32, inflateRaw, inflateRawSync } from "node:zlib";
import { writeArchive } from "../../../../src/document/formats/zip/archive.ts";
import {
  type ZipPart as DirectoryPart,
  dataOffset,
  END_WITHIN_BYTES,
  findEnd,
  LOCAL_HEADER_BYTES,
  partsIn,
} from "../../../../src/document/formats/zip/directory.ts";
import type { EntryWriter } from "../../../../src/document/formats/zip/entries.ts";
import { type EntryHead, localHeader, METHOD } from "../../../../src/document/formats/zip/records.ts";
import { SMALL_BYTES } from "../../../scratch/file-input.ts";

const METHODS: ReadonlySet<number> = new Set(Object.values(METHOD));
const MAX_DIRECTORY_BYTES = 4 * 2 ** 20;
/**
 * Parts up to this size are processed synchronously, because a round trip through the thread pool takes longer.
 */
const AT_ONCE_BYTES = 2 ** 17;

const inflateAside = promisify(inflateRaw);

/** A supported part: stored or deflated, and unencrypted. */
export type ZipPart = DirectoryPart & Pick<EntryHead, "method">;

export class ZipFile implements AsyncDisposable {
  /** Size of the file in bytes. */
  readonly size: number;
  readonly parts: readonly ZipPart[];
  readonly #file: FileHandle;
  readonly #read: Read;

  private constructor(file: FileHandle, size: number, read: Read, parts: readonly ZipPart[]) {
    this.#file = file;
    this.size = size;
    this.#read = read;
    this.parts = parts;
  }

  /** @returns undefined if the file does not begin like a zip file */
  static async open(path: string): Promise<ZipFile | undefined> {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const read = reader(file, size, size <= SMALL_BYTES ? readFileSync(path) : undefined);
      const isZip = (await read(0, 4)).equals(Buffer.from("PK\x03\x04", "latin1"));
      if (isZip) return new ZipFile(file, size, read, await directory(size, read));
    } catch (error) {
      await file.close();
      throw error;
    }
    await file.close();
    return undefined;
  }

  /** Returns a part's stored bytes. @returns undefined if the directory's offset does not lead to the part */
  async packed(part: ZipPart): Promise<Buffer | undefined> {
    const offset = dataOffset(await this.#read(part.at, LOCAL_HEADER_BYTES));
    return offset === undefined ? undefined : this.#read(part.at + offset, part.packedBytes);
  }

  /** Returns a part's content. @returns undefined if the part is damaged */
  async content(part: ZipPart): Promise<Buffer | undefined> {
    const packed = await this.packed(part);
    if (packed === undefined || part.bytes === 0) return packed && Buffer.alloc(0);
    try {
      const options = { maxOutputLength: part.bytes };
      const inflate = Math.max(part.bytes, packed.length) <= AT_ONCE_BYTES ? inflateRawSync : inflateAside;
      const content = part.method === METHOD.stored ? packed : await inflate(packed, options);
      return content.length === part.bytes && crc32(content) === part.crc ? content : undefined;
    } catch {
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

/** Reads a range of the file, truncated at the file's end. */
type Read = (at: number, bytes: number) => Promise<Buffer>;

function reader(file: FileHandle, size: number, whole: Buffer | undefined): Read {
  return async (at, bytes) => {
    if (whole) return whole.subarray(at, at + bytes);
    const buffer = Buffer.alloc(Math.max(0, Math.min(bytes, size - at)));
    await file.read(buffer, 0, buffer.length, at);
    return buffer;
  };
}

async function directory(size: number, read: Read): Promise<ZipPart[]> {
  const end = findEnd(await read(Math.max(0, size - END_WITHIN_BYTES), END_WITHIN_BYTES));
  if (!end) return [];
  const bytes = await read(end.start, Math.min(end.size, MAX_DIRECTORY_BYTES));
  return [...partsIn(bytes)].filter((part): part is ZipPart => !part.isEncrypted && METHODS.has(part.method));
}

/** A part to write: stored bytes with their compression method, or content to store without compression. */
export interface NewPart {
  readonly name: string;
  readonly packed: Uint8Array;
  /** Compression method of `packed`. @default stored */
  readonly like?: Pick<ZipPart, "method" | "crc" | "bytes">;
}

/** Writes a zip file. Requests the next part only after the previous one is written. */
export async function writeZip(path: string, parts: Iterable<NewPart> | AsyncIterable<NewPart>): Promise<void> {
  async function* entries(): AsyncGenerator<EntryWriter> {
    for await (const part of parts) yield entry(part);
  }
  await pipeline(writeArchive(entries()), createWriteStream(path));
}

/** Yields the parts of a zip file. Parts named in `changed` have the new content. */
export async function* withParts(zip: ZipFile, changed: ReadonlyMap<string, Buffer>): AsyncGenerator<NewPart> {
  // Parts cannot overlap, so their compressed sizes add up to at most the file size. A hostile directory lists one part
  // many times.
  let packedLeft = zip.size;
  for (const part of zip.parts) {
    if (part.packedBytes > packedLeft) continue;
    packedLeft -= part.packedBytes;
    const content = changed.get(part.name);
    const packed = content ?? (await zip.packed(part));
    if (packed) yield { name: part.name, packed, ...(content ? {} : { like: part }) };
  }
}

/** A fixed modification date, which nothing reads. */
const MODIFIED = new Date(Date.UTC(1980, 0));

async function* entry({ name, packed, like }: NewPart): EntryWriter {
  const { method, crc, bytes } = like ?? { method: METHOD.stored, crc: crc32(packed), bytes: packed.length };
  const head = { name, method, modified: MODIFIED, streamed: false, large: false };
  const sizes = { crc32: crc, compressed: packed.length, uncompressed: bytes };
  yield localHeader(head, sizes);
  if (packed.length > 0) yield packed;
  return { ...head, ...sizes };
}
