// Storage contract of the usage of API keys. Each call is atomic. All implementations pass
// test/support/usage-conformance.ts.

export interface Counts {
  readonly requests: number;
  /** Requests with a response status of 400 or above. */
  readonly errors: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Tokens of the language model. */
  readonly tokens: number;
}

/**
 * Usage of one key with one operation on one day. The day is in UTC, such as 2026-11-23; the operation is the name of
 * an endpoint.
 */
export interface UsageRow extends Counts {
  readonly day: string;
  readonly operation: string;
}

/** A usage row with its key. */
export interface KeyUsage extends UsageRow {
  /** Hash of the key. */
  readonly key: string;
}

export interface UsageRecords {
  /**
   * Adds all rows or none. Sums stop at MAX_SAFE_INTEGER. A repeated call adds the rows again, unless the failure was a
   * RecordsUnavailable and the batch is the same.
   * @param batch unique ID (UUID) of the rows. @default a new one
   */
  add(rows: readonly KeyUsage[], batch?: string): Promise<void>;
  /** Returns the rows of a key since a day, ordered by day and operation. */
  read(key: string, since: string): Promise<UsageRow[]>;
  /** Deletes the rows of all keys before a day. */
  removeBefore(day: string): Promise<void>;
}

/** Returns the UTC day of a time, for example `2026-11-23`. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
