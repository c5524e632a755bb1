// Defines the capacity of one process: memory, permits and queue lengths that its requests share.

import { LIMITS } from "../../document/contract/limits.ts";

/** Entries of LIMITS that hold for an isolate. A process with more memory, such as the host, overrides them. */
type Shared =
  | "uploads"
  | "uploadsQueued"
  | "uploadMemoryPerRequestBytes"
  | "uploadMemoryBytes"
  | "heldBodiesBytes"
  | "engineJobs"
  | "engineJobsQueued"
  | "receivingJobs"
  | "receivingJobsQueued"
  | "containerJobs"
  | "containerJobsQueued"
  | "pageImageJobs"
  | "pageImageJobsQueued"
  | "isolateBytes"
  | "edgeHeapBytes"
  | "edgeHeldBytes";

export interface ProcessCapacity extends Readonly<Record<Shared, number>> {
  /**
   * Backend for jobs that can run on both. `edge`: the edge if the job fits, otherwise the container. `container`:
   * always the container.
   */
  readonly preferredBackend: "edge" | "container";
}

export const ISOLATE_CAPACITY: ProcessCapacity = { ...LIMITS, preferredBackend: "edge" };
