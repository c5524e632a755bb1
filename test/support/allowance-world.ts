// Simulates a client whose requests run in five regions: clocks differ, calls are slow, lost or late, objects restart,
// and one region is cut off for a while. Time is virtual. An independent count shows whether a limit was exceeded.

import { LIMITS } from "../../src/document/contract/limits.ts";
import { type Allowance, Allowances, type Report } from "../../src/service/keys/allowances.ts";
import { ClientCounts, type SerializedCounts } from "../../src/service/keys/client-counts.ts";
import { RegionCounts } from "../../src/service/keys/region-counts.ts";
import type { LimitName, LimitRequest, Limits } from "../../src/service/ports/limiter.ts";
import { dayOf } from "../../src/service/ports/usage.ts";
import { randomOf } from "./random.ts";

const MB = 2 ** 20;
const HOUR_MS = 3_600_000;

export interface Scenario {
  readonly seed: number;
  readonly start: string;
  readonly requests: number;
  readonly durationMs: number;
  readonly limits: Required<Limits>;
  /** Interval between requests. @default random: half of the requests arrive in ten bursts */
  readonly everyMs?: number;
  /** Probability that a call takes up to 6 s in each direction. @default 0.01 */
  readonly slow?: number;
  /** Time for which one region is cut off, from the middle. @default 0 */
  readonly cutMs?: number;
  /** Probability that a call is lost, and that its response is lost. @default 0 */
  readonly lost?: number;
  /** Probability that a request restarts the object of its region. @default 0 */
  readonly restarts?: number;
  /** Maximum sizes in bytes, and maximum duration of a job. */
  readonly bodyBytes: number;
  readonly outputBytes: number;
  readonly storedBytes: number;
  readonly jobMs: number;
}

export interface Outcome {
  readonly accepted: number;
  readonly rejected: number;
  /** Accepted requests of one object without regions. */
  readonly ideal: number;
  /** Requests that waited for the center, and those that failed because it was unreachable. */
  readonly waited: number;
  readonly failed: number;
  /** What was left of each limit when least was left, in requests, jobs or bytes. Negative if a limit was exceeded. */
  readonly least: Amounts;
  /** What is left at the end, according to the center, and according to the independent count. */
  readonly left: Amounts;
  readonly truly: Amounts;
}

type Amounts = Record<LimitName, number>;

/** Round trips to the center in weur, in milliseconds. */
const ROUND_TRIPS_MS: Readonly<Record<string, number>> = { enam: 85, wnam: 140, apac: 160, oc: 280 };
const CUT_REGION = "oc";

/** The counts of a region, or of the center. */
type Counts = Pick<ClientCounts | RegionCounts, "renew" | "leave" | "removed"> & {
  ask: RegionCounts["ask"] | ClientCounts["ask"];
  store: RegionCounts["store"] | ClientCounts["store"];
};

export async function simulate(scenario: Scenario): Promise<Outcome> {
  const { limits, durationMs, jobMs, everyMs, slow = 0.01, cutMs = 0, lost = 0, restarts = 0 } = scenario;
  const random = randomOf(scenario.seed);
  const scheduler = new Scheduler(Date.parse(scenario.start));
  const now = () => scheduler.time;
  const start = now();
  const isCut = (name: string) =>
    name === CUT_REGION && now() >= start + durationMs / 2 && now() < start + durationMs / 2 + cutMs;
  const allowances = new Allowances([], now);
  const center = new ClientCounts(undefined, { now, others: () => allowances.counted });

  function open(name: string, skewMs: number, kept?: SerializedCounts) {
    const life = { isOver: false };
    // A slow call can arrive after a later one.
    const delay = () => (random() < slow ? 6000 * random() : ROUND_TRIPS_MS[name]! * (0.4 + 0.2 * random()));
    const isLost = () => isCut(name) || life.isOver || random() < lost;
    const call = (report: Report) =>
      new Promise<Allowance>((resolve, reject) => {
        const sent = structuredClone(report);
        scheduler.after(() => reject(new Error("no response")), LIMITS.allowanceCallMs);
        if (isLost()) return;
        scheduler.after(() => {
          if (isCut(name)) return;
          const answer = structuredClone(allowances.grant(name, sent, center));
          if (!isLost()) scheduler.after(() => life.isOver || isCut(name) || resolve(answer), delay());
        }, delay());
      });
    const later = (work: () => void, ms: number) => scheduler.after(() => life.isOver || work(), ms);
    return { life, counts: new RegionCounts(kept, { call, later, now: () => now() + skewMs }) };
  }

  const regions = Object.keys(ROUND_TRIPS_MS).map((name) => {
    const skewMs = Math.round(4000 * (random() - 0.5));
    return { name, skewMs, ...open(name, skewMs) };
  });
  const independent = new IndependentCounts(limits, now);
  const tally = { accepted: 0, rejected: 0, waited: 0, failed: 0 };
  const client = { limits, scheduler, independent };
  const idealClient = { limits, scheduler, independent: new IndependentCounts(limits, now) };
  const alone = new ClientCounts(undefined, { now });
  let ideal = 0;
  for (let count = 0; count < scenario.requests; count++) {
    const place = everyMs === undefined ? Math.floor(random() * (regions.length + 1)) : count % (regions.length + 1);
    const region = regions[place];
    const task = randomTask(scenario, random);
    const doesRestart = random() < restarts;
    const arrival = random() < 0.5 ? random() : (Math.floor(random() * 10) + 0.01 * random()) / 10;
    const arrivalMs = everyMs === undefined ? arrival * durationMs : count * everyMs;
    scheduler.after(async () => {
      if (region && doesRestart) {
        region.life.isOver = true;
        Object.assign(region, open(region.name, region.skewMs, structuredClone(region.counts.kept)));
      }
      void perform(task, idealClient, () => alone).then((result) => {
        if (result === "accepted") ideal++;
      });
      const asked = now();
      const counts = () => region?.counts ?? center;
      const result = await perform(task, client, counts, () => now() > asked && tally.waited++);
      tally[result]++;
    }, arrivalMs);
  }
  await scheduler.runUntil(start + durationMs + cutMs + jobMs + 450_000);
  const left = center.peek(limits);
  const names = Object.keys(left) as LimitName[];
  return {
    ...{ ...tally, ideal, least: independent.least, truly: independent.left },
    left: Object.fromEntries(names.map((name) => [name, left[name]!.count])) as Amounts,
  };
}

const randomTask = (scenario: Scenario, random: () => number): Task => ({
  request: { isJob: random() < 0.8, bytes: Math.ceil(random() * scenario.bodyBytes) },
  jobMs: random() * scenario.jobMs,
  outputBytes: Math.ceil(random() * scenario.outputBytes),
  storedBytes: Math.ceil(random() * scenario.storedBytes),
  lifetimeMs: HOUR_MS * 3 * random(),
});

interface Task {
  readonly request: LimitRequest;
  readonly jobMs: number;
  readonly outputBytes: number;
  readonly storedBytes: number;
  readonly lifetimeMs: number;
}

interface Client {
  readonly limits: Required<Limits>;
  readonly scheduler: Scheduler;
  readonly independent: IndependentCounts;
}

/** Asks for a request; if it is accepted, runs its job, stores its output, and deletes half of the files later. */
async function perform(
  { request, jobMs, outputBytes, storedBytes, lifetimeMs }: Task,
  { limits, scheduler, independent }: Client,
  current: () => Counts,
  decided: () => unknown = () => {},
): Promise<"accepted" | "rejected" | "failed"> {
  const counts = current();
  const decision = await Promise.resolve(counts.ask(limits, request)).catch(() => undefined);
  // A restarted object does not respond.
  if (decision === undefined || current() !== counts) return "failed";
  decided();
  if (decision.rejected) return "rejected";
  independent.accept(request);
  const { lease } = decision;
  for (let ms = LIMITS.clientRenewMs; lease !== undefined && ms < jobMs; ms += LIMITS.clientRenewMs) {
    scheduler.after(() => current().renew(lease), ms);
  }
  scheduler.after(async () => {
    const expires = scheduler.time + lifetimeMs;
    const storing = current();
    const stored = await Promise.resolve(storing.store(limits.storedMegabytes, { bytes: storedBytes, expires })).catch(
      () => undefined,
    );
    if (stored && !stored.rejected && current() === storing) {
      independent.store(storedBytes, expires);
      if (storedBytes % 2 === 0) {
        scheduler.after(() => {
          independent.remove(storedBytes, expires);
          current().removed([{ id: crypto.randomUUID(), bytes: storedBytes, expires }]);
        }, lifetimeMs / 50);
      }
    }
    independent.end(request, outputBytes);
    current().leave(lease, outputBytes);
  }, jobMs);
  return "accepted";
}

/** Counts what was accepted. */
class IndependentCounts {
  readonly #limits: Required<Limits>;
  readonly #now: () => number;
  readonly #times: number[] = [];
  /** Index of the first request of the last 60 s. */
  #first = 0;
  readonly #days = new Map<string, number>();
  readonly #hours = new Map<number, number>();
  #jobs = 0;
  readonly least: Amounts;

  constructor(limits: Required<Limits>, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.least = this.left;
  }

  get left(): Amounts {
    const { requestsPerMinute, concurrentJobs, megabytesPerDay, storedMegabytes } = this.#limits;
    while (this.#times.length > this.#first && this.#times[this.#first]! <= this.#now() - 60_000) this.#first++;
    const stored = [...this.#hours].filter(([hour]) => hour * HOUR_MS > this.#now());
    return {
      requestsPerMinute: requestsPerMinute - (this.#times.length - this.#first),
      concurrentJobs: concurrentJobs - this.#jobs,
      megabytesPerDay: megabytesPerDay * MB - (this.#days.get(dayOf(this.#now())) ?? 0),
      storedMegabytes: storedMegabytes * MB - stored.reduce((sum, [, bytes]) => sum + bytes, 0),
    };
  }

  accept({ isJob, bytes }: LimitRequest): void {
    this.#times.push(this.#now());
    this.#addBytes(bytes);
    if (isJob) this.#jobs++;
    this.#compare();
  }

  end({ isJob }: LimitRequest, outputBytes: number): void {
    if (isJob) this.#jobs--;
    this.#addBytes(outputBytes);
  }

  store(bytes: number, expires: number): void {
    this.#changeStored(bytes, expires);
    this.#compare();
  }

  remove(bytes: number, expires: number): void {
    this.#changeStored(-bytes, expires);
  }

  #addBytes(bytes: number): void {
    const day = dayOf(this.#now());
    this.#days.set(day, (this.#days.get(day) ?? 0) + bytes);
  }

  #changeStored(bytes: number, expires: number): void {
    const hour = Math.ceil(expires / HOUR_MS);
    this.#hours.set(hour, (this.#hours.get(hour) ?? 0) + bytes);
  }

  #compare(): void {
    for (const [name, left] of Object.entries(this.left) as [LimitName, number][]) {
      this.least[name] = Math.min(this.least[name], left);
    }
  }
}

/** Runs work at virtual times. */
class Scheduler {
  time: number;
  readonly #work = new Map<number, (() => unknown)[]>();
  /** Times of the work, latest first. */
  readonly #times: number[] = [];

  constructor(time: number) {
    this.time = time;
  }

  after(work: () => unknown, ms: number): void {
    const time = this.time + Math.max(0, Math.round(ms));
    const known = this.#work.get(time);
    this.#work.set(time, [...(known ?? []), work]);
    if (known) return;
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#times[middle]! > time) low = middle + 1;
      else high = middle;
    }
    this.#times.splice(low, 0, time);
  }

  async runUntil(end: number): Promise<void> {
    for (let time = this.#times.pop(); time !== undefined && time <= end; time = this.#times.pop()) {
      this.time = time;
      const work = this.#work.get(time) ?? [];
      this.#work.delete(time);
      for (const each of work) each();
      await new Promise(setImmediate);
    }
  }
}
