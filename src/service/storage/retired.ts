// Records for a limited time which files clients have deleted. Layout:
//   retired/<id>   an empty object

import { LIMITS } from "../../document/contract/limits.ts";
import type { Bucket, BucketObject } from "../ports/bucket.ts";

const RETIRED = "retired/";
/** Maximum number of concurrent writes: a Worker can have six connections. */
const AT_ONCE = 6;

/**
 * Records that files were deleted. Ignores errors: a deletion must succeed even if the storage is full, because it
 * frees space.
 */
export async function noteRetired(bucket: Bucket, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const notes = ids.slice(at, at + AT_ONCE).map((id) => bucket.put(RETIRED + id, new Uint8Array(0)));
    await Promise.allSettled(notes);
  }
}

export async function isNoted(bucket: Bucket, id: string, now: number): Promise<boolean> {
  const note = await bucket.head(RETIRED + id);
  return note !== null && !isExpired(note, now);
}

/** Deletes expired records. */
export async function sweepRetired(bucket: Bucket, now: number): Promise<void> {
  let cursor: string | undefined;
  do {
    const page = await bucket.list({ prefix: RETIRED, ...(cursor === undefined ? {} : { cursor }) });
    const old = page.objects.filter((note) => isExpired(note, now)).map(({ key }) => key);
    if (old.length > 0) await bucket.delete(old);
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
}

const isExpired = ({ uploaded }: BucketObject, now: number) => uploaded.getTime() + LIMITS.retiredMs <= now;
