// Deletes the files of lost, failed and canceled jobs.

import type { Bucket } from "../ports/bucket.ts";
import type { PendingDeletion } from "../ports/job-store.ts";
import type { Limiter } from "../ports/limiter.ts";
import { removeDerived } from "../storage/derived-ids.ts";
import type { FoundFile } from "../storage/file.ts";
import { createStore } from "../storage/store.ts";
import { giveBackFiles } from "../storage/stored-bytes.ts";

/** Maximum number of concurrent requests to the bucket: a Worker can have six connections. */
const AT_ONCE = 6;

interface DeletingOptions {
  readonly lifetimeMs: number;
  readonly limiter?: Limiter | undefined;
  /** Tag of the region in the IDs of the job's files. @default none */
  readonly tag?: string | undefined;
}

/** @param limiter subtracts the bytes of the files with `ids`. The files derived from `seed` belong to lost attempts */
export async function deleteJobFiles(
  bucket: Bucket,
  { lifetimeMs, limiter, tag }: DeletingOptions,
  { ids, seed, reserved }: PendingDeletion,
): Promise<void> {
  const store = createStore(bucket, { lifetimeMs });
  const files: FoundFile[] = [];
  for (let at = 0; limiter && at < ids.length; at += AT_ONCE) {
    const found = await Promise.all(ids.slice(at, at + AT_ONCE).map((id) => store.find(id)));
    files.push(...found.filter((file) => file !== undefined));
  }
  if (ids.length > 0) await store.remove(ids);
  await giveBackFiles(files, limiter);
  if (seed !== undefined) await removeDerived(bucket, seed, reserved, tag);
}
