// The world in which the Worker runs: its clock, the trips and calls since the last question, and the places that are
// cut off. Requests and objects share it, because they run in one isolate.

import { AsyncLocalStorage } from "node:async_hooks";
import { marksIn } from "../../support/world/marks.ts";
import { type City, Places, roundTripMs } from "../../support/world/places.ts";
import type { Call, Cut, RecordedCall } from "../../support/world/protocol.ts";
import type { Trip } from "../../support/world/trips.ts";
import { turn, VirtualClock } from "./virtual-clock.ts";

/** Who makes a call: a request where it arrived, or an object in its place. */
export interface Caller {
  readonly place: City;
  /** An object is cut off with its place. A request is not: the platform receives it in another city. */
  readonly isObject: boolean;
}

export const clock: VirtualClock = new VirtualClock();
/** The caller for which the current code runs. */
export const caller: AsyncLocalStorage<Caller> = new AsyncLocalStorage();
export const cuts: Map<City, Cut> = new Map();
/** Trips, and for whom each was made. Unlike the place of a caller, the caller itself identifies a request. */
export const trips: (Trip & { readonly by: Caller })[] = [];
let started = 0;
export const calls: RecordedCall[] = [];
/** Texts to look for in calls. Calls are recorded while there are any. */
export const marks: Set<string> = new Set();

let places: Places | undefined;
export const placesOf = (env: { readonly REGIONS?: string }): Places => {
  places ??= new Places(env.REGIONS);
  return places;
};

export function record(call: Call, content: unknown): void {
  if (marks.size > 0) calls.push({ ...call, marks: marksIn(content, marks) });
}

/** Bindings that each location has, also if the resources in its city are cut off. */
const OF_LOCATIONS: readonly string[] = ["API_KEYS", "cache"];

/** Makes a call that takes the time of its trip. */
export async function travel<T>(
  from: Caller,
  call: Call & { readonly place: City },
  work: () => Promise<T>,
): Promise<T> {
  const { binding, method, place } = call;
  clock.note();
  const pass = async () => (OF_LOCATIONS.includes(binding) ? undefined : passable(from, place));
  const oneWay = async () => {
    await pass();
    await clock.pass(roundTripMs(from.place, place) / 2);
    await pass();
  };
  const number = started++;
  const sentAt = clock.now;
  await oneWay();
  const arrivedAt = clock.now;
  let repliedAt = arrivedAt;
  try {
    return await work();
  } finally {
    repliedAt = clock.now;
    await oneWay();
    if (place !== from.place) {
      const by = caller.getStore() ?? from;
      const times = { number, sentAt, arrivedAt, repliedAt, receivedAt: clock.now };
      trips.push({ call: `${binding}.${method}`, from: from.place, to: place, ...times, by });
    }
  }
}

async function passable({ place: from, isObject }: Caller, to: City): Promise<void> {
  const cut = () => cuts.get(to) ?? (isObject ? cuts.get(from) : undefined);
  while (cut() !== undefined) {
    if (cut() === "reject") throw new Error("Network connection lost.");
    await turn();
  }
}
