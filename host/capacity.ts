// Divides the host's memory among its requests.

import { LIMITS } from "../src/document/contract/limits.ts";
import type { ProcessCapacity } from "../src/service/settings/capacity.ts";
import { PART_BYTES } from "../src/service/storage/standalone-files.ts";

/** Requests that wait hold a connection and their headers, and no file. */
const WAITING = 1024;

/** Pictures by URL in the container at a time: fewer than it has places on most machines, so that others find one. */
const PICTURES = 2;

/**
 * @param memoryBytes memory for files in transit and for files that are kept until their request ends; an engine that
 * runs here because there is no container takes as much again
 */
export function hostCapacity(memoryBytes: number): ProcessCapacity {
  const parts = Math.max(LIMITS.uploads, Math.floor(memoryBytes / 4 / PART_BYTES));
  return {
    preferredBackend: "container",
    uploads: parts,
    uploadsQueued: WAITING,
    receivingJobs: parts,
    receivingJobsQueued: WAITING,
    // The container limits how many of them run.
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
