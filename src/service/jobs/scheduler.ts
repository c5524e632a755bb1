// Runs jobs, webhook deliveries and deletions from a store: starts all that are due, and sets an alarm for the next
// change.

import { LIMITS } from "../../document/contract/limits.ts";
import { coalesced } from "../../runtime/coalesced.ts";
import { hashOfId } from "../../runtime/log-line.ts";
import type { JobStore, PendingDeletion } from "../ports/job-store.ts";
import type { AttemptId, JobError, JobMarks, JobQueue, JobStatus, LeasedJob, NewJob, Progress } from "../ports/jobs.ts";
import type { DeliveryOutcome, WebhookMessage } from "../ports/webhooks.ts";
import { throughOutage } from "./through-outage.ts";

export interface SchedulerServices {
  readonly store: JobStore;
  /** Runs one attempt of a job. Settles when the attempt has ended, whether it succeeded or failed. */
  run(job: LeasedJob): Promise<void>;
  remove(deletion: PendingDeletion): Promise<void>;
  /** Posts a webhook message. */
  deliver(message: WebhookMessage): Promise<DeliveryOutcome>;
  /**
   * Schedules a call of {@link JobScheduler.runDue}. Replaces the previous alarm. @param time milliseconds since 1970
   */
  setAlarm(time: number | undefined): void;
  log(message: string, details: Record<string, unknown>): void;
}

/** The queue from the view of requests and runners. Calls {@link JobScheduler.runDue} after each change. */
export class JobScheduler implements JobQueue {
  readonly #services: SchedulerServices;
  readonly #store: JobStore;
  #isClosed = false;

  constructor(services: SchedulerServices) {
    this.#services = services;
    this.#store = services.store;
  }

  /** Stops starting jobs, deliveries and deletions. */
  close(): void {
    this.#isClosed = true;
  }

  /** Starts all due jobs, deliveries and deletions. Resolves when the next alarm is set. */
  readonly runDue = coalesced(async () => {
    if (this.#isClosed) return;
    try {
      await this.#startAll(
        () => this.#store.dequeue(),
        (job) => this.#run(job),
      );
      await this.#startAll(
        () => this.#store.deliveries.dequeue(),
        (message) => this.#deliver(message),
      );
      this.#services.setAlarm(await this.#store.nextWakeup());
    } catch (error) {
      if (!this.#isClosed) this.#services.setAlarm(Date.now() + LIMITS.asyncRetryMs);
      throw error;
    }
    this.#inBackground(this.#deleteDue());
  });

  enqueue(job: NewJob): Promise<boolean> {
    return this.#scheduled(this.#store.enqueue(job));
  }

  record(job: NewJob, response: string): Promise<void> {
    return this.#scheduled(this.#store.record(job, response));
  }

  status(id: string): Promise<JobStatus | undefined> {
    return this.#store.status(id);
  }

  marks(id: string): Promise<JobMarks | undefined> {
    return this.#store.marks(id);
  }

  cancel(id: string): Promise<boolean> {
    return this.#scheduled(this.#store.cancel(id));
  }

  renew(attempt: AttemptId, progress?: Progress): Promise<boolean> {
    return this.#store.renew(attempt, progress);
  }

  reserve(attempt: AttemptId, ids: number): Promise<boolean> {
    return this.#store.reserve(attempt, ids);
  }

  complete(attempt: AttemptId, response: string): Promise<boolean> {
    return this.#scheduled(this.#store.complete(attempt, response));
  }

  fail(attempt: AttemptId, error: JobError): Promise<void> {
    return this.#scheduled(this.#store.fail(attempt, error));
  }

  postpone(attempt: AttemptId, error: JobError): Promise<void> {
    return this.#scheduled(this.#store.postpone(attempt, error));
  }

  async #scheduled<T>(change: Promise<T>): Promise<T> {
    const result = await change;
    this.#inBackground(this.runDue());
    return result;
  }

  async #run(job: LeasedJob): Promise<void> {
    const { run, log } = this.#services;
    try {
      await run(job);
    } catch (error) {
      log("asynchronous job lost", { requestId: hashOfId(job.id), attempt: job.attempt, error: String(error) });
    }
    // Has no effect if the runner has reported an outcome.
    await this.#scheduled(this.#store.markLost(job));
  }

  async #deliver(message: WebhookMessage): Promise<void> {
    const { deliver, log } = this.#services;
    const { id, attempt } = message;
    const requestId = hashOfId(id);
    let outcome: DeliveryOutcome = "failed";
    try {
      outcome = await deliver(message);
    } catch (error) {
      log("webhook not delivered", { requestId, attempt, error: String(error) });
    }
    // A message whose outcome is unknown is posted again.
    const record = () => this.#store.deliveries.recordOutcome(message, outcome);
    const isAbandoned = !(await throughOutage(LIMITS.asyncLeaseMs, record));
    if (isAbandoned) log("webhook abandoned", { requestId, attempt });
    this.#inBackground(this.runDue());
  }

  readonly #deleteDue = coalesced(async () => {
    const { remove, log } = this.#services;
    let hasWorked = false;
    for (let due = await this.#store.nextDeletion(); due && !this.#isClosed; due = await this.#store.nextDeletion()) {
      try {
        await remove(due);
        await this.#store.deletionDone(due);
      } catch (error) {
        log("files not removed", { error: String(error) });
        await this.#store.deletionFailed(due);
      }
      hasWorked = true;
    }
    if (hasWorked) this.#inBackground(this.runDue());
  });

  /**
   * Leases all due entries before starting the first. Otherwise, jobs that end immediately would free capacity for the
   * next ones, and the loop might never end.
   */
  async #startAll<T>(next: () => Promise<T | undefined>, start: (one: T) => Promise<void>): Promise<void> {
    const leased: T[] = [];
    try {
      for (let one = await next(); one !== undefined; one = await next()) leased.push(one);
    } finally {
      for (const one of leased) this.#inBackground(start(one));
    }
  }

  /** Only logs errors. If the store fails, leases expire and deletions become due again, so nothing is lost. */
  #inBackground(work: Promise<unknown>): void {
    work.catch((error) => {
      if (!this.#isClosed) this.#services.log("job queue unavailable", { error: String(error) });
    });
  }
}
