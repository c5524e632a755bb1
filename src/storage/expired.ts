// Removes everything that has outlived its time.

import type { Bucket } from "../core/bucket.ts";
import { OneTimeUploads } from "./one-time-uploads.ts";
import { removeProbes } from "./probe.ts";
import { ResumableUploads } from "./resumable-uploads.ts";
import { createStore } from "./store.ts";

/** @returns the numbers of files and of unfinished uploads that were removed */
export async function removeExpired(bucket: Bucket, lifetimeMs: number): Promise<{ removed: number; uploads: number }> {
  const removed = await createStore(bucket, { lifetimeMs }).sweep();
  const uploads = await new ResumableUploads(bucket, { lifetimeMs }).sweep();
  await new OneTimeUploads(bucket).sweep();
  await removeProbes(bucket);
  return { removed, uploads };
}
