// Small files that came together, in one object of R2: each put() costs a round trip, and money. Layout:
//   packs/<start of the ids>   the index as JSON, then the bytes of the files in its order; custom metadata holds the length of the
//                              index, how many files there are and, once one was removed, when all were stored
import { type ByteRange, type Kind, newPackedIds, packOf, type StoredFile } from "./file.ts";
import type { WholeFile } from "./lone-files.ts";

export const PACKS = "packs/";
const keyOf = (id: string) => PACKS + packOf(id);

/** The first read of a pack: no index is longer. */
const START_BYTES = 2 ** 15;
/** Of the files. A pack is held in memory when it is stored, and when a file is removed from it. */
export const PACK_BYTES = 2 * 2 ** 20;
/** What is larger is stored alone. */
export const LARGEST_FILE_BYTES = PACK_BYTES / 4;
/** How often what others change at the same time is tried again. */
const ATTEMPTS = 20;
/** How many packs a request knows the start of. */
const REMEMBERED = 16;

/** A file in the index: that part of its id which is not the pack's, and what is known of it. */
type PackEntry = readonly [id: string, name: string, type: string, size: number, sha256: string];

interface Start {
  readonly etag: string;
  readonly stored: Date;
  readonly entries: readonly PackEntry[];
  /** Of the index. */
  readonly indexBytes: number;
  /** The object's, from its first one, the index and as much more as was read. */
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();
/** All have the same length. */
const ANY_ID = `2${"0".repeat(36)}`;
const entryOf = (id: string, { name, type, bytes, sha256 }: WholeFile): PackEntry => [
  id.slice(packOf(id).length),
  name,
  type,
  bytes.length,
  sha256,
];

/** What goes into one pack. */
export class PackBuilder {
  readonly #kind: Kind;
  readonly #files: WholeFile[] = [];
  #bytes = 0;
  #indexBytes = 2;

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  get files(): readonly WholeFile[] {
    return this.#files;
  }

  /** Of the files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @returns whether there was room for it */
  add(file: WholeFile): boolean {
    const bytes = this.#bytes + file.bytes.length;
    const indexBytes = this.#indexBytes + encoder.encode(JSON.stringify(entryOf(ANY_ID, file))).length + 1;
    if (bytes > PACK_BYTES || indexBytes > START_BYTES) return false;
    [this.#bytes, this.#indexBytes] = [bytes, indexBytes];
    this.#files.push(file);
    return true;
  }

  /** @returns the files in the order in which they were added. When it fails, nothing is left. */
  async put(bucket: R2Bucket): Promise<StoredFile[]> {
    const ids = newPackedIds(this.#kind, this.#files.length);
    const entries = this.#files.map((file, index) => entryOf(ids[index], file));
    const key = keyOf(ids[0]);
    const bodies = this.#files.map(({ bytes }) => bytes);
    try {
      const { uploaded } = (await bucket.put(key, ...packed(entries, bodies)))!;
      return entries.map((entry, index) => describe(ids[index], entry, uploaded));
    } catch (error) {
      await bucket.delete(key);
      throw error;
    }
  }
}

/** The packs of a bucket, for one request: what it has read of the last few stays. */
export class Packs {
  readonly #bucket: R2Bucket;
  readonly #read = new Map<string, Promise<Start | undefined>>();

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  /** @returns undefined where there is none */
  async find(id: string) {
    const pack = await this.#start(id);
    return pack && memberOf(pack, id);
  }

  /** @returns undefined where there is none */
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
      const object = await this.#bucket.get(keyOf(id), { range: { offset: from, length }, onlyIf });
      if (object && "body" in object) return { file: member.file, body: object.body };
      // A file was removed in between, which moved the others.
      this.#read.delete(keyOf(id));
    }
    throw new Error(`${keyOf(id)} changes all the time`);
  }

  /** @param ids of files in one pack */
  async remove(ids: readonly string[]): Promise<void> {
    const key = keyOf(ids[0]);
    const gone = new Set(ids.map((id) => id.slice(packOf(id).length)));
    this.#read.delete(key);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const object = await this.#bucket.get(key);
      if (!object) return;
      const pack = parse(object, await object.bytes());
      const kept = [...placesIn(pack)].filter(({ entry }) => !gone.has(entry[0]));
      if (kept.length === pack.entries.length) return;
      if (kept.length === 0) return this.#bucket.delete(key);
      const bodies = kept.map(({ entry, offset }) => pack.bytes.subarray(offset, offset + entry[3]));
      const entries = kept.map(({ entry }) => entry);
      const [body, options] = packed(entries, bodies, pack.stored);
      if (await this.#bucket.put(key, body, { ...options, onlyIf: { etagMatches: pack.etag } })) return;
    }
    throw new Error(`${key} changes all the time`);
  }

  async #start(id: string): Promise<Start | undefined> {
    const key = keyOf(id);
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

/** When the files of a listed pack were stored, and how many they are. */
export function aboutPack({ uploaded, customMetadata }: R2Object): { stored: Date; count: number } {
  const { stored, count } = customMetadata!;
  return { stored: stored === undefined ? uploaded : new Date(Number(stored)), count: Number(count) };
}

function packed(entries: readonly PackEntry[], bodies: readonly Uint8Array[], stored?: Date) {
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
  };
  return [body, { customMetadata }] as const;
}

function parse(object: R2Object, bytes: Uint8Array): Start {
  const indexBytes = Number(object.customMetadata!.index);
  const entries = JSON.parse(new TextDecoder().decode(bytes.subarray(0, indexBytes))) as PackEntry[];
  return { etag: object.etag, stored: aboutPack(object).stored, entries, indexBytes, bytes };
}

/** The files with their offsets from the start of the object. */
function* placesIn({ entries, indexBytes }: Start): Generator<{ readonly entry: PackEntry; readonly offset: number }> {
  let offset = indexBytes;
  for (const entry of entries) {
    yield { entry, offset };
    offset += entry[3];
  }
}

function memberOf(pack: Start, id: string) {
  for (const { entry, offset } of placesIn(pack)) {
    if (packOf(id) + entry[0] === id) return { file: describe(id, entry, pack.stored), sha256: entry[4], offset };
  }
  return undefined;
}

function describe(id: string, [, name, type, size, sha256]: PackEntry, stored: Date): StoredFile {
  return { id, name, type, size, etag: sha256.slice(0, 32), modified: stored };
}
