// Declares what the requests of one process share: its memory, and the turns to use it.

import { LIMITS } from "../../document/contract/limits.ts";

/** Entries of LIMITS that hold for an isolate, and that a process with more memory replaces. */
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
   * The place where a job runs that could run in either: at the edge while it fits there, or always in the container.
   */
  readonly preferredBackend: "edge" | "container";
}

export const ISOLATE_CAPACITY: ProcessCapacity = { ...LIMITS, preferredBackend: "edge" };
