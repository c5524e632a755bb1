// Stores small files that arrive together as one R2 object, a pack, because each put() costs money and a round trip.
// Layout:
//   packs/<prefix of the IDs>   the index as JSON, then the bytes of the files in the order of the index
// Custom metadata contains the length of the index, the number of files and their policy. If a file has been deleted
// from the pack, it also contains the original time of storage.
import type { Bucket, BucketObject } from "../ports/bucket.ts";
import { type ByteRange, packNameOf, type StoredFile } from "./file.ts";
import { type FilePolicy, policyFromMetadata, policyToMetadata, writeExpiryMarker } from "./file-policy.ts";
import type { BatchProperties, BufferedFile } from "./standalone-files.ts";

export const PACKS = "packs/";
export const packKeyOf = (id: string) => PACKS + packNameOf(id);
/** Reports whether a name identifies a pack instead of a standalone file. */
export const isPackName = (name: string) => name === packNameOf(name);

/** Size of the first read of a pack. It contains the whole index. */
const START_BYTES = 2 ** 15;
/**
 * Maximum total size of the files in a pack. A pack is buffered completely when it is stored and when one of its files
 * is deleted.
 */
export const PACK_BYTES = 2 * 2 ** 20;
/** Maximum size of a file in a pack. Larger files are standalone. */
export const MAX_FILE_BYTES = PACK_BYTES / 4;
/** Maximum number of attempts to read or update a pack, which fail if other requests update the pack concurrently. */
const ATTEMPTS = 20;
/** Number of packs whose first bytes a request caches. */
const REMEMBERED = 16;

/** An index entry: the file's ID without the prefix that identifies the pack, and the file's properties. */
type PackEntry = readonly [id: string, name: string, type: string, size: number, sha256: string];

interface Start {
  readonly etag: string;
  readonly stored: Date;
  readonly marks: FilePolicy;
  readonly entries: readonly PackEntry[];
  /** Length of the index. */
  readonly indexBytes: number;
  /** The first bytes of the object: the index, and the file bytes that the first read returned. */
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();
/** An arbitrary ID, to compute the length of an index entry: all IDs have the same length. */
const ANY_ID = `2${"0".repeat(36)}`;
const entryOf = (id: string, { name, type, bytes, sha256 }: BufferedFile): PackEntry => [
  id.slice(packNameOf(id).length),
  name,
  type,
  bytes.length,
  sha256,
];

/** Collects the files of one pack. */
export class PackBuilder {
  readonly #about: BatchProperties;
  readonly #files: BufferedFile[] = [];
  #bytes = 0;
  #indexBytes = 2;

  constructor(about: BatchProperties) {
    this.#about = about;
  }

  get files(): readonly BufferedFile[] {
    return this.#files;
  }

  /** Total size of the files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @returns false if the pack has no space for the file */
  add(file: BufferedFile): boolean {
    const bytes = this.#bytes + file.bytes.length;
    const indexBytes = this.#indexBytes + encoder.encode(JSON.stringify(entryOf(ANY_ID, file))).length + 1;
    if (bytes > PACK_BYTES || indexBytes > START_BYTES) return false;
    [this.#bytes, this.#indexBytes] = [bytes, indexBytes];
    this.#files.push(file);
    return true;
  }

  /** Stores the pack. @returns the files in the order of insertion. If storing fails, no file remains stored */
  async put(bucket: Bucket): Promise<StoredFile[]> {
    const ids = await this.#about.ids.packed(this.#about.kind, this.#files.length);
    const marks = this.#about.marks();
    const entries = this.#files.map((file, index) => entryOf(ids[index]!, file));
    const key = packKeyOf(ids[0]!);
    const bodies = this.#files.map(({ bytes }) => bytes);
    try {
      await writeExpiryMarker(bucket, marks, packNameOf(ids[0]!));
      const { uploaded: stored } = (await bucket.put(key, ...packed(entries, bodies, { marks })))!;
      return entries.map((entry, index) => describe(ids[index]!, entry, { stored, marks }));
    } catch (error) {
      await bucket.delete(key);
      throw error;
    }
  }
}

/** Reads and updates packs for one request. Caches the first bytes of recently read packs. */
export class Packs {
  readonly #bucket: Bucket;
  readonly #read = new Map<string, Promise<Start | undefined>>();

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  /** @returns undefined if there is no such file */
  async find(id: string) {
    const pack = await this.#start(id);
    return pack && memberOf(pack, id);
  }

  /** @returns undefined if there is no such file */
  async open(id: string, range?: ByteRange) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const pack = await this.#start(id);
      const member = pack && memberOf(pack, id);
      if (!member) return undefined;
      const { offset = 0, length = member.file.size } = range ?? {};
      const from = member.offset + offset;
      if (length === 0 || from + length <= pack.bytes.length) {
        return { file: member.file, body: new Response(pack.bytes.slice(from, from + length)).body! };
      }
      const onlyIf = { etagMatches: pack.etag };
      const object = await this.#bucket.get(packKeyOf(id), { range: { offset: from, length }, onlyIf });
      if (object && "body" in object) return { file: member.file, body: object.body };
      // Another request has deleted a file of the pack since the index was read, so the offsets have changed.
      this.#read.delete(packKeyOf(id));
    }
    throw new Error(`${packKeyOf(id)} changes too often`);
  }

  /** @param ids IDs of files in the same pack */
  async remove(ids: readonly string[]): Promise<void> {
    const key = packKeyOf(ids[0]!);
    const deletedIds = new Set(ids.map((id) => id.slice(packNameOf(id).length)));
    this.#read.delete(key);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const object = await this.#bucket.get(key);
      if (!object) return;
      const pack = parse(object, await object.bytes());
      const remaining = [...placesIn(pack)].filter(({ entry }) => !deletedIds.has(entry[0]));
      if (remaining.length === pack.entries.length) return;
      if (remaining.length === 0) return this.#bucket.delete(key);
      const bodies = remaining.map(({ entry, offset }) => pack.bytes.subarray(offset, offset + entry[3]));
      const entries = remaining.map(({ entry }) => entry);
      const [body, options] = packed(entries, bodies, pack);
      if (await this.#bucket.put(key, body, { ...options, onlyIf: { etagMatches: pack.etag } })) return;
    }
    throw new Error(`${key} changes too often`);
  }

  async #start(id: string): Promise<Start | undefined> {
    const key = packKeyOf(id);
    let read = this.#read.get(key);
    if (!read) {
      read = this.#readStart(key);
      this.#read.set(key, read);
      if (this.#read.size > REMEMBERED) this.#read.delete(this.#read.keys().next().value!);
    }
    return read;
  }

  async #readStart(key: string): Promise<Start | undefined> {
    const object = await this.#bucket.get(key, { range: { offset: 0, length: START_BYTES } });
    return object ? parse(object, await object.bytes()) : undefined;
  }
}

/** Returns a pack's time of storage and number of files, from its entry in a listing. */
export function aboutPack({ uploaded, customMetadata }: BucketObject): { stored: Date; count: number } {
  const { stored, count } = customMetadata!;
  return { stored: stored === undefined ? uploaded : new Date(Number(stored)), count: Number(count) };
}

/** Properties that all files of a pack share. */
interface Common {
  /** Missing if equal to the object's upload time. */
  readonly stored?: Date;
  readonly marks: FilePolicy;
}

function packed(entries: readonly PackEntry[], bodies: readonly Uint8Array[], { stored, marks }: Common) {
  const index = encoder.encode(JSON.stringify(entries));
  const body = new Uint8Array(index.length + bodies.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const bytes of [index, ...bodies]) {
    body.set(bytes, at);
    at += bytes.length;
  }
  const customMetadata = {
    index: String(index.length),
    count: String(entries.length),
    ...(stored ? { stored: String(stored.getTime()) } : {}),
    ...policyToMetadata(marks),
  };
  return [body, { customMetadata }] as const;
}

function parse(object: BucketObject, bytes: Uint8Array): Start {
  const indexBytes = Number(object.customMetadata!.index);
  const entries = JSON.parse(new TextDecoder().decode(bytes.subarray(0, indexBytes))) as PackEntry[];
  const { stored } = aboutPack(object);
  return { etag: object.etag, stored, marks: policyFromMetadata(object.customMetadata), entries, indexBytes, bytes };
}

/** Yields the files with their offsets from the start of the object. */
function* placesIn({ entries, indexBytes }: Start): Generator<{ readonly entry: PackEntry; readonly offset: number }> {
  let offset = indexBytes;
  for (const entry of entries) {
    yield { entry, offset };
    offset += entry[3];
  }
}

function memberOf(pack: Start, id: string) {
  for (const { entry, offset } of placesIn(pack)) {
    if (packNameOf(id) + entry[0] === id) return { file: describe(id, entry, pack), sha256: entry[4], offset };
  }
  return undefined;
}

function describe(
  id: string,
  [, name, type, size, sha256]: PackEntry,
  { stored, marks }: Pick<Start, "stored" | "marks">,
): StoredFile {
  return { id, name, type, size, etag: sha256.slice(0, 32), modified: stored, marks };
}
