// Adds up what counts for a client, and compares the sums with its limits.

import type { LimitName, Limits, Remaining, RemainingLimits } from "../ports/limiter.ts";
import { dayOf } from "../ports/usage.ts";
import { HOUR_MS, NEVER } from "./stored-counts.ts";

const DAY_SECONDS = 86_400;
/**
 * Requests are counted per calendar second. The window has 61 calendar seconds, so that no period of 60 s contains more
 * requests than the limit.
 */
export const WINDOW_SECONDS = 61;
/** Retry-After at the limit of concurrent jobs. It is a guess, because the end of a job is unknown. */
const JOB_RETRY_SECONDS = 2;
/**
 * Retry-After if only files that never expire are stored. It is a guess, because the client must delete files first.
 */
const STORED_RETRY_SECONDS = 3600;

/** An amount for each limit, in requests, jobs or bytes. */
export type Amounts = Readonly<Record<LimitName, number>>;

/** The limits, in the order in which they are checked. */
export const LIMIT_NAMES: readonly LimitName[] = [
  "requestsPerMinute",
  "megabytesPerDay",
  "concurrentJobs",
  "storedMegabytes",
];

export const amountsOf = (amount: (name: LimitName) => number): Amounts =>
  Object.fromEntries(LIMIT_NAMES.map((name) => [name, amount(name)])) as Record<LimitName, number>;

export const NOTHING = amountsOf(() => 0);

/** The counts of a client in one place. Expired entries do not count. */
export interface Counted {
  /** Requests by second. */
  readonly seconds: readonly (readonly [second: number, requests: number])[];
  readonly jobs: number;
  readonly days: readonly (readonly [day: string, bytes: number])[];
  /** Bytes of stored files by the hour, since 1970, at which they no longer count. */
  readonly hours: readonly (readonly [hour: number, bytes: number])[];
}

export class CountedSum {
  readonly #now: number;
  readonly #seconds: Counted["seconds"];
  readonly #hours: Counted["hours"];
  readonly #totals: Amounts;

  constructor(counted: readonly Counted[], now: number) {
    this.#now = now;
    const first = this.#second - WINDOW_SECONDS;
    const today = dayOf(now);
    this.#seconds = counted.flatMap(({ seconds }) => seconds.filter(([second, count]) => second > first && count > 0));
    this.#hours = counted.flatMap(({ hours }) =>
      hours.filter(([hour, bytes]) => bytes > 0 && (hour === NEVER || hour * HOUR_MS > now)),
    );
    this.#totals = {
      requestsPerMinute: sum(this.#seconds),
      concurrentJobs: counted.reduce((total, { jobs }) => total + jobs, 0),
      megabytesPerDay: sum(counted.flatMap(({ days }) => days.filter(([day]) => day >= today))),
      storedMegabytes: sum(this.#hours),
    };
  }

  get isEmpty(): boolean {
    return LIMIT_NAMES.every((name) => this.#totals[name] === 0);
  }

  left(limits: Limits): RemainingLimits {
    const limited = LIMIT_NAMES.filter((name) => limits[name] !== undefined);
    return Object.fromEntries(limited.map((name) => [name, this.#leftOf(name, limits[name]!)]));
  }

  /** @returns undefined if the limit allows the amount; otherwise the seconds until it might allow it */
  retryAfter(limits: Limits, name: LimitName, amount: number): number | undefined {
    const limit = limits[name];
    const excess = limit === undefined || amount === 0 ? 0 : this.#totals[name] + amount - limit * unitOf(name);
    if (excess <= 0) return undefined;
    switch (name) {
      case "requestsPerMinute":
        return this.#untilWindow(timeOfExcess(this.#seconds, excess) ?? this.#second);
      case "concurrentJobs":
        return JOB_RETRY_SECONDS;
      case "megabytesPerDay":
        return this.#untilTomorrow;
      case "storedMegabytes": {
        const hour = timeOfExcess(
          this.#hours.filter(([hour]) => hour !== NEVER),
          excess,
        );
        return hour === undefined ? STORED_RETRY_SECONDS : this.#untilHour(hour);
      }
    }
  }

  #leftOf(name: LimitName, limit: number): Remaining {
    const count = Math.max(0, limit * unitOf(name) - this.#totals[name]);
    const seconds = this.#secondsUntilNone(name);
    return { count, ...(seconds === undefined ? {} : { seconds }) };
  }

  #secondsUntilNone(name: LimitName): number | undefined {
    switch (name) {
      case "requestsPerMinute":
        return this.#seconds.length === 0 ? 0 : this.#untilWindow(lastOf(this.#seconds));
      case "concurrentJobs":
        return undefined;
      case "megabytesPerDay":
        return this.#untilTomorrow;
      case "storedMegabytes":
        if (this.#hours.some(([hour]) => hour === NEVER)) return undefined;
        return this.#hours.length === 0 ? 0 : this.#untilHour(lastOf(this.#hours));
    }
  }

  get #second(): number {
    return Math.floor(this.#now / 1000);
  }

  /** Returns the time until the requests of a second leave the window. */
  #untilWindow(second: number): number {
    return Math.max(1, second + WINDOW_SECONDS - this.#second);
  }

  get #untilTomorrow(): number {
    return DAY_SECONDS - (this.#second % DAY_SECONDS);
  }

  #untilHour(hour: number): number {
    return Math.max(1, Math.ceil((hour * HOUR_MS - this.#now) / 1000));
  }
}

const unitOf = (name: LimitName) => (name === "megabytesPerDay" || name === "storedMegabytes" ? 2 ** 20 : 1);

const sum = (counts: readonly (readonly [unknown, number])[]) => counts.reduce((total, [, count]) => total + count, 0);

const lastOf = (counts: readonly (readonly [time: number, unknown])[]) => Math.max(...counts.map(([time]) => time));

/** Returns the time at which this amount no longer counts; undefined if that never happens. */
function timeOfExcess(counts: readonly (readonly [time: number, count: number])[], excess: number): number | undefined {
  let rest = excess;
  for (const [time, count] of counts.toSorted(([a], [b]) => a - b)) {
    rest -= count;
    if (rest <= 0) return time;
  }
  return undefined;
}
