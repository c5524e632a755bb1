// Declares where the use of API keys is recorded: Cloudflare's D1, or the database of the host.

export interface Counts {
  readonly requests: number;
  /** Requests that were answered with a status of 400 or above. */
  readonly errors: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** Use of one key on one day (UTC, such as 2026-11-23) with one operation, the name of an endpoint. */
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
  /** Adds to what is recorded, all of it or nothing. */
  add(rows: readonly KeyUsage[]): Promise<void>;
  /** Returns the rows of a key from a day on, by day and operation. */
  read(key: string, since: string): Promise<UsageRow[]>;
  /** Removes the rows of days before one. */
  removeBefore(day: string): Promise<void>;
}

/** Returns the day of a time, as usage names it. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
