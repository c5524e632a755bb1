// Deletes all expired objects: files, unfinished uploads, upload URLs, and objects of storage probes.

import type { Bucket } from "../ports/bucket.ts";
import { removeProbes } from "./probe.ts";
import { createStore } from "./store.ts";
import { OneTimeUploads } from "./uploads/one-time-uploads.ts";
import { ResumableUploads } from "./uploads/resumable-uploads.ts";

/** @returns the numbers of deleted files and unfinished uploads */
export async function removeExpired(bucket: Bucket, lifetimeMs: number): Promise<{ removed: number; uploads: number }> {
  const removed = await createStore(bucket, { lifetimeMs }).sweep();
  const uploads = await new ResumableUploads(bucket, { lifetimeMs }).sweep();
  await new OneTimeUploads(bucket).sweep();
  await removeProbes(bucket);
  return { removed, uploads };
}
