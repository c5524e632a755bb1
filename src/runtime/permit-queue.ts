// Limits concurrency, queue length and queueing time.

import { EngineFailure } from "../document/contract/failure.ts";

export interface PermitQueueLimits<Ticket = unknown> {
  /** Maximum number of active tickets. */
  readonly concurrency: number;
  /** Maximum number of queued tickets. @default no limit */
  readonly maxQueued?: number;
  /** Milliseconds after which a queued ticket is rejected. @default no limit */
  readonly maxWaitMs?: number;
  /**
   * Chooses the next ticket to get a permit. Called while a permit is available.
   * @param queued tickets in order of arrival
   * @returns one of `queued`, or undefined to grant no permit for now. @default the first
   */
  next?(queued: readonly Ticket[], active: readonly Ticket[]): Ticket | undefined;
  /**
   * Chooses the ticket to reject when the queue is full.
   * @param newcomer the last of `queued`. @default the newcomer
   */
  evict?(queued: readonly Ticket[], newcomer: Ticket): Ticket;
}

interface Waiting<Ticket> {
  readonly ticket: Ticket;
  start(): void;
  reject(error: unknown): void;
}

/** A semaphore with a queue. Tickets are distinct objects, each queued at most once. */
export class PermitQueue<Ticket = unknown> {
  readonly #limits: PermitQueueLimits<Ticket>;
  readonly #queued: Waiting<Ticket>[] = [];
  readonly #active: Ticket[] = [];

  constructor(limits: PermitQueueLimits<Ticket>) {
    this.#limits = limits;
  }

  /** Returns the queued tickets in order of arrival. */
  get queued(): readonly Ticket[] {
    return this.#queued.map(({ ticket }) => ticket);
  }

  get active(): readonly Ticket[] {
    return this.#active;
  }

  /**
   * Waits for a permit.
   * @returns the permit; dispose of it to release it
   * @throws EngineFailure `busy` if the queue is full, or the wait takes too long
   * @throws the signal's reason when aborted
   */
  async acquire(ticket: Ticket, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>();
    const { maxQueued = Number.POSITIVE_INFINITY, maxWaitMs } = this.#limits;
    const remove = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      this.#queued.splice(this.#queued.indexOf(waiting), 1);
    };
    const waiting: Waiting<Ticket> = {
      ticket,
      start: () => {
        remove();
        resolve(this.#grant(ticket));
      },
      reject: (error) => {
        remove();
        reject(error);
      },
    };
    const onAbort = () => waiting.reject(signal.reason);
    const onTimeout = () => waiting.reject(new EngineFailure("busy", `no permit within ${maxWaitMs} ms`));
    const timer = maxWaitMs === undefined ? undefined : setTimeout(onTimeout, maxWaitMs);
    signal.addEventListener("abort", onAbort);
    this.#queued.push(waiting);
    this.admit();
    if (this.#queued.length > maxQueued) {
      const rejected = this.#limits.evict?.(this.queued, ticket) ?? ticket;
      this.reject(rejected, new EngineFailure("busy", "queue is full"));
    }
    return promise;
  }

  /** Grants available permits. Call it when the result of `next` might have changed. */
  admit(): void {
    while (this.#queued.length > 0 && this.#active.length < this.#limits.concurrency) {
      const queued = this.queued;
      const ticket = this.#limits.next ? this.#limits.next(queued, this.#active) : queued[0];
      const next = this.#queued.find((one) => one.ticket === ticket);
      if (!next) return;
      next.start();
    }
  }

  /** Rejects a queued ticket. */
  reject(ticket: Ticket, error: unknown): void {
    this.#queued.find((one) => one.ticket === ticket)?.reject(error);
  }

  #grant(ticket: Ticket): Disposable {
    this.#active.push(ticket);
    let isReleased = false;
    return {
      [Symbol.dispose]: () => {
        if (isReleased) return;
        isReleased = true;
        this.#active.splice(this.#active.indexOf(ticket), 1);
        this.admit();
      },
    };
  }
}
