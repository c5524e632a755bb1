// Stores API keys in PostgreSQL: all hosts read them, and `npm run keys` writes them.

import type { KeyRecord, KeyRecords } from "../../../src/service/ports/api-key.ts";
import { type KeyEntry, type KeyRow, recordOf } from "../sqlite/key-database.ts";
import type { Database } from "./database.ts";

const GET = "SELECT owner, created, revoked, settings FROM pagewright.keys WHERE hash = $1";
const PUT = `INSERT INTO pagewright.keys (hash, owner, created, revoked, settings)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
  ON CONFLICT (hash) DO UPDATE SET owner = excluded.owner, created = excluded.created, revoked = excluded.revoked,
    settings = excluded.settings`;
const LIST = "SELECT hash, owner, created, revoked, settings FROM pagewright.keys";

export class PostgresKeys implements KeyRecords {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async get(hash: string, _type: "json"): Promise<KeyRecord | null> {
    const [row] = (await this.#database.read(GET, hash)) as unknown as Omit<KeyRow, "hash">[];
    return row ? recordOf(row) : null;
  }

  /** Writes all records or none, replacing those with the same hash. */
  async put(entries: readonly KeyEntry[]): Promise<void> {
    const rows = entries.map(({ hash, owner, created, revoked, ...settings }) => {
      return [hash, owner, created, revoked, JSON.stringify(settings)] as const;
    });
    await this.#database.run(PUT, ...[0, 1, 2, 3, 4].map((column) => rows.map((row) => row[column]!)));
  }

  async list(): Promise<KeyEntry[]> {
    return ((await this.#database.read(LIST)) as unknown as KeyRow[]).map(recordOf);
  }
}
