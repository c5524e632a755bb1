// Stores the queue of asynchronous jobs: one Durable Object, which carries out what queue.ts decides. Each job runs in
// the Worker, through a call that lasts as long as the job.

import { DurableObject } from "cloudflare:workers";
import { logLine } from "../../runtime/log-line.ts";
import { limiterOf } from "../keys/durable-limiter.ts";
import type { AttemptId, JobError, JobMarks, JobQueue, JobStatus, LeasedJob, NewJob, Progress } from "../ports/jobs.ts";
import type { DeliveryOutcome, WebhookMessage } from "../ports/webhooks.ts";
import { type Env, readConfig } from "../settings/config.ts";
import { deleteJobFiles } from "./delete-job-files.ts";
import { WebhookDeliveries } from "./deliveries.ts";
import { Queue } from "./queue.ts";
import { JobScheduler } from "./scheduler.ts";
import type { Sql } from "./sql.ts";

/** The Worker's entry point for jobs, as the platform offers it to its own objects. */
interface Exports {
  readonly JobRunner: {
    run(job: LeasedJob): Promise<void>;
    deliver(message: WebhookMessage): Promise<DeliveryOutcome>;
  };
}

export class JobQueueObject extends DurableObject<Env> implements JobQueue {
  readonly #driver: JobScheduler;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    const { storage } = context;
    const { fileLifetimeMs: lifetimeMs } = readConfig(env);
    const exports = context.exports as unknown as Exports;
    const sql: Sql = (statement, ...values) => storage.sql.exec(statement, ...values).toArray();
    const now = () => Date.now();
    const deliveries = new WebhookDeliveries({ sql, now, random: Math.random });
    const queue = new Queue({ sql, now, lifetimeMs, deliveries });
    this.#driver = new JobScheduler({
      ...{ queue, deliveries },
      transaction: (decision) => storage.transactionSync(decision),
      run: (job) => exports.JobRunner.run(job),
      deliver: (message) => exports.JobRunner.deliver(message),
      remove: (removal) => deleteJobFiles(env.FILES, { lifetimeMs, limiter: limiterOf(env) }, removal),
      setAlarm: (time) => void (time === undefined ? storage.deleteAlarm() : storage.setAlarm(time)),
      log: (message, details) => console.log(logLine({}, message, details)),
    });
  }

  override async alarm(): Promise<void> {
    this.#driver.runDue();
  }

  enqueue(job: NewJob): Promise<boolean> {
    return this.#driver.enqueue(job);
  }

  record(job: NewJob, answer: string): Promise<void> {
    return this.#driver.record(job, answer);
  }

  status(id: string): Promise<JobStatus | undefined> {
    return this.#driver.status(id);
  }

  marks(id: string): Promise<JobMarks | undefined> {
    return this.#driver.marks(id);
  }

  cancel(id: string): Promise<boolean> {
    return this.#driver.cancel(id);
  }

  renew(attempt: AttemptId, progress?: Progress): Promise<boolean> {
    return this.#driver.renew(attempt, progress);
  }

  reserve(attempt: AttemptId, ids: number): Promise<boolean> {
    return this.#driver.reserve(attempt, ids);
  }

  complete(attempt: AttemptId, answer: string): Promise<boolean> {
    return this.#driver.complete(attempt, answer);
  }

  fail(attempt: AttemptId, error: JobError): Promise<void> {
    return this.#driver.fail(attempt, error);
  }

  postpone(attempt: AttemptId, error: JobError): Promise<void> {
    return this.#driver.postpone(attempt, error);
  }
}
