// Statistics of many measurements, and random numbers that are reproducible from their seed.

import { randomOf } from "../support/random.ts";

/**
 * Returns the value below which the given share of the values lies.
 * @param share from 0 to 1
 * @returns NaN if there are no values
 */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Returns the median, 95th percentile and maximum, in seconds. */
export function spread(timesMs: readonly number[]): string {
  if (timesMs.length === 0) return "none";
  const seconds = (share: number) => (percentile(timesMs, share) / 1000).toFixed(2);
  return `median ${seconds(0.5)} s, p95 ${seconds(0.95)} s, max ${seconds(1)} s`;
}

/** Counts occurrences by name. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(what: string, count = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  get entries(): readonly (readonly [what: string, count: number])[] {
    return [...this.#counts].toSorted(([, one], [, other]) => other - one);
  }

  /** Returns the most frequent entries first. */
  text(most = 6): string {
    const shown = this.entries.slice(0, most).map(([what, count]) => `${count} x ${what}`);
    const hidden = this.entries.length - shown.length;
    return [...shown, ...(hidden > 0 ? [`${hidden} kinds more`] : [])].join("; ") || "none";
  }
}

/** Random numbers that depend only on the seed. */
export class Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = randomOf(seed);
  }

  /** Returns an integer from 0 to `bound` - 1. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** @throws Error if there are no values */
  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error("There is nothing to pick from.");
    return value;
  }
}

/** Derives a separate seed for each name, so that a case draws the same numbers whether or not other cases run. */
export function seedOf(seed: number, name: string): number {
  let hash = seed >>> 0;
  for (const character of name) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) >>> 0;
  return hash;
}
