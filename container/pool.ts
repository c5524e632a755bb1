// How many jobs work at a time and how many wait: bounded both, so that a flood is refused at once and not piled up; and in turns, so
// that no client keeps the others waiting. Knows no engine and no HTTP.

import { EngineFailure } from "../src/operations/operation.ts";
import type { SlowLane, SlowPlace } from "./slow-lane.ts";

export interface PlaceLimits {
  /** How many may work at the same time. */
  readonly atOnce: number;
  /** How many more may be there, waiting. */
  readonly waiting: number;
  /** Milliseconds after which one who waits is sent away. */
  readonly maxWaitMs: number;
  /** Who has worked for so long goes on in the lane, as far as it has places. @default nobody does */
  readonly slow?: { readonly lane: SlowLane; readonly afterMs: number };
}

/** One job's membership; disposing of it lets the next one in. */
export interface Entry extends Disposable {
  /**
   * Waits until this job may work: in the order of asking, but one of each client before the next of any.
   * @throws EngineFailure `busy` when that took too long, when others need its place in the queue, or the service ends
   * @throws the signal's reason when aborted
   */
  turn(signal: AbortSignal): Promise<void>;
  /** Lets the next one in while the work goes on, and goes on itself before those that wait. @throws what `turn` throws */
  aside<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export interface Newcomer {
  /** Whoever has the same name shares turns and places. @default one for all who have none */
  readonly client?: string;
  /** Called when the job goes on in the slow lane. */
  readonly slowed?: () => void;
}

interface Waiting {
  readonly client: string;
  readonly isFirst: boolean;
  readonly start: () => void;
  readonly refuse: (error: unknown) => void;
}

/** Of one client, for as long as it has jobs here. */
interface Share {
  present: number;
  working: number;
  /** When one of its jobs was let in last, as a number that grows. */
  lastTurn: number;
}

/** Places to work in. */
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

  /** For the health answer. */
  get counts(): { readonly working: number; readonly present: number } {
    return { working: this.#working, present: this.#present };
  }

  /** @throws EngineFailure `busy` where too many are there already */
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

  /** Lets nobody in any more, and sends away those that wait. */
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

  /** Sends the last one away of the client of whom most wait, where that are more than half and this one has fewer. */
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

  /** A client whose slow jobs have no room in the lane gets a part of the places here: any of its jobs may be one more. */
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

  /** A place is free, or has been given up. */
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

  /** Who was aside comes first, then the client whose last turn is longest ago. */
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
  /** The place among the quick is free. */
  leave(): void;
}

/** A job at work, first among the quick ones, then perhaps among the slow. */
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
