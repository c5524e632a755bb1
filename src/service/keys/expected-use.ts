// Estimates what a client will use in a region during the lifetime of an allowance.

import { LIMITS } from "../../document/contract/limits.ts";
import { type Amounts, amountsOf, NOTHING } from "./counted.ts";

const PERIOD_MS = LIMITS.allowanceMs;
/** After this time without use, nothing is expected. */
const IDLE_MS = 3 * PERIOD_MS;

export class ExpectedUse {
  #start: number;
  #lastUse = Number.NEGATIVE_INFINITY;
  /** Requests and bytes of the current period, and its largest number of concurrent jobs. */
  #current: Amounts = NOTHING;
  /** The same for earlier periods, halved in each period. */
  #past: Amounts = NOTHING;

  constructor(now: number) {
    this.#start = now;
  }

  used(now: number, amounts: Amounts, jobs: number): void {
    this.#advance(now);
    this.#lastUse = now;
    this.#current = {
      ...amountsOf((name) => this.#current[name] + amounts[name]),
      concurrentJobs: Math.max(this.#current.concurrentJobs, jobs),
    };
  }

  /**
   * Returns twice the recent use, because an allowance is renewed when half of it is left; four times the recent bytes,
   * because sizes differ; and half more than the recent jobs, minus the running ones.
   */
  wish(now: number, jobs: number): Amounts {
    this.#advance(now);
    if (now - this.#lastUse >= IDLE_MS) return NOTHING;
    const recent = amountsOf((name) => Math.max(this.#current[name], this.#past[name]));
    return {
      requestsPerMinute: Math.ceil(2 * recent.requestsPerMinute),
      megabytesPerDay: Math.ceil(4 * recent.megabytesPerDay),
      storedMegabytes: Math.ceil(4 * recent.storedMegabytes),
      concurrentJobs: Math.max(0, Math.ceil(1.5 * recent.concurrentJobs) - jobs),
    };
  }

  #advance(now: number): void {
    const periods = Math.floor((now - this.#start) / PERIOD_MS);
    if (periods <= 0) return;
    this.#start += periods * PERIOD_MS;
    this.#past = amountsOf((name) => Math.max(this.#current[name], this.#past[name]) / 2 ** periods);
    this.#current = NOTHING;
  }
}
