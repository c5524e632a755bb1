// Limits how many jobs run at a time and how many wait. A flood of jobs is refused at once rather than queued, and
// clients take turns, so that none keeps the others waiting. Knows no engine and no HTTP.

import { EngineFailure } from "../../src/core/failure.ts";
import type { SlowLane, SlowPlace } from "./slow-lane.ts";

export interface PlaceLimits {
  /** Maximum number of jobs that run at the same time. */
  readonly atOnce: number;
  /** Maximum number of further jobs, which wait. */
  readonly waiting: number;
  /** Milliseconds after which a waiting job is refused. */
  readonly maxWaitMs: number;
  /** Moves a job that has run for `afterMs` to the slow lane, as long as the lane has places. @default no job moves */
  readonly slow?: { readonly lane: SlowLane; readonly afterMs: number };
}

/** One job's membership. Disposing of it admits the next job. */
export interface Entry extends Disposable {
  /**
   * Waits until this job may run. Jobs run in the order of asking, but one job of each client runs before the next job
   * of any.
   * @throws EngineFailure `busy` when the wait took too long, when others need its place in the queue, or when the
   *   service ends
   * @throws the signal's reason when aborted
   */
  turn(signal: AbortSignal): Promise<void>;
  /**
   * Admits the next job while `work` runs, then resumes this job before those that wait.
   * @throws the same errors as {@link Entry.turn}
   */
  aside<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export interface Newcomer {
  /** Client name: jobs with the same name share turns and places. @default one name for all jobs without one */
  readonly client?: string;
  /** Called when the job moves to the slow lane. */
  readonly slowed?: () => void;
}

interface Waiting {
  readonly client: string;
  readonly isFirst: boolean;
  readonly start: () => void;
  readonly refuse: (error: unknown) => void;
}

/** One client's share, kept for as long as the client has jobs here. */
interface Share {
  present: number;
  working: number;
  /** Number of the turn in which one of its jobs was last admitted. Later turns have higher numbers. */
  lastTurn: number;
}

/** Places for jobs to run in. */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #shares = new Map<string, Share>();
  #present = 0;
  #working = 0;
  #turns = 0;
  #closed = false;
  readonly #queue: Waiting[] = [];

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
    limits.slow?.lane.onRoom(() => this.#letIn());
  }

  /** Job counts for the health response. */
  get counts(): { readonly working: number; readonly present: number } {
    return { working: this.#working, present: this.#present };
  }

  /** @throws EngineFailure `busy` when the places and the queue are full */
  enter({ client = "", slowed = () => {} }: Newcomer = {}): Entry {
    const { atOnce, waiting } = this.#limits;
    if (this.#closed) throw new EngineFailure("busy", "the service ends");
    if (this.#present >= atOnce + waiting && !this.#makeRoomFor(client))
      throw new EngineFailure("busy", `${this.#present} jobs are there already`);
    this.#present++;
    this.#shareOf(client).present++;
    const stay = new Stay(this.#limits, client, {
      slowed,
      leave: () => this.#leave(client),
    });
    let isGone = false;
    return {
      turn: async (signal) => {
        await this.#turn(client, signal, false);
        stay.begin();
      },
      aside: async (work, signal) => {
        stay.end();
        try {
          return await work();
        } finally {
          await this.#turn(client, signal, true);
          stay.begin();
        }
      },
      [Symbol.dispose]: () => {
        if (isGone) return;
        isGone = true;
        stay.end();
        this.#present--;
        const share = this.#shareOf(client);
        if (--share.present === 0) this.#shares.delete(client);
      },
    };
  }

  /** Admits no more jobs and refuses those that wait. */
  close(): void {
    this.#closed = true;
    for (const { refuse } of this.#queue.splice(0)) refuse(new EngineFailure("busy", "the service ends"));
  }

  #shareOf(client: string): Share {
    const known = this.#shares.get(client);
    if (known) return known;
    const share: Share = { present: 0, working: 0, lastTurn: 0 };
    this.#shares.set(client, share);
    return share;
  }

  /**
   * Refuses the last waiting job of the client with the most, if they are more than half the queue and this client has
   * fewer.
   */
  #makeRoomFor(client: string): boolean {
    const counts = new Map<string, number>();
    for (const waiting of this.#queue) counts.set(waiting.client, (counts.get(waiting.client) ?? 0) + 1);
    const [most, count] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one), ["", 0]);
    const half = Math.max(1, Math.floor(this.#limits.waiting / 2));
    if (most === client || count <= half || this.#shareOf(client).present >= half) return false;
    const last = this.#queue.findLast((waiting) => waiting.client === most && !waiting.isFirst);
    last?.refuse(new EngineFailure("busy", "others wait too"));
    return last !== undefined;
  }

  /**
   * Reports whether a job of this client may run. A client whose slow jobs find no room in the lane may use only half
   * of the places here, since any of its jobs may be another slow one.
   */
  #mayWork(client: string): boolean {
    const { atOnce, slow } = this.#limits;
    if (this.#working >= atOnce) return false;
    if (!slow?.lane.isFullFor(client)) return true;
    return this.#shareOf(client).working < Math.max(1, Math.floor(atOnce / 2));
  }

  #turn(client: string, signal: AbortSignal, isFirst: boolean): Promise<void> {
    signal.throwIfAborted();
    if (this.#closed) throw new EngineFailure("busy", "the service ends");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const gone = () => waiting.refuse(signal.reason);
    const { maxWaitMs } = this.#limits;
    const tooLate = () => waiting.refuse(new EngineFailure("busy", `waited for ${maxWaitMs} ms`));
    const timer = setTimeout(tooLate, maxWaitMs);
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", gone);
      const index = this.#queue.indexOf(waiting);
      if (index >= 0) this.#queue.splice(index, 1);
    };
    const waiting: Waiting = {
      client,
      isFirst,
      start: () => {
        settle();
        resolve();
      },
      refuse: (error) => {
        settle();
        reject(error);
      },
    };
    signal.addEventListener("abort", gone, { once: true });
    this.#queue.push(waiting);
    this.#letIn();
    return promise;
  }

  /** Frees a place that a job has left or given up. */
  #leave(client: string): void {
    this.#working--;
    this.#shareOf(client).working--;
    this.#letIn();
  }

  #letIn(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const share = this.#shareOf(next.client);
      share.working++;
      share.lastTurn = ++this.#turns;
      this.#working++;
      next.start();
    }
  }

  /** Returns a job that was aside first, then a job of the client whose last turn is longest ago. */
  #next(): Waiting | undefined {
    let best: Waiting | undefined;
    for (const waiting of this.#queue) {
      if (!this.#mayWork(waiting.client)) continue;
      if (waiting.isFirst) return waiting;
      if (!best || this.#shareOf(waiting.client).lastTurn < this.#shareOf(best.client).lastTurn) best = waiting;
    }
    return best;
  }
}

interface StayEvents {
  slowed(): void;
  /** Called when the job's quick place is free. */
  leave(): void;
}

/** A job at work, first in a quick place, then perhaps in the slow lane. */
class Stay {
  readonly #limits: PlaceLimits;
  readonly #client: string;
  readonly #events: StayEvents;
  #state: "away" | "quick" | "slow" = "away";
  #timer: NodeJS.Timeout | undefined;
  #place: SlowPlace | undefined;

  constructor(limits: PlaceLimits, client: string, events: StayEvents) {
    this.#limits = limits;
    this.#client = client;
    this.#events = events;
  }

  begin(): void {
    this.#state = "quick";
    const { slow } = this.#limits;
    if (!slow) return;
    this.#timer = setTimeout(() => {
      this.#place = slow.lane.ask(this.#client, () => {
        this.#state = "slow";
        this.#events.slowed();
        this.#events.leave();
      });
    }, slow.afterMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#place?.[Symbol.dispose]();
    this.#place = undefined;
    const wasQuick = this.#state === "quick";
    this.#state = "away";
    if (wasQuick) this.#events.leave();
  }
}
