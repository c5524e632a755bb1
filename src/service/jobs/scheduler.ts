// Carries out what the queue decides: starts jobs, removes files, and asks to be called when time has passed.

import { hashOfId } from "../../runtime/log-line.ts";
import type { AttemptId, JobError, JobMarks, JobQueue, JobStatus, LeasedJob, NewJob, Progress } from "../ports/jobs.ts";
import type { DeliveryOutcome, DueDelivery, WebhookMessage } from "../ports/webhooks.ts";
import type { WebhookDeliveries } from "./deliveries.ts";
import type { PendingDeletion, Queue } from "./queue.ts";

/** The surroundings of a queue. */
export interface SchedulerServices {
  readonly queue: Queue;
  readonly deliveries: WebhookDeliveries;
  /** Lets nothing else happen to what is stored until the decision is made, and stores it as a whole. */
  transaction<T>(decision: () => T): T;
  /** Carries out a job. Settles when the attempt is over, whatever came of it. */
  run(job: LeasedJob): Promise<void>;
  remove(removal: PendingDeletion): Promise<void>;
  /** Posts a message about a job that has ended. */
  deliver(message: WebhookMessage): Promise<DeliveryOutcome>;
  /** Asks for a call of {@link JobScheduler.runDue} at a time, instead of the one asked for before. */
  setAlarm(time: number | undefined): void;
  log(message: string, details: Record<string, unknown>): void;
}

export class JobScheduler implements JobQueue {
  readonly #around: SchedulerServices;
  #isRemoving = false;
  #isClosed = false;

  constructor(around: SchedulerServices) {
    this.#around = around;
    this.runDue();
  }

  /** Starts no more jobs and removals. */
  close(): void {
    this.#isClosed = true;
  }

  /** Does everything that is due. */
  runDue(): void {
    if (this.#isClosed) return;
    const { queue, deliveries, transaction } = this.#around;
    const [started, posted] = transaction(() => {
      queue.expireLeases();
      deliveries.expireLeases();
      const begun = [all(() => queue.dequeue()), all(() => deliveries.dequeue())] as const;
      this.#setAlarm();
      return begun;
    });
    for (const job of started) void this.#run(job);
    for (const delivery of posted) void this.#deliver(delivery);
    void this.#remove();
  }

  async enqueue(job: NewJob): Promise<boolean> {
    return this.#change((queue) => queue.enqueue(job));
  }

  async record(job: NewJob, answer: string): Promise<void> {
    this.#change((queue) => queue.record(job, answer));
  }

  async status(id: string): Promise<JobStatus | undefined> {
    return this.#around.transaction(() => this.#around.queue.status(id));
  }

  async marks(id: string): Promise<JobMarks | undefined> {
    return this.#around.transaction(() => this.#around.queue.marks(id));
  }

  async cancel(id: string): Promise<boolean> {
    return this.#change((queue) => queue.cancel(id));
  }

  async renew(attempt: AttemptId, progress?: Progress): Promise<boolean> {
    return this.#around.transaction(() => this.#around.queue.renew(attempt, progress));
  }

  async reserve(attempt: AttemptId, ids: number): Promise<boolean> {
    return this.#around.transaction(() => this.#around.queue.reserve(attempt, ids));
  }

  async complete(attempt: AttemptId, answer: string): Promise<boolean> {
    return this.#change((queue) => queue.complete(attempt, answer));
  }

  async fail(attempt: AttemptId, error: JobError): Promise<void> {
    this.#change((queue) => queue.fail(attempt, error));
  }

  async postpone(attempt: AttemptId, error: JobError): Promise<void> {
    this.#change((queue) => queue.postpone(attempt, error));
  }

  #change<T>(decide: (queue: Queue) => T): T {
    const { queue, transaction } = this.#around;
    const decided = transaction(() => decide(queue));
    this.runDue();
    return decided;
  }

  async #run(job: LeasedJob): Promise<void> {
    const { run, log } = this.#around;
    try {
      await run(job);
    } catch (error) {
      log("asynchronous job lost", { requestId: hashOfId(job.id), attempt: job.attempt, error: String(error) });
    }
    // Without effect if the runner has told what came of the job.
    this.#change((queue) => queue.markLost(job));
  }

  async #deliver(delivery: DueDelivery): Promise<void> {
    const { queue, deliveries, transaction, deliver, log } = this.#around;
    const { id, attempt } = delivery;
    const requestId = hashOfId(id);
    let end: DeliveryOutcome = "failed";
    try {
      const status = transaction(() => queue.status(id));
      if (status) end = await deliver({ ...delivery, status });
    } catch (error) {
      log("webhook not delivered", { requestId, attempt, error: String(error) });
    }
    try {
      if (!transaction(() => deliveries.recordOutcome(delivery, end))) log("webhook abandoned", { requestId, attempt });
    } catch (error) {
      // The message is posted again when the queue has started again.
      if (!this.#isClosed) throw error;
    }
    this.runDue();
  }

  #setAlarm(): void {
    const { queue, deliveries, setAlarm } = this.#around;
    const times = [queue.nextWakeup(), deliveries.nextWakeup()].filter((time) => time !== undefined);
    setAlarm(times.length > 0 ? Math.min(...times) : undefined);
  }

  async #remove(): Promise<void> {
    if (this.#isRemoving) return;
    this.#isRemoving = true;
    const { queue, transaction, remove, log } = this.#around;
    try {
      for (let due = this.#due(); due && !this.#isClosed; due = this.#due()) {
        const removal = due;
        try {
          await remove(removal);
          transaction(() => queue.deletionDone(removal));
        } catch (error) {
          log("files not removed", { error: String(error) });
          transaction(() => queue.deletionFailed(removal));
        }
      }
    } finally {
      this.#isRemoving = false;
    }
    if (!this.#isClosed) transaction(() => this.#setAlarm());
  }

  #due(): PendingDeletion | undefined {
    return this.#around.transaction(() => this.#around.queue.nextDeletion());
  }
}

/** Takes until there is nothing left to take. */
function all<T>(take: () => T | undefined): readonly T[] {
  const taken: T[] = [];
  for (let one = take(); one; one = take()) taken.push(one);
  return taken;
}
