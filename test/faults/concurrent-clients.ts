// Many concurrent clients with small jobs for all endpoints: each response must be right, or 503 with Retry-After.
// `--crowd` 50 clients, `--seconds` 300.

import { setTimeout as sleep } from "node:timers/promises";
import { FullService } from "./full-service.ts";
import { Flight } from "./load.ts";
import { isBusy, type Sample } from "./sample.ts";
import { smallSamples } from "./service-samples.ts";
import { Random, seedOf, spread, Tally } from "./statistics.ts";
import type { Run } from "./suite.ts";

/** Shorter than the Retry-After that clients receive, to test impatient clients. */
const AFTER_REFUSAL_MS = 500;

export const run: Run = async (options) => {
  const samples = await smallSamples();
  const durationMs = options.count("seconds", 300) * 1_000;
  const clients = options.count("crowd", 50);
  const service = await FullService.start();
  try {
    const crowd = new Crowd(service, samples);
    const random = new Random(seedOf(options.seed, "crowd"));
    const until = performance.now() + durationMs;
    await Promise.all(Array.from({ length: clients }, () => crowd.client(until, random)));
    const never = samples.filter(({ name }) => crowd.right.of(name) === 0).map(({ name }) => name);
    const complaints = [
      ...crowd.complaints.entries.map(([what, count]) => `${count} x ${what}`),
      ...(never.length > 0 ? [`never answered but with 503: ${never.join(", ")}`] : []),
    ];
    const figures = [
      `${clients} clients, ${durationMs / 1_000} s: ${crowd.right.total} right, ${crowd.busy} busy`,
      `all answers ${crowd.statuses.text(10)}`,
      `right ones after ${spread(crowd.timesMs)}`,
      ...(complaints.length > 0 ? [`not as required: ${complaints.slice(0, 12).join("; ")}`] : []),
    ];
    return { ok: complaints.length === 0, line: figures.join("; ") };
  } finally {
    await service.stop();
  }
};

class Crowd {
  readonly #service: FullService;
  readonly #samples: readonly Sample[];
  busy = 0;
  readonly right = new Tally();
  readonly statuses = new Tally();
  readonly complaints = new Tally();
  /** Durations of correct responses. */
  readonly timesMs: number[] = [];

  constructor(service: FullService, samples: readonly Sample[]) {
    this.#service = service;
    this.#samples = samples;
  }

  async client(until: number, random: Random): Promise<void> {
    while (performance.now() < until) {
      const flight = new Flight(this.#service.carrier, random.pick(this.#samples));
      await flight.ended;
      const { answer, sample } = flight;
      this.statuses.add(String(answer!.status));
      if (flight.isLate) this.complaints.add(`${sample.name} later than its limit`);
      if (flight.isRight) {
        this.right.add(sample.name);
        this.timesMs.push(flight.endedAt - flight.startedAt);
      } else if (isBusy(answer!)) {
        this.busy++;
        await sleep(AFTER_REFUSAL_MS);
      } else this.complaints.add(`${sample.name}: ${flight.complaint}`);
    }
  }
}
