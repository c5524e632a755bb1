// Counts the requests of clients with limits, and records the usage of keys. Both are in a SQLite database, usage.db in
// the data folder. Several processes of the same machine can use it concurrently.

import { ClientCounts, type SerializedCounts } from "../../../src/service/keys/client-counts.ts";
import {
  ADD_USAGE,
  CREATE_USAGE,
  READ_ALL_USAGE,
  READ_USAGE,
  REMOVE_USAGE,
  valuesOf,
} from "../../../src/service/keys/usage-table.ts";
import type {
  LimitDecision,
  Limiter,
  LimitRequest,
  Limits,
  RemainingLimits,
  RemovedFile,
  StoredBytes,
} from "../../../src/service/ports/limiter.ts";
import type { KeyUsage, UsageRecords, UsageRow } from "../../../src/service/ports/usage.ts";
import { SqliteFile } from "./sqlite-file.ts";

const CREATE_CLIENTS =
  "CREATE TABLE IF NOT EXISTS clients (client TEXT PRIMARY KEY, counts TEXT NOT NULL) WITHOUT ROWID";
const READ_CLIENT = "SELECT counts FROM clients WHERE client = ?";
const WRITE_CLIENT = "INSERT OR REPLACE INTO clients VALUES (?, ?)";
const READ_CLIENTS = "SELECT client, counts FROM clients";
const REMOVE_CLIENT = "DELETE FROM clients WHERE client = ?";

export class UsageDatabase implements Limiter, UsageRecords, Disposable {
  readonly #file: SqliteFile;
  readonly #now: () => number;

  private constructor(file: SqliteFile, now: () => number) {
    this.#file = file;
    this.#now = now;
    file.exec(CREATE_USAGE);
    file.exec(CREATE_CLIENTS);
  }

  /**
   * Opens the database in a folder. Creates the folder and the database if necessary.
   * @throws Error with a message for the operator if that fails
   */
  static open(folder: string, now: () => number = Date.now): Promise<UsageDatabase> {
    // Faster than `FULL`. A power loss can lose the last counts, which is acceptable.
    const options = { name: "usage", subject: "usage", synchronous: "NORMAL" } as const;
    return SqliteFile.open(folder, options, (file) => new UsageDatabase(file, now));
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }

  async acquire(client: string, limits: Limits, request: LimitRequest): Promise<LimitDecision> {
    return this.#change(client, (counts) => counts.ask(limits, request));
  }

  async renew(client: string, lease: string): Promise<void> {
    this.#change(client, (counts) => counts.renew(lease));
  }

  async release(client: string, lease: string | undefined, bytes: number): Promise<void> {
    this.#change(client, (counts) => counts.leave(lease, bytes));
  }

  async store(client: string, megabytes: number, stored: StoredBytes): Promise<LimitDecision> {
    return this.#change(client, (counts) => counts.store(megabytes, stored));
  }

  async giveBack(client: string, stored: StoredBytes): Promise<void> {
    this.#change(client, (counts) => counts.giveBack(stored));
  }

  async removed(client: string, files: readonly RemovedFile[]): Promise<void> {
    this.#change(client, (counts) => counts.removed(files));
  }

  async peek(client: string, limits: Limits): Promise<RemainingLimits> {
    return this.#countsOf(client).peek(limits);
  }

  /** Deletes clients whose counts have all expired. */
  tidy(): void {
    this.#file.transaction(() => {
      for (const { client, counts } of this.#file.all(READ_CLIENTS)) {
        if (new ClientCounts(JSON.parse(String(counts)), { now: this.#now }).isEmpty)
          this.#file.all(REMOVE_CLIENT, String(client));
      }
    });
  }

  async add(rows: readonly KeyUsage[]): Promise<void> {
    this.#file.transaction(() => {
      for (const row of rows) this.#file.all(ADD_USAGE, ...valuesOf(row));
    });
  }

  async read(key: string, since: string): Promise<UsageRow[]> {
    return this.#file.all(READ_USAGE, key, since) as unknown as UsageRow[];
  }

  /** Returns the usage of all keys since a day, ordered by key, day and operation. */
  async readAll(since: string): Promise<KeyUsage[]> {
    return this.#file.all(READ_ALL_USAGE, since) as unknown as KeyUsage[];
  }

  async removeBefore(day: string): Promise<void> {
    this.#file.all(REMOVE_USAGE, day);
  }

  #countsOf(client: string): ClientCounts {
    const row = this.#file.all(READ_CLIENT, client)[0];
    return new ClientCounts(row && (JSON.parse(String(row.counts)) as SerializedCounts), { now: this.#now });
  }

  /** Changes the counts of a client in a transaction, so that no other process changes them concurrently. */
  #change<T>(client: string, change: (counts: ClientCounts) => T): T {
    return this.#file.transaction(() => {
      const counts = this.#countsOf(client);
      const result = change(counts);
      this.#file.all(WRITE_CLIENT, client, JSON.stringify(counts.kept));
      return result;
    });
  }
}
