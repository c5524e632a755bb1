// The queue of asynchronous jobs on Cloudflare: one Durable Object. It runs each job by an RPC to the Worker, which
// returns when the job ends.

import { DurableObject } from "cloudflare:workers";
import { logLine } from "../../runtime/log-line.ts";
import { limiterOf } from "../keys/durable-limiter.ts";
import type { JobStore } from "../ports/job-store.ts";
import type { AttemptId, JobError, JobMarks, JobQueue, JobStatus, LeasedJob, NewJob, Progress } from "../ports/jobs.ts";
import type { DeliveryOutcome, WebhookMessage } from "../ports/webhooks.ts";
import { envOfId, runnerAt, runnerName } from "../regions/located-env.ts";
import { homeOf, newTag } from "../regions/region-tag.ts";
import { type Env, readConfig } from "../settings/config.ts";
import { deleteJobFiles } from "./delete-job-files.ts";
import { JobScheduler } from "./scheduler.ts";
import { type JobStoreOptions, openSqliteJobStore } from "./sql-job-store.ts";

/** The Worker's entry point for jobs, which the platform provides to Durable Objects of the same Worker. */
interface Exports {
  readonly JobRunner: {
    run(job: LeasedJob): Promise<void>;
    deliver(message: WebhookMessage): Promise<DeliveryOutcome>;
  };
}

export class JobQueueObject extends DurableObject<Env> implements JobQueue {
  readonly #scheduler: JobScheduler;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    const { storage } = context;
    const { fileLifetimeMs: lifetimeMs } = readConfig(env);
    const exports = context.exports as unknown as Exports;
    // Only an object is certain to run in the region of a bound job.
    const runnerOf = (id: string): Exports["JobRunner"] => {
      const home = homeOf(id, env);
      return home?.isBound ? runnerAt(env, home.region, runnerName(id)) : exports.JobRunner;
    };
    this.#scheduler = new JobScheduler({
      store: durableJobStore(storage, { lifetimeMs }),
      run: (job) => runnerOf(job.id).run(job),
      deliver: (message) => runnerOf(message.id).deliver(message),
      remove(deletion) {
        const located = envOfId(env, deletion.seed ?? deletion.ids[0] ?? "");
        const options = { lifetimeMs, limiter: limiterOf(located), tag: newTag(located) };
        return deleteJobFiles(located.FILES, options, deletion);
      },
      setAlarm: (time) => void (time === undefined ? storage.deleteAlarm() : storage.setAlarm(time)),
      log: (message, details) => console.log(logLine({}, message, details)),
    });
    void context.blockConcurrencyWhile(() => this.#scheduler.runDue());
  }

  override alarm(): Promise<void> {
    return this.#scheduler.runDue();
  }

  enqueue(job: NewJob): Promise<boolean> {
    return this.#scheduler.enqueue(job);
  }

  record(job: NewJob, response: string): Promise<void> {
    return this.#scheduler.record(job, response);
  }

  status(id: string): Promise<JobStatus | undefined> {
    return this.#scheduler.status(id);
  }

  marks(id: string): Promise<JobMarks | undefined> {
    return this.#scheduler.marks(id);
  }

  cancel(id: string): Promise<boolean> {
    return this.#scheduler.cancel(id);
  }

  renew(attempt: AttemptId, progress?: Progress): Promise<boolean> {
    return this.#scheduler.renew(attempt, progress);
  }

  reserve(attempt: AttemptId, ids: number): Promise<boolean> {
    return this.#scheduler.reserve(attempt, ids);
  }

  complete(attempt: AttemptId, response: string): Promise<boolean> {
    return this.#scheduler.complete(attempt, response);
  }

  fail(attempt: AttemptId, error: JobError): Promise<void> {
    return this.#scheduler.fail(attempt, error);
  }

  postpone(attempt: AttemptId, error: JobError): Promise<void> {
    return this.#scheduler.postpone(attempt, error);
  }
}

/** Opens the job store in the storage of a Durable Object. */
export const durableJobStore = (storage: DurableObjectStorage, options: JobStoreOptions): JobStore =>
  openSqliteJobStore({
    ...options,
    sql: (statement, ...values) => storage.sql.exec(statement, ...values).toArray(),
    transaction: (work) => storage.transactionSync(work),
  });
