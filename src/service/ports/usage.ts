// Storage contract of the usage of API keys. Each call is atomic. All implementations pass
// test/support/usage-conformance.ts.

export interface Counts {
  readonly requests: number;
  /** Requests with a response status of 400 or above. */
  readonly errors: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** Usage of one key on one day (UTC, such as 2026-11-23) with one operation, the name of an endpoint. */
export interface UsageRow extends Counts {
  readonly day: string;
  readonly operation: string;
}

/** A row of any key. */
export interface KeyUsage extends UsageRow {
  /** Hash of the key. */
  readonly key: string;
}

export interface UsageRecords {
  /** Adds all rows or none. Not idempotent: a repeated call adds again. Sums stop at MAX_SAFE_INTEGER. */
  add(rows: readonly KeyUsage[]): Promise<void>;
  /** Returns the rows of a key from a day on, by day and operation. */
  read(key: string, since: string): Promise<UsageRow[]>;
  /** Deletes the rows of all keys before a day. */
  removeBefore(day: string): Promise<void>;
}

/** Returns the day of a time, as usage names it. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
