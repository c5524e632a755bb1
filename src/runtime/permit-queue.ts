// Limits how many tickets work at the same time, how many wait, and for how long. Knows nothing about the work.

import { EngineFailure } from "../document/contract/failure.ts";

export interface PermitQueueLimits<Ticket = unknown> {
  /** Maximum number of tickets that work at the same time. */
  readonly concurrency: number;
  /** Maximum number of tickets that wait. @default no limit */
  readonly maxQueued?: number;
  /** Milliseconds after which a waiting ticket is refused. @default no limit */
  readonly maxWaitMs?: number;
  /**
   * Chooses the ticket that works next. Called while there is room.
   * @param waiting in the order of arrival
   * @returns one of `waiting`, or undefined to admit none for now. @default the first
   */
  next?(waiting: readonly Ticket[], working: readonly Ticket[]): Ticket | undefined;
  /**
   * Chooses the ticket that is refused because too many wait.
   * @param newcomer the last of `waiting`. @default the newcomer
   */
  crowded?(waiting: readonly Ticket[], newcomer: Ticket): Ticket;
}

interface Waiting<Ticket> {
  readonly ticket: Ticket;
  start(): void;
  reject(error: unknown): void;
}

/** A queue of tickets. Tickets are objects that `next` can distinguish, and each is in the queue only once. */
export class PermitQueue<Ticket = unknown> {
  readonly #limits: PermitQueueLimits<Ticket>;
  readonly #waiting: Waiting<Ticket>[] = [];
  readonly #working: Ticket[] = [];

  constructor(limits: PermitQueueLimits<Ticket>) {
    this.#limits = limits;
  }

  /** Returns the waiting tickets in the order of arrival. */
  get waiting(): readonly Ticket[] {
    return this.#waiting.map(({ ticket }) => ticket);
  }

  get active(): readonly Ticket[] {
    return this.#working;
  }

  /**
   * Waits for a turn.
   * @returns the turn; disposing of it admits the next ticket
   * @throws EngineFailure `busy` if too many tickets wait already, or the wait takes too long
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

  /** Admits waiting tickets while there is room. Must be called when the choice of `next` may have changed. */
  admit(): void {
    while (this.#waiting.length > 0 && this.#working.length < this.#limits.concurrency) {
      const waiting = this.waiting;
      const ticket = this.#limits.next ? this.#limits.next(waiting, this.#working) : waiting[0];
      const next = this.#waiting.find((one) => one.ticket === ticket);
      if (!next) return;
      next.start();
    }
  }

  /** Refuses a waiting ticket. */
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
