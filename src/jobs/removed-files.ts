// Removes the files of jobs that were lost, failed or were canceled.

import type { Bucket } from "../core/bucket.ts";
import { removeDerived } from "../storage/derived-ids.ts";
import { createStore } from "../storage/store.ts";
import type { Removal } from "./queue.ts";

export async function removeFiles(bucket: Bucket, lifetimeMs: number, { ids, seed, reserved }: Removal): Promise<void> {
  if (ids.length > 0) await createStore(bucket, { lifetimeMs }).remove(ids);
  if (seed !== undefined) await removeDerived(bucket, seed, reserved);
}
