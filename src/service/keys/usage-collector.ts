// Collects the usage of keys in memory, and records it in batches after the responses. A crash loses the usage of the
// last second.

import { delay } from "../../runtime/delay.ts";
import { type Counts, dayOf, type KeyUsage, type UsageRecords } from "../ports/usage.ts";
import { sumOf } from "./usage-table.ts";

const RECORD_AFTER_MS = 1000;
/**
 * The platform might terminate work that runs after a response. If the rows are not recorded after this time, another
 * request records them.
 */
const OVERDUE_MS = 15_000;
/** Maximum rows per write, and maximum unrecorded rows in memory. */
const MAX_ROWS = 500;

export interface RecordingServices {
  readonly records: UsageRecords;
  /** Keeps the process alive after the response. */
  waitUntil(work: Promise<unknown>): void;
  log(message: string, details: Record<string, unknown>): void;
}

export class UsageCollector {
  readonly #rows = new Map<string, KeyUsage>();
  /** Time at which recording was scheduled. */
  #dueSince: number | undefined;

  /** Adds the counts of a request. */
  add(key: string, operation: string, counts: Counts, services: RecordingServices): void {
    const now = Date.now();
    this.#take({ key, day: dayOf(now), operation, ...counts });
    if (this.#dueSince !== undefined && now < this.#dueSince + OVERDUE_MS) return;
    this.#dueSince = now;
    services.waitUntil(this.#recordLater(services));
  }

  /** Records the collected rows. @throws Error if recording fails; the rows remain collected */
  async record({ records }: Pick<RecordingServices, "records">): Promise<void> {
    while (this.#rows.size > 0) {
      const rows = [...this.#rows].slice(0, MAX_ROWS);
      for (const [name] of rows) this.#rows.delete(name);
      try {
        await records.add(rows.map(([, row]) => row));
      } catch (error) {
        for (const [, row] of rows) this.#take(row);
        throw error;
      }
    }
  }

  async #recordLater(services: RecordingServices): Promise<void> {
    await delay(RECORD_AFTER_MS);
    this.#dueSince = undefined;
    try {
      await this.record(services);
    } catch (error) {
      const isLost = this.#rows.size > MAX_ROWS;
      if (isLost) this.#rows.clear();
      services.log("usage not recorded", { error: String(error), isLost });
    }
  }

  #take(row: KeyUsage): void {
    const name = `${row.key} ${row.day} ${row.operation}`;
    const collected = this.#rows.get(name);
    this.#rows.set(name, collected ? { ...row, ...sumOf(collected, row) } : row);
  }
}
