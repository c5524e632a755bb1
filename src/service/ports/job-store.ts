// Storage contract of the queue. Each call is atomic, and durable when its promise resolves: callers and processes run at
// the same time, and might crash at any time. All implementations pass test/support/job-conformance.ts.

import type { AttemptId, JobQueue, LeasedJob } from "./jobs.ts";
import type { Deliveries } from "./webhooks.ts";

/** Files to delete: those with the IDs, and those with the first `reserved` IDs derived from the seed. */
export interface PendingDeletion {
  readonly number: number;
  readonly ids: readonly string[];
  readonly seed: string | undefined;
  readonly reserved: number;
}

/** The queue, as its scheduler uses it. Several schedulers can share a store: each lease has one holder. */
export interface JobStore extends JobQueue {
  /**
   * Leases the next job. Before that, requeues or fails attempts with an expired lease, and deletes expired results.
   * @returns undefined if no job is ready, or if the maximum number of jobs is running
   */
  dequeue(): Promise<LeasedJob | undefined>;
  /** Records that the runner of an attempt was lost. Without effect on an attempt with an outcome. */
  markLost(attempt: AttemptId): Promise<void>;
  /** @returns the same deletion until it is done or failed, also to several callers; undefined if none is due */
  nextDeletion(): Promise<PendingDeletion | undefined>;
  deletionDone(deletion: PendingDeletion): Promise<void>;
  /** Postpones a deletion. */
  deletionFailed(deletion: PendingDeletion): Promise<void>;
  /** Messages about these jobs. A job and its message change in one transaction. */
  readonly deliveries: Deliveries;
  /**
   * @returns the time in milliseconds since 1970 at which jobs, messages or deletions become due or expire next;
   *   undefined if only a call can change them. A due deletion counts as failed, because the process might end before it
   */
  nextWakeup(): Promise<number | undefined>;
}
