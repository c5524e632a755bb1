// Carries out what the queue decides: starts jobs, removes files, and asks to be called when time has passed.

import type { Attempt, JobError, JobMarks, JobQueue, JobStatus, NewJob, Progress, TakenJob } from "../core/jobs.ts";
import { hashOfId } from "../core/log-line.ts";
import type { DeliveryEnd, Message, TakenDelivery } from "../core/webhooks.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Queue, Removal } from "./queue.ts";

/** The surroundings of a queue. */
export interface Surroundings {
  readonly queue: Queue;
  readonly deliveries: Deliveries;
  /** Lets nothing else happen to what is stored until the decision is made, and stores it as a whole. */
  atOnce<T>(decision: () => T): T;
  /** Carries out a job. Settles when the attempt is over, whatever came of it. */
  run(job: TakenJob): Promise<void>;
  remove(removal: Removal): Promise<void>;
  /** Posts a message about a job that has ended. */
  deliver(message: Message): Promise<DeliveryEnd>;
  /** Asks for a call of {@link Driver.advance} at a time, instead of the one asked for before. */
  setAlarm(time: number | undefined): void;
  log(message: string, details: Record<string, unknown>): void;
}

export class Driver implements JobQueue {
  readonly #around: Surroundings;
  #isRemoving = false;
  #isClosed = false;

  constructor(around: Surroundings) {
    this.#around = around;
    this.advance();
  }

  /** Starts no more jobs and removals. */
  close(): void {
    this.#isClosed = true;
  }

  /** Does everything that is due. */
  advance(): void {
    if (this.#isClosed) return;
    const { queue, deliveries, atOnce } = this.#around;
    const [started, posted] = atOnce(() => {
      queue.passTime();
      deliveries.passTime();
      const begun = [all(() => queue.take()), all(() => deliveries.take())] as const;
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
    return this.#around.atOnce(() => this.#around.queue.status(id));
  }

  async marks(id: string): Promise<JobMarks | undefined> {
    return this.#around.atOnce(() => this.#around.queue.marks(id));
  }

  async cancel(id: string): Promise<boolean> {
    return this.#change((queue) => queue.cancel(id));
  }

  async renew(attempt: Attempt, progress?: Progress): Promise<boolean> {
    return this.#around.atOnce(() => this.#around.queue.renew(attempt, progress));
  }

  async reserve(attempt: Attempt, ids: number): Promise<boolean> {
    return this.#around.atOnce(() => this.#around.queue.reserve(attempt, ids));
  }

  async complete(attempt: Attempt, answer: string): Promise<boolean> {
    return this.#change((queue) => queue.complete(attempt, answer));
  }

  async fail(attempt: Attempt, error: JobError): Promise<void> {
    this.#change((queue) => queue.fail(attempt, error));
  }

  async postpone(attempt: Attempt, error: JobError): Promise<void> {
    this.#change((queue) => queue.postpone(attempt, error));
  }

  #change<T>(decide: (queue: Queue) => T): T {
    const { queue, atOnce } = this.#around;
    const decided = atOnce(() => decide(queue));
    this.advance();
    return decided;
  }

  async #run(job: TakenJob): Promise<void> {
    const { run, log } = this.#around;
    try {
      await run(job);
    } catch (error) {
      log("asynchronous job lost", { requestId: hashOfId(job.id), attempt: job.attempt, error: String(error) });
    }
    // Without effect if the runner has told what came of the job.
    this.#change((queue) => queue.lose(job));
  }

  async #deliver(delivery: TakenDelivery): Promise<void> {
    const { queue, deliveries, atOnce, deliver, log } = this.#around;
    const { id, attempt } = delivery;
    const requestId = hashOfId(id);
    let end: DeliveryEnd = "failed";
    try {
      const status = atOnce(() => queue.status(id));
      if (status) end = await deliver({ ...delivery, status });
    } catch (error) {
      log("webhook not delivered", { requestId, attempt, error: String(error) });
    }
    try {
      if (!atOnce(() => deliveries.settle(delivery, end))) log("webhook given up", { requestId, attempt });
    } catch (error) {
      // The message is posted again when the queue has started again.
      if (!this.#isClosed) throw error;
    }
    this.advance();
  }

  #setAlarm(): void {
    const { queue, deliveries, setAlarm } = this.#around;
    const times = [queue.nextChange(), deliveries.nextChange()].filter((time) => time !== undefined);
    setAlarm(times.length > 0 ? Math.min(...times) : undefined);
  }

  async #remove(): Promise<void> {
    if (this.#isRemoving) return;
    this.#isRemoving = true;
    const { queue, atOnce, remove, log } = this.#around;
    try {
      for (let due = this.#due(); due && !this.#isClosed; due = this.#due()) {
        const removal = due;
        try {
          await remove(removal);
          atOnce(() => queue.removed(removal));
        } catch (error) {
          log("files not removed", { error: String(error) });
          atOnce(() => queue.notRemoved(removal));
        }
      }
    } finally {
      this.#isRemoving = false;
    }
    if (!this.#isClosed) atOnce(() => this.#setAlarm());
  }

  #due(): Removal | undefined {
    return this.#around.atOnce(() => this.#around.queue.nextRemoval());
  }
}

/** Takes until there is nothing left to take. */
function all<T>(take: () => T | undefined): readonly T[] {
  const taken: T[] = [];
  for (let one = take(); one; one = take()) taken.push(one);
  return taken;
}
