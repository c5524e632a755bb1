// Copies files to regions in which they are read often (decisions/0066-copies-of-documents.md). Layout:
//   copies/<key>             in the region of the reader: an object of the file, or derived from its pages
//   copied/<name>/<region>   in the region of the file: a record that the region has a copy, or might have one
// <name> is the ID of a standalone file, or the ID prefix that identifies a pack. The record precedes the copy, and
// outlasts it, so that no failure leaves a copy without a record.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { Bucket, BucketObject } from "../../ports/bucket.ts";
import { bucketAt } from "../../regions/located-env.ts";
import { isLost } from "../../regions/lost-regions.ts";
import { homeOf } from "../../regions/region-tag.ts";
import { type Region, regionOf, regionsOf } from "../../regions/regions.ts";
import type { Env } from "../../settings/config.ts";
import { type FoundFile, isPacked, packNameOf } from "../file.ts";
import { writeExpiryMarker } from "../file-policy.ts";
import { pageFilesPrefix } from "../page-files.ts";
import { PART_BYTES } from "../standalone-files.ts";
import { createStore, objectKeyOf, removeObject } from "../store.ts";
import { prefixedBucket } from "./prefixed-bucket.ts";

const COPIED = "copied/";
/** Maximum number of concurrent removals: a Worker can have six connections. */
const REMOVED_AT_ONCE = 6;

/** Returns the copies in a region as a bucket. */
export const copiesIn = (env: Env, region: Region): Bucket => prefixedBucket(bucketAt(env, region), "copies/");

const nameOf = (id: string) => (isPacked(id) ? packNameOf(id) : id);
const recordKey = (name: string, region: Region) => `${COPIED}${name}/${region.name}`;
const isRecent = ({ uploaded }: BucketObject, now: number) => uploaded.getTime() + LIMITS.copyMs > now;

/** The regions between which a file is copied. */
export interface Way {
  readonly env: Env;
  readonly from: Region;
  readonly to: Region;
  readonly now: number;
}

/** Copies a file with the objects derived from its pages. Does nothing if another process is copying it. */
export async function copyFile(file: FoundFile, { env, from, to, now }: Way): Promise<void> {
  const [source, copies, name] = [bucketAt(env, from), copiesIn(env, to), nameOf(file.id)];
  const recorded = await source.head(recordKey(name, to));
  if (recorded && isRecent(recorded, now)) return;
  await source.put(recordKey(name, to), new Uint8Array(0));
  const expires = file.expires?.getTime();
  const metadata = {
    stored: String(file.modified.getTime()),
    ...(expires === undefined ? {} : { expires: String(expires) }),
  };
  await writeExpiryMarker(copies, { ...(expires === undefined ? {} : { expires }) }, name);
  const copied = await copyObject(source, copies, objectKeyOf(name), metadata);
  const derived = await source.list({ prefix: pageFilesPrefix(file.id) });
  for (const { key } of derived.objects) await copyObject(source, copies, key, metadata);
  // A client might have deleted the file in the meantime, and its copies before they were complete.
  const current = await source.head(objectKeyOf(name));
  if (copied?.etag !== current?.etag) await removeObject(copies, name);
}

/**
 * Copies an object in parts.
 * @param metadata added to the metadata of the object
 * @returns the original object; undefined if there is none
 */
async function copyObject(
  source: Bucket,
  target: Bucket,
  key: string,
  metadata: Record<string, string>,
): Promise<BucketObject | undefined> {
  const range = (offset: number) => ({ range: { offset, length: PART_BYTES } });
  const object = await source.get(key, range(0));
  if (!object) return undefined;
  const { size, etag, httpMetadata, customMetadata } = object;
  const { contentType } = httpMetadata ?? {};
  const options = {
    ...(contentType === undefined ? {} : { httpMetadata: { contentType } }),
    customMetadata: { ...customMetadata, ...metadata },
  };
  const start = await object.bytes();
  if (size <= PART_BYTES) {
    await target.put(key, start, options);
    return object;
  }
  const upload = await target.createMultipartUpload(key, options);
  try {
    const parts = [await upload.uploadPart(1, start)];
    for (let offset = PART_BYTES; offset < size; offset += PART_BYTES) {
      const part = await source.get(key, { ...range(offset), onlyIf: { etagMatches: etag } });
      if (!part || !("body" in part)) throw new Error(`${key} no longer exists`);
      parts.push(await upload.uploadPart(parts.length + 1, await part.bytes()));
    }
    await upload.complete(parts);
  } catch (error) {
    await upload.abort();
    throw error;
  }
  return object;
}

/**
 * Removes the copies of deleted files. Never fails: the files are unreachable without their copies, and
 * {@link sweepCopies} removes the remaining ones.
 */
export async function removeCopies(env: Env, ids: readonly string[]): Promise<void> {
  const names = [...Map.groupBy(ids, nameOf)];
  for (let at = 0; at < names.length; at += REMOVED_AT_ONCE) {
    await Promise.allSettled(
      names.slice(at, at + REMOVED_AT_ONCE).map(([name, all]) => removeCopiesOf(env, name, all)),
    );
  }
}

async function removeCopiesOf(env: Env, name: string, ids: readonly string[]): Promise<void> {
  const { region: home, isBound } = homeOf(ids[0]!, env)!;
  if (isBound) return;
  const source = bucketAt(env, home);
  for await (const { place, key } of recordsIn(env, source, `${name}/`)) {
    // Renews the record, because a process that writes to the copy might not have seen yet that the file is deleted.
    await source.put(key, new Uint8Array(0));
    const copies = createStore(copiesIn(env, place), { lifetimeMs: 0 });
    if (!isLost(place)) await copies.remove(ids).catch(() => {});
  }
}

/**
 * Removes the expired copies in the region of the environment, and the copies in other regions of its files that no
 * longer exist.
 * @param lifetimeMs lifetime of files; 0 means unlimited
 */
export async function sweepCopies(env: Env, lifetimeMs: number, now = Date.now()): Promise<void> {
  const here = regionOf(env);
  if (!here) return;
  await createStore(copiesIn(env, here), { lifetimeMs, now: () => now }).sweep();
  for await (const { place, key, name, record } of recordsIn(env, env.FILES)) {
    if (isRecent(record, now) || isLost(place) || (await env.FILES.head(objectKeyOf(name)))) continue;
    // The record of a lost region remains for the next sweep.
    const isRemoved = await removeObject(copiesIn(env, place), name).then(
      () => true,
      () => false,
    );
    if (isRemoved) await env.FILES.delete(key);
  }
}

/** Yields the records whose regions are configured. @param within start of their keys, after the common prefix */
async function* recordsIn(env: Env, source: Bucket, within = "") {
  let cursor: string | undefined;
  do {
    const page = await source.list({ prefix: COPIED + within, ...(cursor === undefined ? {} : { cursor }) });
    for (const record of page.objects) {
      const [name = "", placeName] = record.key.slice(COPIED.length).split("/");
      const place = regionsOf(env)!.find((region) => region.name === placeName);
      if (place) yield { place, name, record, key: record.key };
    }
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
}
