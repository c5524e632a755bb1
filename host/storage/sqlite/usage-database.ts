// Counts the requests of clients with limits, and records the usage of keys. Both are in a SQLite database, usage.db in
// the data folder. Several processes of the same machine can use it concurrently.

import { ClientCounts, type SerializedCounts } from "../../../src/service/keys/client-counts.ts";
import { CountingLimiter } from "../../../src/service/keys/counting-limiter.ts";
import {
  ADD_TOKENS,
  ADD_USAGE,
  CREATE_TOKENS,
  CREATE_USAGE,
  READ_ALL_USAGE,
  READ_USAGE,
  REMOVE_USAGE,
  tokensOf,
  valuesOf,
} from "../../../src/service/keys/usage-table.ts";
import type { KeyUsage, UsageRecords, UsageRow } from "../../../src/service/ports/usage.ts";
import { SqliteFile } from "./sqlite-file.ts";

const CREATE_CLIENTS =
  "CREATE TABLE IF NOT EXISTS clients (client TEXT PRIMARY KEY, counts TEXT NOT NULL) WITHOUT ROWID";
const READ_CLIENT = "SELECT counts FROM clients WHERE client = ?";
const WRITE_CLIENT = "INSERT OR REPLACE INTO clients VALUES (?, ?)";
const READ_CLIENTS = "SELECT client, counts FROM clients";
const REMOVE_CLIENT = "DELETE FROM clients WHERE client = ?";

export class UsageDatabase extends CountingLimiter implements UsageRecords, Disposable {
  readonly #file: SqliteFile;
  readonly #now: () => number;

  private constructor(file: SqliteFile, now: () => number) {
    super();
    this.#file = file;
    this.#now = now;
    file.exec(CREATE_USAGE);
    file.exec(CREATE_TOKENS);
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
      for (const row of rows) {
        this.#file.all(ADD_USAGE, ...valuesOf(row));
        if (row.tokens > 0) this.#file.all(ADD_TOKENS, ...tokensOf(row));
      }
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
    for (const statement of REMOVE_USAGE) this.#file.all(statement, day);
  }

  protected override countsOf(client: string): ClientCounts {
    const row = this.#file.all(READ_CLIENT, client)[0];
    return new ClientCounts(row && (JSON.parse(String(row.counts)) as SerializedCounts), { now: this.#now });
  }

  /** Changes the counts of a client in a transaction, so that no other process changes them concurrently. */
  protected override change<T>(client: string, apply: (counts: ClientCounts) => T): T {
    return this.#file.transaction(() => {
      const counts = this.countsOf(client);
      const result = apply(counts);
      this.#file.all(WRITE_CLIENT, client, JSON.stringify(counts.kept));
      return result;
    });
  }
}
