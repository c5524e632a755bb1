// Stores jobs and their webhook messages: in SQLite, both in the Durable Object and on the host, or in PostgreSQL.

import { LIMITS } from "../../document/contract/limits.ts";
import type { JobStore } from "../ports/job-store.ts";
import { WebhookDeliveries } from "./deliveries.ts";
import { Queue } from "./queue.ts";
import { now, type Row, type Step, type Steps } from "./sql.ts";
import { TABLES } from "./sqlite-tables.ts";

export interface JobStoreOptions {
  /** Time for which results are stored; 0 means unlimited. */
  readonly lifetimeMs: number;
  /** @default LIMITS.asyncJobsQueued */
  readonly maxQueued?: number;
  /** Returns the time in milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Returns a number from 0 to 1, for jitter. @default Math.random */
  readonly random?: () => number;
  /** This host, if each host that shares the queue has its own maximum number of running jobs. @default it is common */
  readonly host?: string;
}

export interface TransactionOptions {
  /** False if the changes of the last second may be lost. @default true */
  readonly isDurable?: boolean;
}

/** Runs steps as one transaction. */
export type RunSteps = <T>(steps: () => Steps<T>, options?: TransactionOptions) => Promise<T>;

/** The rules of the queue in a database. */
export function createJobStore(run: RunSteps, options: JobStoreOptions) {
  const { now: hostTime = Date.now, random = Math.random, maxQueued = LIMITS.asyncJobsQueued } = options;
  const deliveries = new WebhookDeliveries({ random, host: options.host });
  const queue = new Queue({ ...options, maxQueued, deliveries });
  const atomic =
    <A extends readonly unknown[], T>(steps: (...args: A) => Steps<T>, how?: TransactionOptions) =>
    (...args: A): Promise<T> =>
      run(() => steps(...args), how);
  const store: JobStore = {
    enqueue: atomic((job) => queue.enqueue(job)),
    record: atomic((job, response) => queue.record(job, response)),
    status: atomic((id) => queue.status(id)),
    marks: atomic((id) => queue.marks(id)),
    cancel: atomic((id) => queue.cancel(id)),
    // A lease whose last renewal is lost only ends earlier.
    renew: atomic((attempt, progress) => queue.renew(attempt, progress), { isDurable: false }),
    reserve: atomic((attempt, ids) => queue.reserve(attempt, ids)),
    complete: atomic((attempt, response) => queue.complete(attempt, response)),
    fail: atomic((attempt, error) => queue.fail(attempt, error)),
    postpone: atomic((attempt, error) => queue.postpone(attempt, error)),
    dequeue: atomic(function* () {
      yield* queue.expireLeases();
      return yield* queue.dequeue();
    }),
    markLost: atomic((attempt) => queue.markLost(attempt)),
    nextDeletion: atomic(() => queue.nextDeletion()),
    deletionDone: atomic((deletion) => queue.deletionDone(deletion)),
    deletionFailed: atomic((deletion) => queue.deletionFailed(deletion)),
    nextWakeup: atomic(function* () {
      const times = [...(yield* queue.nextTimes()), yield* deliveries.nextWakeup()].filter((time) => time !== null);
      // The clock of the database can differ from this host's.
      return times.length === 0 ? undefined : Math.min(...times) - (yield* now()) + hostTime();
    }),
    deliveries: {
      dequeue: atomic(function* () {
        yield* deliveries.expireLeases();
        const due = yield* deliveries.dequeue();
        // The status exists, because a message is deleted with its job.
        return due && { ...due, status: (yield* queue.status(due.id))! };
      }),
      recordOutcome: atomic((attempt, outcome) => deliveries.recordOutcome(attempt, outcome)),
    },
  };
  return { store, queue, deliveries };
}

export interface SqliteJobStoreOptions extends JobStoreOptions {
  /** Runs a statement. @returns its rows */
  sql(statement: string, ...values: readonly (string | number | null)[]): readonly Row[];
  /** Runs a function as one exclusive transaction. */
  transaction<T>(work: () => T): T;
}

/** Opens the store in SQLite when a process starts. Shortens the leases of earlier and other processes. */
export function openSqliteJobStore({ sql, transaction, ...options }: SqliteJobStoreOptions): JobStore {
  const rowsOf = (step: Step): readonly Row[] => {
    if (step === "clock") return [{ now: (options.now ?? Date.now)() }];
    if ("lock" in step) return [];
    return sql(step.statement.replace(/\sFOR UPDATE( SKIP LOCKED)?$/, ""), ...step.values);
  };
  const runNow = <T>(steps: Steps<T>): T => {
    let step = steps.next([]);
    while (!step.done) step = steps.next(rowsOf(step.value));
    return step.value;
  };
  const { store, queue, deliveries } = createJobStore(async (steps) => transaction(() => runNow(steps())), options);
  transaction(() => {
    for (const statement of TABLES) sql(statement);
    runNow(queue.shortenLeases());
    runNow(deliveries.shortenLeases());
  });
  return store;
}
