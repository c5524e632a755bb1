// Remembers the records of keys, so that requests with them are still accepted when the database is away.

import { LIMITS } from "../../../src/document/contract/limits.ts";
import type { KeyRecord, KeyRecords } from "../../../src/service/ports/api-key.ts";
import { RecordsUnavailable } from "../../../src/service/ports/records-unavailable.ts";

/** After a failure, remembered keys do not wait for the database for this time. */
const AWAY_MS = 1000;
const MAX_KEYS = 10_000;

export class KeyCache implements KeyRecords {
  readonly #records: KeyRecords;
  readonly #now: () => number;
  /** The oldest first. */
  readonly #remembered = new Map<string, { readonly record: KeyRecord; readonly until: number }>();
  #awayUntil = 0;

  /** @param now returns the time of a clock in milliseconds */
  constructor(records: KeyRecords, now: () => number = () => performance.now()) {
    this.#records = records;
    this.#now = now;
  }

  /** Asks the database as long as it answers, so that a revocation has effect at once. */
  async get(hash: string, type: "json"): Promise<KeyRecord | null> {
    if (this.#now() < this.#awayUntil) {
      const record = this.#recall(hash);
      if (record) return record;
    }
    try {
      const record = await this.#records.get(hash, type);
      this.#remember(hash, record);
      return record;
    } catch (error) {
      if (!(error instanceof RecordsUnavailable)) throw error;
      this.#awayUntil = this.#now() + AWAY_MS;
      const record = this.#recall(hash);
      if (record) return record;
      throw error;
    }
  }

  #recall(hash: string): KeyRecord | undefined {
    const { record, until = 0 } = this.#remembered.get(hash) ?? {};
    return this.#now() < until ? record : undefined;
  }

  #remember(hash: string, record: KeyRecord | null): void {
    this.#remembered.delete(hash);
    if (record) this.#remembered.set(hash, { record, until: this.#now() + LIMITS.knownKeyMs });
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MAX_KEYS) this.#remembered.delete(oldest!);
  }
}
