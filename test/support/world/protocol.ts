// What the Worker in the world and the program that starts it send each other.

import type { City } from "./places.ts";

/** City in which a request arrives, percent-encoded. */
export const FROM_HEADER = "World-From";
/** The trips that a response waited for: a `Journey` as JSON, percent-encoded. */
export const JOURNEY_HEADER = "World-Journey";

/** Calls to a place that is cut off wait until it is restored, or are rejected. */
export type Cut = "hang" | "reject";

/** A call to a resource, near or far; a line of the log; a request to another server. */
export interface Call {
  /** Name of the binding, `cache`, `container`, `console` or `internet`. */
  readonly binding: string;
  /** Name of the object, or of the server. */
  readonly name?: string;
  readonly method: string;
  readonly from: City | "unknown";
  readonly place: City | "internet" | "unknown";
}

/** A call, and the texts that were found in its arguments or its result. */
export interface RecordedCall extends Call {
  readonly marks: readonly string[];
}
