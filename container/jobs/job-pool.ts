// Limits the concurrency of jobs and the length of their queue. When the queue is full, further jobs are rejected
// immediately. The queue alternates between clients, so that no client blocks the others.

import { EngineFailure } from "../../src/document/contract/failure.ts";
import { ClientShares, overHalf, ticketToEvict } from "../../src/runtime/client-shares.ts";
import { PermitQueue } from "../../src/runtime/permit-queue.ts";
import type { PromisedPlace, SlowLane, SlowPermit } from "./slow-lane.ts";

export interface JobPoolLimits {
  /** Maximum number of concurrent jobs. */
  readonly atOnce: number;
  /** Maximum number of queued jobs. */
  readonly waiting: number;
  /** Time in milliseconds after which a queued job is rejected. */
  readonly maxWaitMs: number;
  /**
   * Moves a job that has run for `afterMs` to the slow lane, as soon as the lane has a free permit. @default no job
   * moves
   */
  readonly slow?: { readonly lane: SlowLane; readonly afterMs: number };
}

/** A job in the pool, queued or running. Disposal admits the next job. */
export interface PooledJob extends Disposable {
  /**
   * Waits until this job can run. The queue alternates between clients. Each client's jobs run in order of arrival.
   * @throws EngineFailure `busy` after a timeout, or if a job of another client took this job's position in the queue
   * @throws the signal's reason when aborted
   */
  acquire(signal: AbortSignal): Promise<void>;
  /**
   * Releases the permit while `work` runs. Then resumes this job ahead of queued jobs.
   * @throws the same errors as {@link PooledJob.acquire}
   */
  withoutPermit<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export interface EnterOptions {
  /** Client ID. Jobs with the same ID share permits. @default all jobs without an ID count as one client */
  readonly client?: string;
  /** Called when the job moves to the slow lane. */
  readonly slowed?: () => void;
}

/** A queued request for a permit. */
interface Ticket {
  readonly client: string;
  /** True if the job ran before and resumes after `withoutPermit`, ahead of queued jobs. */
  readonly isFirst: boolean;
  /** Reserved permit of the slow lane. It guarantees that the job soon releases its quick permit. */
  promised?: PromisedPlace;
}

/** The permits for the jobs of one operation. */
export class JobPool {
  readonly #limits: JobPoolLimits;
  readonly #shares = new ClientShares();
  readonly #queue: PermitQueue<Ticket>;
  #present = 0;
  #running = 0;

  constructor(limits: JobPoolLimits) {
    this.#limits = limits;
    const { atOnce: concurrency, maxWaitMs } = limits;
    this.#queue = new PermitQueue({ concurrency, maxWaitMs, next: (waiting, working) => this.#next(waiting, working) });
    limits.slow?.lane.onRoom(() => this.#queue.admit());
  }

  /** Numbers of jobs, for the health response. */
  get counts(): { readonly working: number; readonly present: number } {
    return { working: this.#queue.active.length, present: this.#present };
  }

  /** Number of queued jobs that have not yet run. */
  get waiting(): number {
    return this.#queue.queued.filter(({ isFirst }) => !isFirst).length;
  }

  /** Number of further jobs that the pool accepts. */
  get room(): number {
    const { atOnce, waiting } = this.#limits;
    return Math.max(0, atOnce + waiting - this.#present);
  }

  /** Number of running jobs, quick and slow. */
  get running(): number {
    return this.#running;
  }

  /** @throws EngineFailure `busy` if all permits are in use and the queue is full */
  enter({ client = "", slowed = () => {} }: EnterOptions = {}): PooledJob {
    const { atOnce, waiting } = this.#limits;
    if (this.#present >= atOnce + waiting && !this.#makeRoomFor(client))
      throw new EngineFailure("busy", `${this.#present} jobs are already present`);
    this.#present++;
    const share = this.#shares.join(client);
    const stay = new RunningJob(this.#limits, client, slowed);
    let isGone = false;
    let hasRun = false;
    return {
      acquire: async (signal) => {
        await this.#begin(stay, { client, isFirst: false }, signal);
        hasRun = true;
        this.#running++;
      },
      withoutPermit: async (work, signal) => {
        stay.end();
        try {
          return await work();
        } finally {
          await this.#begin(stay, { client, isFirst: true }, signal);
        }
      },
      [Symbol.dispose]: () => {
        if (isGone) return;
        isGone = true;
        stay.end();
        this.#present--;
        if (hasRun) this.#running--;
        share[Symbol.dispose]();
      },
    };
  }

  #makeRoomFor(client: string): boolean {
    const waiting = this.#queue.queued.filter(({ isFirst }) => !isFirst);
    const newcomer = { client, present: this.#shares.presentOf(client) };
    const last = ticketToEvict(waiting, overHalf(newcomer, this.#limits.waiting));
    if (last) this.#queue.reject(last, new EngineFailure("busy", "evicted for another client"));
    return last !== undefined;
  }

  async #begin(stay: RunningJob, ticket: Ticket, signal: AbortSignal): Promise<void> {
    const turn = await this.#queue.acquire(ticket, signal);
    stay.begin(turn, ticket.promised);
  }

  /** Returns a resuming job if there is one, otherwise the first job of the next client. */
  #next(waiting: readonly Ticket[], working: readonly Ticket[]): Ticket | undefined {
    const { slow } = this.#limits;
    const able = waiting.filter(({ client }) => this.#hasPart(client, working) || !slow?.lane.isFullFor(client));
    const first = able.find(({ isFirst }) => isFirst);
    const next = this.#shares.next(first ? [first] : able, working);
    if (next && slow && !this.#hasPart(next.client, working)) next.promised = slow.lane.promise(next.client);
    return next;
  }

  /**
   * Reports whether a client has less than half of the permits. Jobs with a reservation in the slow lane do not count.
   * Limits a client because any of its jobs can be slow: they must not block all permits until they end.
   */
  #hasPart(client: string, working: readonly Ticket[]): boolean {
    const held = working.filter((ticket) => ticket.client === client && !ticket.promised).length;
    return held < Math.max(1, Math.floor(this.#limits.atOnce / 2));
  }
}

/** A running job. It starts with a quick permit, and can move to the slow lane. */
class RunningJob {
  readonly #limits: JobPoolLimits;
  readonly #client: string;
  readonly #slowed: () => void;
  /** The quick permit, while the job has one. */
  #turn: Disposable | undefined;
  #timer: NodeJS.Timeout | undefined;
  #place: SlowPermit | undefined;

  /** @param slowed called when the job moves to the slow lane */
  constructor(limits: JobPoolLimits, client: string, slowed: () => void) {
    this.#limits = limits;
    this.#client = client;
    this.#slowed = slowed;
  }

  /** @param promised reserved permit of the slow lane */
  begin(turn: Disposable, promised: PromisedPlace | undefined): void {
    this.#turn = turn;
    this.#place = promised;
    const { slow } = this.#limits;
    if (!slow) return;
    const enter = () => {
      this.#slowed();
      this.#leaveTurn();
    };
    this.#timer = setTimeout(() => {
      promised?.enter();
      if (promised) enter();
      else this.#place = slow.lane.ask(this.#client, enter);
    }, slow.afterMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#place?.[Symbol.dispose]();
    this.#place = undefined;
    this.#leaveTurn();
  }

  #leaveTurn(): void {
    this.#turn?.[Symbol.dispose]();
    this.#turn = undefined;
  }
}
