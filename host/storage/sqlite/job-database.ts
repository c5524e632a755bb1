// Keeps the queue of asynchronous jobs in a SQLite database, jobs.db in the data folder, and runs the jobs in this
// process.

import { WebhookDeliveries } from "../../../src/service/jobs/deliveries.ts";
import { Queue } from "../../../src/service/jobs/queue.ts";
import { JobScheduler, type SchedulerServices } from "../../../src/service/jobs/scheduler.ts";
import type { Sql } from "../../../src/service/jobs/sql.ts";
import type { JobQueue, JobQueues, LeasedJob } from "../../../src/service/ports/jobs.ts";
import { SqliteFile } from "./sqlite-file.ts";

/** A timer cannot wait for longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface JobDatabaseOptions extends Pick<SchedulerServices, "run" | "remove" | "deliver" | "log"> {
  /** Time for which results are kept; 0 means unlimited. */
  readonly lifetimeMs: number;
}

export class JobDatabase implements JobQueues, Disposable {
  readonly #file: SqliteFile;
  #driver: JobScheduler | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  private constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** @throws Error with a sentence for the operator if the database is inaccessible */
  static open(folder: string): Promise<JobDatabase> {
    const options = { name: "jobs", subject: "job", synchronous: "FULL" } as const;
    return SqliteFile.open(folder, options, (file) => new JobDatabase(file));
  }

  /** Begins to run jobs. Those that were running when the process ended are run again. */
  start({ lifetimeMs, run, remove, deliver, log }: JobDatabaseOptions): void {
    const sql: Sql = (statement, ...values) => this.#file.all(statement, ...values);
    const now = () => Date.now();
    const deliveries = new WebhookDeliveries({ sql, now, random: Math.random });
    const queue = new Queue({ sql, now, lifetimeMs, deliveries });
    this.#driver = new JobScheduler({
      ...{ queue, deliveries, remove, deliver, log },
      run: (job: LeasedJob) => run(job),
      transaction: (decision) => this.#file.transaction(decision),
      setAlarm: (time) => this.#setAlarm(time),
    });
  }

  /** All names stand for the same queue. */
  getByName(): JobQueue {
    if (!this.#driver) throw new Error("the queue of jobs has not started, or has ended");
    return this.#driver;
  }

  /** Starts no more jobs. Those that run may end. */
  close(): void {
    this.#driver?.close();
    clearTimeout(this.#timer);
  }

  [Symbol.dispose](): void {
    this.close();
    this.#driver = undefined;
    this.#file[Symbol.dispose]();
  }

  #setAlarm(time: number | undefined): void {
    clearTimeout(this.#timer);
    if (time === undefined) return;
    const ms = Math.min(Math.max(time - Date.now(), 0), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => this.#driver?.runDue(), ms).unref();
  }
}
