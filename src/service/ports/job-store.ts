// Storage contract of the queue. Each call is atomic, and its changes are durable when the promise resolves, because
// callers run in several processes and might crash at any time. All implementations pass
// test/support/job-conformance.ts.

import type { AttemptId, JobQueue, LeasedJob } from "./jobs.ts";
import type { Deliveries } from "./webhooks.ts";

/**
 * Files to delete: the files with these IDs, and the files with the first `reserved` IDs that are derived from the
 * seed.
 */
export interface PendingDeletion {
  readonly number: number;
  readonly ids: readonly string[];
  readonly seed: string | undefined;
  readonly reserved: number;
}

/** The queue from the scheduler's view. Several schedulers can share a store, because each lease has one holder. */
export interface JobStore extends JobQueue {
  /**
   * Leases the next job. Before that, requeues or fails attempts with an expired lease, and deletes expired results.
   * @returns undefined if no job is ready, or if the maximum number of jobs is running
   */
  dequeue(): Promise<LeasedJob | undefined>;
  /** Records that the runner of an attempt was lost. Has no effect if the attempt already has an outcome. */
  markLost(attempt: AttemptId): Promise<void>;
  /**
   * @returns the next due deletion; undefined if none is due. Every caller receives the same deletion until its outcome
   *   is recorded
   */
  nextDeletion(): Promise<PendingDeletion | undefined>;
  deletionDone(deletion: PendingDeletion): Promise<void>;
  /** Postpones a deletion. */
  deletionFailed(deletion: PendingDeletion): Promise<void>;
  /** Webhook messages about these jobs. A job and its message change in one transaction. */
  readonly deliveries: Deliveries;
  /**
   * @returns the time in milliseconds since 1970 at which jobs, messages or deletions become due or expire next;
   *   undefined if only a call can change them. The time of a due deletion is when it would be retried after a failure,
   *   because the process might end before it
   */
  nextWakeup(): Promise<number | undefined>;
}
