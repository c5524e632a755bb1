// Limits how many jobs run at a time and how many wait. A flood of jobs is refused at once rather than queued, and jobs
// of different clients run alternately, so that no client blocks the others. Knows nothing about engines or HTTP.

import { EngineFailure } from "../../src/document/contract/failure.ts";
import { ClientShares, ticketToEvict } from "../../src/runtime/client-shares.ts";
import { PermitQueue } from "../../src/runtime/permit-queue.ts";
import type { PromisedPlace, SlowLane, SlowPermit } from "./slow-lane.ts";

export interface JobPoolLimits {
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
export interface PooledJob extends Disposable {
  /**
   * Waits until this job may run. Jobs run in the order of arrival, but one job of each client runs before the next job
   * of any.
   * @throws EngineFailure `busy` when the wait took too long, or when others need its place in the queue
   * @throws the signal's reason when aborted
   */
  acquire(signal: AbortSignal): Promise<void>;
  /**
   * Admits the next job while `work` runs, and then resumes this job ahead of waiting jobs.
   * @throws the same errors as {@link PooledJob.acquire}
   */
  withoutPermit<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export interface EnterOptions {
  /** Client name: jobs with the same name share turns and places. @default one name for all jobs without one */
  readonly client?: string;
  /** Called when the job moves to the slow lane. */
  readonly slowed?: () => void;
}

/** A job's request to run. */
interface Ticket {
  readonly client: string;
  /** True if the job gave up its place for a while and resumes ahead of waiting jobs. */
  readonly isFirst: boolean;
  /** Place in the slow lane, if the job has one of those quick places that its client gives back within a short time. */
  promised?: PromisedPlace;
}

/** The places for jobs of one operation to run in. */
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

  /** Job counts for the health response. */
  get counts(): { readonly working: number; readonly present: number } {
    return { working: this.#queue.active.length, present: this.#present };
  }

  /** Number of jobs that wait for their first turn. */
  get waiting(): number {
    return this.#queue.queued.filter(({ isFirst }) => !isFirst).length;
  }

  /** Number of further jobs that are accepted. */
  get room(): number {
    const { atOnce, waiting } = this.#limits;
    return Math.max(0, atOnce + waiting - this.#present);
  }

  /** Number of jobs whose first turn has come and that have not ended, in whatever lane. */
  get running(): number {
    return this.#running;
  }

  /** @throws EngineFailure `busy` when the places and the queue are full */
  enter({ client = "", slowed = () => {} }: EnterOptions = {}): PooledJob {
    const { atOnce, waiting } = this.#limits;
    if (this.#present >= atOnce + waiting && !this.#makeRoomFor(client))
      throw new EngineFailure("busy", `${this.#present} jobs are there already`);
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
    const last = ticketToEvict(waiting, newcomer, this.#limits.waiting);
    if (last) this.#queue.reject(last, new EngineFailure("busy", "evicted for another client"));
    return last !== undefined;
  }

  async #begin(stay: RunningJob, ticket: Ticket, signal: AbortSignal): Promise<void> {
    const turn = await this.#queue.acquire(ticket, signal);
    stay.begin(turn, ticket.promised);
  }

  /** Returns a job that was aside first, then a job of the client whose turn it is. */
  #next(waiting: readonly Ticket[], working: readonly Ticket[]): Ticket | undefined {
    const { slow } = this.#limits;
    const able = waiting.filter(({ client }) => this.#hasPart(client, working) || !slow?.lane.isFullFor(client));
    const first = able.find(({ isFirst }) => isFirst);
    const next = this.#shares.next(first ? [first] : able, working);
    if (next && slow && !this.#hasPart(next.client, working)) next.promised = slow.lane.promise(next.client);
    return next;
  }

  /**
   * Reports whether a client has less than half of the places here, but for those with a promise: any of its jobs may
   * be slow, and others must not find all places taken until the slowest of them ends.
   */
  #hasPart(client: string, working: readonly Ticket[]): boolean {
    const held = working.filter((ticket) => ticket.client === client && !ticket.promised).length;
    return held < Math.max(1, Math.floor(this.#limits.atOnce / 2));
  }
}

/** A running job, first in a quick place, then perhaps in the slow lane. */
class RunningJob {
  readonly #limits: JobPoolLimits;
  readonly #client: string;
  readonly #slowed: () => void;
  /** The quick place, while the job has one. */
  #turn: Disposable | undefined;
  #timer: NodeJS.Timeout | undefined;
  #place: SlowPermit | undefined;

  /** @param slowed called when the job moves to the slow lane */
  constructor(limits: JobPoolLimits, client: string, slowed: () => void) {
    this.#limits = limits;
    this.#client = client;
    this.#slowed = slowed;
  }

  /** @param promised a place in the slow lane */
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
