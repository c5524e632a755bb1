// Jobs that keep a service at work, each watched from its start to its judged end.

import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "./figures.ts";
import { type Answer, type Carrier, complaintOf, LIMIT_MS, type Sample } from "./sample.ts";

/** What an answer may be late, and how long one that is later is waited for. */
const LATE_AFTER_MS = 1_000;
const LEFT_AFTER_MS = 5_000;

/** One job. */
export class Flight {
  readonly sample: Sample;
  readonly startedAt = performance.now();
  endedAt = Number.POSITIVE_INFINITY;
  answer: Answer | undefined;
  /** What is wrong with its answer. */
  complaint: string | undefined;
  readonly ended: Promise<void>;

  constructor(carrier: Carrier, sample: Sample) {
    this.sample = sample;
    this.ended = this.#fly(carrier);
  }

  get isRight(): boolean {
    return this.answer !== undefined && this.complaint === undefined;
  }

  get isLate(): boolean {
    return this.endedAt - this.startedAt > LIMIT_MS[this.sample.engine] + LATE_AFTER_MS;
  }

  async #fly(carrier: Carrier): Promise<void> {
    const answer = await carrier.send(this.sample, LIMIT_MS[this.sample.engine] + LEFT_AFTER_MS);
    this.endedAt = performance.now();
    this.complaint = await complaintOf(this.sample, answer);
    // Outputs were looked at; many flights are kept.
    this.answer = { ...answer, outputs: [] };
  }
}

/** So many jobs at a time, until it is told to stop. */
export class Load {
  readonly flights: Flight[] = [];
  #isStopped = false;
  readonly #clients: Promise<void>[];

  constructor(carrier: Carrier, samples: readonly Sample[], clients: number, random: Random) {
    this.#clients = Array.from({ length: clients }, () => this.#client(carrier, samples, random));
  }

  /** Those that have no answer yet. */
  get running(): Flight[] {
    return this.flights.filter(({ answer }) => answer === undefined);
  }

  /** Nothing is begun any more; what runs goes on. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Settles when all have ended that were begun. */
  async over(): Promise<void> {
    await Promise.all(this.#clients);
  }

  async #client(carrier: Carrier, samples: readonly Sample[], random: Random): Promise<void> {
    while (!this.#isStopped) {
      const flight = new Flight(carrier, random.pick(samples));
      this.flights.push(flight);
      await flight.ended;
      // What is refused at once is not asked for without a pause.
      if (!flight.isRight) await sleep(100);
    }
  }
}

export interface Recovery {
  /** Until the first right answer; undefined where none came. */
  readonly ms: number | undefined;
  readonly probes: readonly Flight[];
}

const NEXT_PROBE_MS = 1_000;
const AFTER_REFUSAL_MS = 100;
const MOST_PROBES_AT_ONCE = 4;

/**
 * Asks for a small job again and again until one is answered rightly. One that hangs does not hold up the next.
 * @param since the moment from which time counts
 */
export async function recover(carrier: Carrier, sample: Sample, since: number, giveUpMs: number): Promise<Recovery> {
  const probes: Flight[] = [];
  const until = performance.now() + giveUpMs;
  const right = Promise.withResolvers<Flight>();
  while (performance.now() < until) {
    const flying = probes.filter(({ answer }) => answer === undefined);
    if (flying.length < MOST_PROBES_AT_ONCE) {
      const probe = new Flight(carrier, sample);
      probes.push(probe);
      void probe.ended.then(() => probe.isRight && right.resolve(probe));
      const first = await Promise.race([right.promise, probe.ended.then(() => undefined), sleep(NEXT_PROBE_MS)]);
      if (first) return { ms: first.endedAt - since, probes };
    }
    const first = await Promise.race([right.promise, sleep(AFTER_REFUSAL_MS)]);
    if (first) return { ms: first.endedAt - since, probes };
  }
  return { ms: undefined, probes };
}
