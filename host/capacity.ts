// Divides the host's memory among its requests.

import { LIMITS } from "../src/document/contract/limits.ts";
import type { ProcessCapacity } from "../src/service/settings/capacity.ts";
import { PART_BYTES } from "../src/service/storage/standalone-files.ts";

/** A queued request occupies a connection and its headers, but no file memory. */
const WAITING = 1024;

/** Concurrent page images in the container: fewer than its permits on most machines, so that other jobs can run. */
const PICTURES = 2;

/**
 * @param memoryBytes memory for files in transit and for files buffered until their request ends; an engine in this
 *   process (without a container) needs the same amount again
 */
export function hostCapacity(memoryBytes: number): ProcessCapacity {
  const parts = Math.max(LIMITS.uploads, Math.floor(memoryBytes / 4 / PART_BYTES));
  return {
    preferredBackend: "container",
    uploads: parts,
    uploadsQueued: WAITING,
    receivingJobs: parts,
    receivingJobsQueued: WAITING,
    // The container itself limits how many of them run.
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
