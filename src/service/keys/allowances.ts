// The center's side of limits with regions (decisions/0064-allowances.md): grants allowances to regions, and counts each
// allowance as used until the region reports its use.

import { LIMITS } from "../../document/contract/limits.ts";
import type { LimitName, Limits, RemainingLimits } from "../ports/limiter.ts";
import { dayOf } from "../ports/usage.ts";
import type { ClientCounts } from "./client-counts.ts";
import { type Amounts, amountsOf, type Counted, CountedSum, LIMIT_NAMES, NOTHING } from "./counted.ts";
import { HOUR_MS } from "./stored-counts.ts";

/** What a region reports when it asks for its next allowance. */
export interface Report {
  /** Increases with each report. A report that arrives after a later one is ignored. */
  readonly sequence: number;
  readonly limits: Limits;
  readonly counted: Counted;
  /** What the region can still use of its earlier allowance, in addition to `counted`. */
  readonly held: Amounts;
  /** What waiting requests need. */
  readonly need: Amounts;
  /** What the region expects to use in the lifetime of an allowance, in addition to `need`. */
  readonly wish: Amounts;
}

export interface Allowance {
  /** That of the report; a higher number if the report was ignored. */
  readonly sequence: number;
  /** The center's time, in milliseconds since 1970. */
  readonly time: number;
  readonly until: number;
  /** What the region can use until then, in addition to the `counted` of its report. It replaces `held`. */
  readonly allowed: Amounts;
  /** What was left of the limits at the report, for this region. */
  readonly left: RemainingLimits;
  /** Seconds until a limit might allow what was needed, for each limit that does not. */
  readonly retryAfter: Partial<Readonly<Record<LimitName, number>>>;
}

/** The last report of a region, and what it can use in addition. */
interface RegionState extends Pick<Report, "sequence" | "counted"> {
  readonly until: number;
  readonly held: Amounts;
}

export type SerializedAllowances = readonly (readonly [region: string, state: RegionState])[];

export class Allowances {
  readonly #now: () => number;
  readonly #regions: Map<string, RegionState>;

  constructor(serialized: SerializedAllowances = [], now: () => number = Date.now) {
    this.#now = now;
    this.#regions = new Map(serialized);
  }

  /** True if no region counts anything. */
  get isEmpty(): boolean {
    return new CountedSum(this.counted, this.#now()).isEmpty;
  }

  get kept(): SerializedAllowances {
    return [...this.#regions];
  }

  /** What counts for the regions: what they reported, and what they can use in addition. */
  get counted(): readonly Counted[] {
    const now = this.#now();
    return [...this.#regions.values()].map(({ counted: { seconds, jobs, days, hours }, held, until }) => ({
      // Requests, at the latest possible time.
      seconds: [...seconds, [Math.floor(until / 1000), held.requestsPerMinute]],
      jobs: until + LIMITS.loanedJobMs <= now ? 0 : jobs + held.concurrentJobs,
      days: [...days, [dayOf(until), held.megabytesPerDay]],
      // Until the region reports its files, because their expiry is unknown.
      hours: [...hours, [Math.max(until, now + 1000) / HOUR_MS, held.storedMegabytes]],
    }));
  }

  /** @param counts counts of the client, including {@link counted} */
  grant(region: string, { sequence, limits, counted, held, need, wish }: Report, counts: ClientCounts): Allowance {
    const time = this.#now();
    const known = this.#regions.get(region);
    if (known && sequence <= known.sequence) {
      return { sequence: known.sequence, time, until: time, allowed: NOTHING, left: {}, retryAfter: {} };
    }
    const state = { sequence, counted, until: time, held: NOTHING };
    this.#regions.set(region, state);
    const left = counts.peek(limits);
    const allowed = amountsOf((name) => {
      const free = left[name]?.count ?? 0;
      const spare = Math.max(0, free - need[name]);
      return Math.min(free, need[name]) + Math.min(wish[name], Math.floor(spare / 2));
    });
    const lacking = LIMIT_NAMES.filter((name) => limits[name] !== undefined && allowed[name] < need[name]);
    const retryAfter = lacking.map((name) => {
      const amount = name === "requestsPerMinute" ? allowed[name] + 1 : need[name];
      return [name, counts.retryAfter(limits, name, amount)];
    });
    const until = time + LIMITS.allowanceMs;
    // The region uses `held` until it knows `allowed`. If the response is lost, it continues to use `held`.
    this.#regions.set(region, { ...state, until, held: amountsOf((name) => Math.max(held[name], allowed[name])) });
    return { sequence, time, until, allowed, left, retryAfter: Object.fromEntries(retryAfter) };
  }
}
