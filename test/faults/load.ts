// Jobs that keep a service busy. Each job is observed from its start until its result has been judged.

import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, type Carrier, complaintOf, LIMIT_MS, type Sample } from "./sample.ts";
import type { Random } from "./statistics.ts";

/** Time after its limit at which a response is late, and at which the job is abandoned. */
const LATE_AFTER_MS = 1_000;
const LEFT_AFTER_MS = 5_000;

/** One job in flight. */
export class Flight {
  readonly sample: Sample;
  readonly startedAt = performance.now();
  endedAt = Number.POSITIVE_INFINITY;
  answer: Answer | undefined;
  /** The defect of its response, if any. */
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
    // Drops the outputs after their check, because many flights are kept.
    this.answer = { ...answer, outputs: [] };
  }
}

/** Keeps a fixed number of jobs running until it is stopped. */
export class Load {
  readonly flights: Flight[] = [];
  #isStopped = false;
  readonly #clients: Promise<void>[];

  constructor(carrier: Carrier, samples: readonly Sample[], clients: number, random: Random) {
    this.#clients = Array.from({ length: clients }, () => this.#client(carrier, samples, random));
  }

  /** Jobs without a response so far. */
  get running(): Flight[] {
    return this.flights.filter(({ answer }) => answer === undefined);
  }

  /** Starts no more jobs; running jobs continue. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Settles when every started job has ended. */
  async over(): Promise<void> {
    await Promise.all(this.#clients);
  }

  async #client(carrier: Carrier, samples: readonly Sample[], random: Random): Promise<void> {
    while (!this.#isStopped) {
      const flight = new Flight(carrier, random.pick(samples));
      this.flights.push(flight);
      await flight.ended;
      // Pauses after a failure, so that immediate rejections do not cause a tight loop.
      if (!flight.isRight) await sleep(100);
    }
  }
}

export interface Recovery {
  /** Time until the first correct response; undefined if there was none. */
  readonly ms: number | undefined;
  readonly probes: readonly Flight[];
}

const NEXT_PROBE_MS = 1_000;
const AFTER_REFUSAL_MS = 100;
const MAX_PROBES_AT_ONCE = 4;

/**
 * Sends a small job repeatedly until one has a correct response. A hung job does not delay the next one.
 * @param since the moment from which the time is measured
 */
export async function recover(carrier: Carrier, sample: Sample, since: number, giveUpMs: number): Promise<Recovery> {
  const probes: Flight[] = [];
  const until = performance.now() + giveUpMs;
  const right = Promise.withResolvers<Flight>();
  while (performance.now() < until) {
    const flying = probes.filter(({ answer }) => answer === undefined);
    if (flying.length < MAX_PROBES_AT_ONCE) {
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
