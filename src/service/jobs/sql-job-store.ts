// Stores jobs and their webhook messages in SQLite, both in the Durable Object and on the host.

import { LIMITS } from "../../document/contract/limits.ts";
import type { JobStore } from "../ports/job-store.ts";
import { WebhookDeliveries } from "./deliveries.ts";
import { Queue } from "./queue.ts";
import type { Sql } from "./sql.ts";

export interface JobStoreOptions {
  /** Time for which results are stored; 0 means unlimited. */
  readonly lifetimeMs: number;
  /** @default LIMITS.asyncJobsQueued */
  readonly maxQueued?: number;
  /** Returns the time in milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Returns a number from 0 to 1, for jitter. @default Math.random */
  readonly random?: () => number;
}

export interface SqlJobStoreOptions extends JobStoreOptions {
  readonly sql: Sql;
  /** Runs a function as one exclusive transaction. */
  transaction<T>(work: () => T): T;
}

/**
 * Opens the store when a process starts. Records the unfinished deliveries of the previous process as failed, and
 * shortens the leases of all runners.
 */
export function openSqlJobStore(settings: SqlJobStoreOptions): JobStore {
  const { transaction, ...options } = {
    maxQueued: LIMITS.asyncJobsQueued,
    now: Date.now,
    random: Math.random,
    ...settings,
  };
  const { deliveries, queue } = transaction(() => {
    const deliveries = new WebhookDeliveries(options);
    return { deliveries, queue: new Queue({ ...options, deliveries }) };
  });
  const atomic =
    <A extends readonly unknown[], T>(work: (...args: A) => T) =>
    async (...args: A): Promise<T> =>
      transaction(() => work(...args));
  return {
    enqueue: atomic((job) => queue.enqueue(job)),
    record: atomic((job, response) => queue.record(job, response)),
    status: atomic((id) => queue.status(id)),
    marks: atomic((id) => queue.marks(id)),
    cancel: atomic((id) => queue.cancel(id)),
    renew: atomic((attempt, progress) => queue.renew(attempt, progress)),
    reserve: atomic((attempt, ids) => queue.reserve(attempt, ids)),
    complete: atomic((attempt, response) => queue.complete(attempt, response)),
    fail: atomic((attempt, error) => queue.fail(attempt, error)),
    postpone: atomic((attempt, error) => queue.postpone(attempt, error)),
    dequeue: atomic(() => {
      queue.expireLeases();
      return queue.dequeue();
    }),
    markLost: atomic((attempt) => queue.markLost(attempt)),
    nextDeletion: atomic(() => queue.nextDeletion()),
    deletionDone: atomic((deletion) => queue.deletionDone(deletion)),
    deletionFailed: atomic((deletion) => queue.deletionFailed(deletion)),
    nextWakeup: atomic(() => {
      const times = [queue.nextWakeup(), deliveries.nextWakeup()].filter((time) => time !== undefined);
      return times.length > 0 ? Math.min(...times) : undefined;
    }),
    deliveries: {
      dequeue: atomic(() => {
        deliveries.expireLeases();
        const due = deliveries.dequeue();
        // The status exists, because a message is deleted with its job.
        return due && { ...due, status: queue.status(due.id)! };
      }),
      recordOutcome: atomic((attempt, outcome) => deliveries.recordOutcome(attempt, outcome)),
    },
  };
}
