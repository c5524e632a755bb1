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
   * @param waiting queued tickets in order of arrival
   * @returns one of `waiting`, or undefined to grant no permit for now. @default the first
   */
  next?(waiting: readonly Ticket[], working: readonly Ticket[]): Ticket | undefined;
  /**
   * Chooses the ticket to reject when the queue is full.
   * @param newcomer the last of `waiting`. @default the newcomer
   */
  crowded?(waiting: readonly Ticket[], newcomer: Ticket): Ticket;
}

interface Waiting<Ticket> {
  readonly ticket: Ticket;
  start(): void;
  reject(error: unknown): void;
}

/** A semaphore with a queue. Tickets are distinct objects, each queued at most once. */
export class PermitQueue<Ticket = unknown> {
  readonly #limits: PermitQueueLimits<Ticket>;
  readonly #waiting: Waiting<Ticket>[] = [];
  readonly #working: Ticket[] = [];

  constructor(limits: PermitQueueLimits<Ticket>) {
    this.#limits = limits;
  }

  /** Returns the queued tickets in order of arrival. */
  get waiting(): readonly Ticket[] {
    return this.#waiting.map(({ ticket }) => ticket);
  }

  get active(): readonly Ticket[] {
    return this.#working;
  }

  /**
   * Waits for a permit.
   * @returns the permit; dispose it to release it
   * @throws EngineFailure `busy` if the queue is full, or the wait takes too long
   * @throws the signal's reason when aborted
   */
  async acquire(ticket: Ticket, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>();
    const { maxQueued: mostWaiting = Number.POSITIVE_INFINITY, maxWaitMs } = this.#limits;
    const leave = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", gone);
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    };
    const waiting: Waiting<Ticket> = {
      ticket,
      start: () => {
        leave();
        resolve(this.#begin(ticket));
      },
      reject: (error) => {
        leave();
        reject(error);
      },
    };
    const gone = () => waiting.reject(signal.reason);
    const late = () => waiting.reject(new EngineFailure("busy", `no turn within ${maxWaitMs} ms`));
    const timer = maxWaitMs === undefined ? undefined : setTimeout(late, maxWaitMs);
    signal.addEventListener("abort", gone);
    this.#waiting.push(waiting);
    this.admit();
    if (this.#waiting.length > mostWaiting) {
      const refused = this.#limits.crowded?.(this.waiting, ticket) ?? ticket;
      this.refuse(refused, new EngineFailure("busy", "too many wait for a turn"));
    }
    return promise;
  }

  /** Grants available permits. Call it when the result of `next` might have changed. */
  admit(): void {
    while (this.#waiting.length > 0 && this.#working.length < this.#limits.concurrency) {
      const waiting = this.waiting;
      const ticket = this.#limits.next ? this.#limits.next(waiting, this.#working) : waiting[0];
      const next = this.#waiting.find((one) => one.ticket === ticket);
      if (!next) return;
      next.start();
    }
  }

  /** Rejects a queued ticket. */
  refuse(ticket: Ticket, error: unknown): void {
    this.#waiting.find((one) => one.ticket === ticket)?.reject(error);
  }

  #begin(ticket: Ticket): Disposable {
    this.#working.push(ticket);
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#working.splice(this.#working.indexOf(ticket), 1);
        this.admit();
      },
    };
  }
}
