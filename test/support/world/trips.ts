// Finds the trips that a request waits for one after the other.

import type { City } from "./places.ts";

/** A call to a resource in another city. Times are virtual milliseconds. */
export interface Trip {
  /** Binding and method. Example: `FILES.put`. */
  readonly call: string;
  readonly from: City;
  readonly to: City;
  /** Position among the trips in the order of their starts. */
  readonly number: number;
  readonly sentAt: number;
  readonly arrivedAt: number;
  readonly repliedAt: number;
  readonly receivedAt: number;
}

/** The trips that a request waited for, and the time that they cost. */
export interface Journey {
  /** Number of trips one after the other. */
  readonly count: number;
  readonly ms: number;
  readonly trips: readonly Pick<Trip, "call" | "from" | "to">[];
}

/** One direction of a trip. */
interface Leg {
  readonly trip: Trip;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the longest unbroken sequence of trips that ends with the response. A call of an object that itself calls a
 * far resource consists of two trips, one inside the other. Of concurrent trips, the sequence contains the one that
 * started last.
 * @returns undefined if the request waited for a trip that another request had started before
 */
export function journeyOf(
  trips: readonly Trip[],
  request: { readonly from: number; readonly to: number },
): Journey | undefined {
  const legs = trips
    .filter(({ sentAt, receivedAt }) => sentAt >= request.from && receivedAt <= request.to)
    .flatMap((trip): Leg[] => [
      { trip, from: trip.sentAt, to: trip.arrivedAt },
      { trip, from: trip.repliedAt, to: trip.receivedAt },
    ])
    .toSorted((one, other) => one.to - other.to || one.trip.number - other.trip.number);
  const best = new Map<number, readonly Leg[]>([[request.from, []]]);
  for (const leg of legs) {
    const before = best.get(leg.from);
    if (before && before.length + 1 >= (best.get(leg.to)?.length ?? 0)) best.set(leg.to, [...before, leg]);
  }
  const path = best.get(request.to);
  if (!path) return undefined;
  const sequence = [...new Set(path.map(({ trip }) => trip))].map(({ call, from, to }) => ({ call, from, to }));
  return { count: path.length / 2, ms: request.to - request.from, trips: sequence };
}
