// Defines the resources that requests of one process share: memory quotas and semaphores.

import { LIMITS } from "../../document/contract/limits.ts";

/** LIMITS entries of an isolate that a process with more memory overrides. */
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
  /** Backend for jobs that can run on both: the edge while the job fits, or always the container. */
  readonly preferredBackend: "edge" | "container";
}

export const ISOLATE_CAPACITY: ProcessCapacity = { ...LIMITS, preferredBackend: "edge" };
