// Runs jobs of all engines, one in three with a file of the corpus, one in ten damaged and one in fifty large. Each
// response must be right, and no resource may grow: neither between the second and the last quarter, nor at rest after
// a tenth of the jobs and at the end. `--jobs` 2000, `--clients` 4. PAGEWRIGHT_TARGET=host selects the host.

import { setTimeout as sleep } from "node:timers/promises";
import { FullService } from "./full-service.ts";
import { differences } from "./inventory.ts";
import { Flight } from "./load.ts";
import { Resources } from "./resources.ts";
import type { Sample } from "./sample.ts";
import { damagedSamples, largeSamples, realSamples, smallSamples } from "./service-samples.ts";
import { Random, seedOf, spread, Tally } from "./statistics.ts";
import type { Run } from "./suite.ts";

const REAL_EVERY = 3;
const DAMAGED_EVERY = 10;
const LARGE_EVERY = 50;
/** Number of times at which the service rests, evenly spread. */
const RESTS = 10;
/** Time in which an idle service returns its memory (decision 87). */
const RETURNED_MS = 25_000;
const MOST_GROWTH = 1.1;
const MIB = 2 ** 20;

export const run: Run = async (options) => {
  const jobs = options.count("jobs", 2_000);
  const order = await orderOf(jobs, new Random(seedOf(options.seed, "mixed")));
  const service = await FullService.start();
  try {
    const work = new Work(service, order);
    // Runs each kind of job once, so that nothing starts for the first time during the measurement.
    await work.warmUp([...(await smallSamples()), ...realSamples(), ...largeSamples()]);
    const before = await service.rest();
    const resources = new Resources(service, () => work.done / jobs);
    for (let rest = 1; rest <= RESTS; rest++) {
      await work.carryOut(options.count("clients", 4), Math.round((jobs * rest) / RESTS));
      await work.rest();
    }
    resources.end();
    const after = await service.rest();
    const complaints = [
      ...work.complaints.entries.map(([what, count]) => `${count} x ${what}`),
      ...resources.growth(),
      ...differences(before, after),
      ...(await work.storedTooMuch()),
      ...work.growthAtRest(),
    ];
    const figures = `${work.done} jobs (${work.statuses.text(10)}); ${spread(work.timesMs)}; ${resources.text}`;
    const wrong = complaints.length === 0 ? "" : `; not as required: ${complaints.slice(0, 12).join("; ")}`;
    return { ok: complaints.length === 0, line: figures + wrong };
  } finally {
    await service.stop();
  }
};

/** Returns a random order that uses every job of each list before any job repeats. */
async function orderOf(jobs: number, random: Random): Promise<readonly Sample[]> {
  const small = inTurns(await smallSamples(), random);
  const real = inTurns([...realSamples()], random);
  const damaged = inTurns(await damagedSamples(), random);
  const large = inTurns(largeSamples(), random);
  return Array.from({ length: jobs }, (_, index) => {
    if (index % DAMAGED_EVERY === DAMAGED_EVERY - 1) return damaged();
    if (index % LARGE_EVERY === LARGE_EVERY / 2) return large();
    return (index % REAL_EVERY === 0 ? real() : undefined) ?? small();
  });
}

/** Returns a function that returns undefined only if there are no values. */
function inTurns<T>(values: readonly T[], random: Random): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = [...values];
    return left.splice(random.below(left.length), 1)[0]!;
  };
}

class Work {
  readonly #service: FullService;
  readonly #order: readonly Sample[];
  #ids: string[] = [];
  #missing = 0;
  #next = 0;
  /** Memory at each rest, in bytes. */
  readonly #atRest: number[] = [];
  done = 0;
  readonly timesMs: number[] = [];
  readonly statuses = new Tally();
  readonly complaints = new Tally();

  constructor(service: FullService, order: readonly Sample[]) {
    this.#service = service;
    this.#order = order;
  }

  /** @throws Error if a response is wrong */
  async warmUp(samples: readonly Sample[]): Promise<void> {
    for (const sample of samples) {
      const flight = await this.#fly(sample);
      if (!flight.isRight) throw new Error(`Before the run: ${sample.name}: ${flight.complaint}`);
    }
  }

  /** @param until number of jobs, from the first */
  async carryOut(clients: number, until: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#client(until)));
  }

  /** Deletes all files that responses reported, waits until the service is idle, and measures its memory. */
  async rest(): Promise<void> {
    this.#missing += (await this.#service.remove(this.#ids)).length;
    this.#ids = [];
    await this.#service.rest();
    await sleep(RETURNED_MS);
    const { bytes, openFiles } = await this.#service.memory();
    const total = [...bytes.values()].reduce((sum, each) => sum + each, 0);
    this.#atRest.push(total);
    const kinds = [...bytes].map(([kind, each]) => `${kind} ${(each / MIB).toFixed(0)}`).join(", ");
    const processes = this.#service.processes().length;
    console.log(
      `  ${this.done} jobs: ${(total / MIB).toFixed(0)} MiB at rest (${kinds}), ${processes} processes, ` +
        `${openFiles} open files, ${await this.#service.jobFolderCount()} folders of jobs`,
    );
  }

  growthAtRest(): readonly string[] {
    const [first, last] = [this.#atRest[0]!, this.#atRest.at(-1)!];
    return last > first * MOST_GROWTH ? [`memory at rest grew to ${(last / first).toFixed(2)} of the first`] : [];
  }

  /** Returns the files that are stored after the deletion of all; there should be none. */
  async storedTooMuch(): Promise<readonly string[]> {
    const counts = [
      [this.#missing, "files of answers that were not stored"] as const,
      ...(await this.#service.stored()),
    ];
    return counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  }

  async #client(until: number): Promise<void> {
    while (this.#next < until) {
      const flight = await this.#fly(this.#order[this.#next++]!);
      this.done++;
      this.timesMs.push(flight.endedAt - flight.startedAt);
      this.statuses.add(String(flight.answer!.status));
      if (flight.isLate) this.complaints.add(`${flight.sample.name} later than its limit`);
      if (!flight.isRight) this.complaints.add(`${flight.sample.name}: ${flight.complaint}`);
    }
  }

  async #fly(sample: Sample): Promise<Flight> {
    const flight = new Flight(this.#service.carrier, sample);
    await flight.ended;
    this.#ids.push(...flight.answer!.ids);
    return flight;
  }
}
