// Removes the files of jobs that were lost, failed or were canceled.

import type { Bucket } from "../ports/bucket.ts";
import type { Limiter } from "../ports/limiter.ts";
import { removeDerived } from "../storage/derived-ids.ts";
import type { FoundFile } from "../storage/file.ts";
import { createStore } from "../storage/store.ts";
import { giveBackFiles } from "../storage/stored-bytes.ts";
import type { PendingDeletion } from "./queue.ts";

/** A Worker has six connections. */
const AT_ONCE = 6;

/** @param limiter gets back the bytes that were counted, except those of attempts that were lost */
export async function deleteJobFiles(
  bucket: Bucket,
  { lifetimeMs, limiter }: { readonly lifetimeMs: number; readonly limiter?: Limiter | undefined },
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
  if (seed !== undefined) await removeDerived(bucket, seed, reserved);
}
