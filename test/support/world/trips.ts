// Records the calls that a request makes to storage, objects and containers, and finds those that it waits for one
// after the other.

/** A call to a resource in another process. */
export interface Trip {
  /** Resource and method. Example: `FILES.put`. */
  readonly call: string;
  /** Place of the caller, and of the resource. */
  readonly from: string;
  readonly to: string;
  /** Times in milliseconds since the start of the request. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * Returns the longest sequence of trips in which each starts after the end of the one before. The sequence is that of
 * the program if each trip lasts longer than the program computes between two concurrent calls.
 */
export function longestSequence(trips: readonly Trip[]): readonly Trip[] {
  const ordered = trips.toSorted((one, other) => one.endedAt - other.endedAt);
  const best: Trip[][] = [];
  for (const [index, trip] of ordered.entries()) {
    const before = best
      .slice(0, index)
      .filter((sequence) => sequence.at(-1)!.endedAt <= trip.startedAt)
      .toSorted((one, other) => other.length - one.length)[0];
    best.push([...(before ?? []), trip]);
  }
  return best.toSorted((one, other) => other.length - one.length)[0] ?? [];
}

/** Round trips between places, in milliseconds. */
export type RoundTrips = (from: string, to: string) => number;

/** Returns the time that a sequence of trips costs. */
export const costOf = (sequence: readonly Trip[], roundTrips: RoundTrips): number =>
  sequence.reduce((sum, { from, to }) => sum + roundTrips(from, to), 0);
