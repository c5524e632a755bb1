// Defines what the Worker of the tests with regions reports, and how the tests control it.

/** A call to a binding, or a line of the log. */
export interface Call {
  /** Where the calling code runs: `arrival`, or the name of an object. */
  readonly from: string;
  readonly binding: string;
  /** Name of the object. */
  readonly object?: string;
  readonly method: string;
  /** Arguments as JSON. Bytes become Latin-1. */
  readonly given: string;
}

/** Calls to a lost region wait forever, or are rejected. */
export type Loss = "hangs" | "rejects";

export interface Control {
  /** Losses by region. */
  readonly lost: Readonly<Record<string, Loss>>;
  /** Name of a client that has disconnected. workerd by itself does not notice that while a request runs. */
  readonly gone?: string;
}
