// Small files that came together, in one object of R2: each put() costs a round trip, and money. Layout:
//   packs/<start of the ids>   the index as JSON, then the bytes of the files in its order; custom metadata holds the length of the
//                              index, how many files there are and, once one was removed, when all were stored
import { type ByteRange, type Kind, newPackedIds, packOf, type StoredFile } from "./file.ts";
import type { WholeFile } from "./lone-files.ts";

export const PACKS = "packs/";
const keyOf = (id: string) => PACKS + packOf(id);

/** The first read of a pack: no index is longer. */
const START_BYTES = 2 ** 16;
/** Of the files. A pack is held in memory when it is stored, and when a file is removed from it. */
const PACK_BYTES = 2 * 2 ** 20;
const LARGEST_FILE_BYTES = PACK_BYTES / 4;
/** How often what others change at the same time is tried again. */
const ATTEMPTS = 20;

/** A file in the index: that part of its id which is not the pack's, and what is known of it. */
type Entry = readonly [id: string, name: string, type: string, size: number, sha256: string];

interface Pack {
  readonly etag: string;
  readonly stored: Date;
  readonly entries: readonly Entry[];
  /** Of the index. */
  readonly indexBytes: number;
}

const encoder = new TextEncoder();
const entryOf = (id: string, { name, type, bytes, sha256 }: WholeFile): Entry => [
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
    const [anId] = newPackedIds(this.#kind, 1);
    const indexBytes = this.#indexBytes + encoder.encode(JSON.stringify(entryOf(anId!, file))).length + 1;
    if (file.bytes.length > LARGEST_FILE_BYTES || bytes > PACK_BYTES || indexBytes > START_BYTES) return false;
    [this.#bytes, this.#indexBytes] = [bytes, indexBytes];
    this.#files.push(file);
    return true;
  }

  /** @returns the files in the order in which they were added. When it fails, nothing is left. */
  async put(bucket: R2Bucket): Promise<StoredFile[]> {
    const ids = newPackedIds(this.#kind, this.#files.length);
    const entries = this.#files.map((file, index) => entryOf(ids[index]!, file));
    const key = keyOf(ids[0]!);
    const bodies = this.#files.map(({ bytes }) => bytes);
    try {
      const { uploaded } = (await bucket.put(key, ...packed(entries, bodies)))!;
      return entries.map((entry, index) => describe(ids[index]!, entry, uploaded));
    } catch (error) {
      await bucket.delete(key);
      throw error;
    }
  }
}

/** @returns undefined where there is none */
export async function findInPack(bucket: R2Bucket, id: string) {
  const read = await readPack(bucket, id);
  return read && memberOf(read.pack, id);
}

/** @returns undefined where there is none */
export async function openInPack(bucket: R2Bucket, id: string, range?: ByteRange) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const read = await readPack(bucket, id);
    const member = read && memberOf(read.pack, id);
    if (!member) return undefined;
    const { offset = 0, length = member.file.size } = range ?? {};
    const from = member.offset + offset;
    if (length === 0 || from + length <= read.start.length) {
      return { file: member.file, body: new Response(read.start.slice(from, from + length)).body! };
    }
    const onlyIf = { etagMatches: read.pack.etag };
    const object = await bucket.get(keyOf(id), { range: { offset: from, length }, onlyIf });
    // Another file was removed in between, which moved this one.
    if (object && "body" in object) return { file: member.file, body: object.body };
  }
  throw new Error(`${keyOf(id)} changes all the time`);
}

/** @param ids of files in one pack */
export async function removeFromPack(bucket: R2Bucket, ids: readonly string[]): Promise<void> {
  const key = keyOf(ids[0]!);
  const gone = new Set(ids.map((id) => id.slice(packOf(id).length)));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const object = await bucket.get(key);
    if (!object) return;
    const bytes = await object.bytes();
    const pack = parse(object, bytes);
    const kept = [...placesIn(pack)].filter(({ entry }) => !gone.has(entry[0]));
    if (kept.length === pack.entries.length) return;
    if (kept.length === 0) return bucket.delete(key);
    const bodies = kept.map(({ entry, offset }) => bytes.subarray(offset, offset + entry[3]));
    const entries = kept.map(({ entry }) => entry);
    const [body, options] = packed(entries, bodies, pack.stored);
    if (await bucket.put(key, body, { ...options, onlyIf: { etagMatches: pack.etag } })) return;
  }
  throw new Error(`${key} changes all the time`);
}

/** When the files of a listed pack were stored, and how many they are. */
export function aboutPack({ uploaded, customMetadata }: R2Object): { stored: Date; count: number } {
  const { stored, count } = customMetadata!;
  return { stored: stored === undefined ? uploaded : new Date(Number(stored)), count: Number(count) };
}

function packed(entries: readonly Entry[], bodies: readonly Uint8Array[], stored?: Date) {
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

/** @returns undefined where there is none; `start` are the object's first bytes */
async function readPack(bucket: R2Bucket, id: string): Promise<{ pack: Pack; start: Uint8Array } | undefined> {
  const object = await bucket.get(keyOf(id), { range: { offset: 0, length: START_BYTES } });
  if (!object) return undefined;
  const start = await object.bytes();
  return { pack: parse(object, start), start };
}

function parse(object: R2Object, start: Uint8Array): Pack {
  const indexBytes = Number(object.customMetadata!.index);
  const entries = JSON.parse(new TextDecoder().decode(start.subarray(0, indexBytes))) as Entry[];
  return { etag: object.etag, stored: aboutPack(object).stored, entries, indexBytes };
}

/** The files with their offsets from the start of the object. */
function* placesIn({ entries, indexBytes }: Pack): Generator<{ readonly entry: Entry; readonly offset: number }> {
  let offset = indexBytes;
  for (const entry of entries) {
    yield { entry, offset };
    offset += entry[3];
  }
}

function memberOf(pack: Pack, id: string) {
  for (const { entry, offset } of placesIn(pack)) {
    if (packOf(id) + entry[0] === id) return { file: describe(id, entry, pack.stored), sha256: entry[4], offset };
  }
  return undefined;
}

function describe(id: string, [, name, type, size, sha256]: Entry, stored: Date): StoredFile {
  return { id, name, type, size, etag: sha256.slice(0, 32), modified: stored };
}
