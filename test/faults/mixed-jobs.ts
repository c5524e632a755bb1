// Runs jobs of all endpoints one after the other, one in ten damaged and one in fifty large. Each response must be
// right, and no resource may grow. `--jobs` 2000, `--clients` 4.

import { FullService } from "./full-service.ts";
import { differences } from "./inventory.ts";
import { Flight } from "./load.ts";
import { Resources } from "./resources.ts";
import type { Sample } from "./sample.ts";
import { damagedSamples, largeSamples, smallSamples } from "./service-samples.ts";
import { Random, seedOf, spread, Tally } from "./statistics.ts";
import { storedObjects } from "./stored-objects.ts";
import type { Run } from "./suite.ts";

const DAMAGED_EVERY = 10;
const LARGE_EVERY = 50;

export const run: Run = async (options) => {
  const jobs = options.count("jobs", 2_000);
  const order = await orderOf(jobs, new Random(seedOf(options.seed, "mixed")));
  const service = await FullService.start();
  try {
    const work = new Work(service, order);
    // Runs each kind of job once, so that nothing starts for the first time during the measurement.
    await work.warmUp([...(await smallSamples()), ...largeSamples()]);
    const before = await service.rest();
    const resources = new Resources(service, () => work.done / jobs);
    await work.carryOut(options.count("clients", 4));
    resources.end();
    const after = await service.rest();
    const complaints = [
      ...work.complaints.entries.map(([what, count]) => `${count} x ${what}`),
      ...resources.growth(),
      ...differences(before, after),
      ...(await work.storedTooMuch()),
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
  const damaged = inTurns(await damagedSamples(), random);
  const large = inTurns(largeSamples(), random);
  return Array.from({ length: jobs }, (_, index) => {
    if (index % DAMAGED_EVERY === DAMAGED_EVERY - 1) return damaged();
    return index % LARGE_EVERY === LARGE_EVERY / 2 ? large() : small();
  });
}

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
  readonly #ids: string[] = [];
  #next = 0;
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

  async carryOut(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#client()));
  }

  /** Deletes all files that responses reported. Returns the remaining stored files; there should be none. */
  async storedTooMuch(): Promise<readonly string[]> {
    const missing = await this.#service.remove(this.#ids);
    const { keys, openUploadCount } = storedObjects(this.#service.storage);
    return [
      ...(missing.length > 0 ? [`${missing.length} files of answers were not stored`] : []),
      ...(keys.length > 0 ? [`${keys.length} objects that no answer told of, for example ${keys[0]}`] : []),
      ...(openUploadCount > 0 ? [`${openUploadCount} uploads that were not finished`] : []),
    ];
  }

  async #client(): Promise<void> {
    while (this.#next < this.#order.length) {
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
