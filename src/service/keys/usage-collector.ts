// Collects the usage of keys in memory, and records it in batches after the responses. A crash loses the usage of the
// last second.

import { delay } from "../../runtime/delay.ts";
import { RecordsUnavailable } from "../ports/records-unavailable.ts";
import { type Counts, dayOf, type KeyUsage, type UsageRecords } from "../ports/usage.ts";
import { sumOf } from "./usage-table.ts";

const RECORD_AFTER_MS = 1000;
/**
 * The platform might terminate work that runs after a response. If the rows are not recorded after this time, another
 * request records them.
 */
const OVERDUE_MS = 15_000;
/** Maximum rows per write. */
const MAX_ROWS = 500;
/** Maximum unrecorded rows in memory: about 3 MB. */
const MAX_UNRECORDED = 10_000;
/** Interval of attempts while the database of the usage is away. */
const RETRY_AFTER_MS = 10_000;

export interface RecordingServices {
  readonly records: UsageRecords;
  /** Keeps the process alive after the response. */
  waitUntil(work: Promise<unknown>): void;
  log(message: string, details: Record<string, unknown>): void;
}

/** Rows that are recorded together, under an ID. */
interface Batch {
  readonly id: string;
  readonly rows: readonly KeyUsage[];
}

export class UsageCollector {
  readonly #rows = new Map<string, KeyUsage>();
  /** Batches that might be recorded already. They are recorded again as they were, so that they count once. */
  #unsure: Batch[] = [];
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
    while (this.#unsure.length > 0 || this.#rows.size > 0) {
      const unsure = this.#unsure.shift();
      const batch = unsure ?? this.#nextBatch();
      try {
        await records.add(batch.rows, batch.id);
      } catch (error) {
        const isUnsure = error instanceof RecordsUnavailable && !error.hadNoEffect;
        if (unsure || isUnsure) this.#unsure.push(batch);
        else for (const row of batch.rows) this.#take(row);
        throw error;
      }
    }
  }

  #nextBatch(): Batch {
    const rows = [...this.#rows].slice(0, MAX_ROWS);
    for (const [name] of rows) this.#rows.delete(name);
    return { id: crypto.randomUUID(), rows: rows.map(([, row]) => row) };
  }

  async #recordLater(services: RecordingServices): Promise<void> {
    await delay(RECORD_AFTER_MS);
    this.#dueSince = undefined;
    try {
      await this.record(services);
    } catch (error) {
      const kept = this.#unsure.reduce((sum, { rows }) => sum + rows.length, this.#rows.size);
      const isLost = kept > MAX_UNRECORDED;
      if (isLost) {
        this.#rows.clear();
        this.#unsure = [];
      }
      services.log("usage not recorded", { error: String(error), isLost });
      if (isLost || !(error instanceof RecordsUnavailable) || this.#dueSince !== undefined) return;
      this.#dueSince = Date.now();
      // Outside `waitUntil`: a host that stops does not wait for the database.
      setTimeout(() => services.waitUntil(this.#recordLater(services)), RETRY_AFTER_MS);
    }
  }

  #take(row: KeyUsage): void {
    const name = `${row.key} ${row.day} ${row.operation}`;
    const collected = this.#rows.get(name);
    this.#rows.set(name, collected ? { ...row, ...sumOf(collected, row) } : row);
  }
}
