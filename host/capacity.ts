// Divides the host's memory among its requests.

import { LIMITS } from "../src/document/contract/limits.ts";
import type { ProcessCapacity } from "../src/service/settings/capacity.ts";
import { PART_BYTES } from "../src/service/storage/standalone-files.ts";

/** Maximum queue length. It is large, because a queued request needs memory only for its connection and headers. */
const WAITING = 1024;

/**
 * Maximum number of concurrent page images in the container. On most machines, it is less than the number of permits
 * there, so that other jobs can run.
 */
const PICTURES = 2;

/**
 * @param memoryBytes memory for files in transit, and for files that are buffered until their request ends. Without a
 *   container, the engine in this process needs the same amount in addition
 */
export function hostCapacity(memoryBytes: number): ProcessCapacity {
  const parts = Math.max(LIMITS.uploads, Math.floor(memoryBytes / 4 / PART_BYTES));
  return {
    preferredBackend: "container",
    uploads: parts,
    uploadsQueued: WAITING,
    receivingJobs: parts,
    receivingJobsQueued: WAITING,
    // The container itself limits the number of running jobs.
    containerJobs: WAITING,
    containerJobsQueued: WAITING,
    uploadMemoryPerRequestBytes: memoryBytes / 16,
    uploadMemoryBytes: memoryBytes / 4,
    heldBodiesBytes: memoryBytes / 4,
    engineJobs: LIMITS.engineJobs,
    engineJobsQueued: WAITING,
    pageImageJobs: PICTURES,
    pageImageJobsQueued: WAITING,
    isolateBytes: memoryBytes,
    edgeHeapBytes: memoryBytes,
    edgeHeldBytes: memoryBytes / 4,
  };
}
