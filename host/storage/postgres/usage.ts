// Records the usage of keys in PostgreSQL. The table is that of src/service/keys/usage-table.ts.

import { valuesOf } from "../../../src/service/keys/usage-table.ts";
import type { KeyUsage, UsageRecords, UsageRow } from "../../../src/service/ports/usage.ts";
import type { Database } from "./database.ts";

const MOST = Number.MAX_SAFE_INTEGER;
const COUNTS = ["requests", "errors", "bytes_in", "bytes_out"];
const names = COUNTS.join(", ");
/** In one order for all hosts, so that two of them never wait for each other. */
const ADD = `
  WITH batch AS (INSERT INTO pagewright.usage_batches (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id)
  INSERT INTO pagewright.usage AS kept (key, day, operation, ${names})
  SELECT key, day, operation, ${COUNTS.map((name) => `least(sum(${name}), ${MOST})`).join(", ")}
  FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
    AS added (key, day, operation, ${names})
  WHERE EXISTS (SELECT FROM batch)
  GROUP BY key, day, operation ORDER BY key COLLATE "C", day COLLATE "C", operation COLLATE "C"
  ON CONFLICT (key, day, operation) DO UPDATE
    SET ${COUNTS.map((name) => `${name} = least(kept.${name} + excluded.${name}, ${MOST})`).join(", ")}`;
const COLUMNS = `day, operation, requests, errors, bytes_in AS "bytesIn", bytes_out AS "bytesOut"`;
const READ = `SELECT ${COLUMNS} FROM pagewright.usage WHERE key = $1 AND day >= $2 ORDER BY day, operation`;
const READ_ALL = `SELECT key, ${COLUMNS} FROM pagewright.usage WHERE day >= $1 ORDER BY key, day, operation`;
const REMOVE = "DELETE FROM pagewright.usage WHERE day < $1";
/** No host repeats a batch after this time. */
const REMOVE_BATCHES = "DELETE FROM pagewright.usage_batches WHERE added < now() - interval '1 day'";

export class PostgresUsage implements UsageRecords {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(rows: readonly KeyUsage[], batch: string = crypto.randomUUID()): Promise<void> {
    const values = rows.map(valuesOf);
    await this.#database.run(ADD, batch, ...[0, 1, 2, 3, 4, 5, 6].map((column) => values.map((row) => row[column]!)));
  }

  async read(key: string, since: string): Promise<UsageRow[]> {
    return (await this.#database.read(READ, key, since)) as unknown as UsageRow[];
  }

  /** Returns the usage of all keys since a day, ordered by key, day and operation. */
  async readAll(since: string): Promise<KeyUsage[]> {
    return (await this.#database.read(READ_ALL, since)) as unknown as KeyUsage[];
  }

  async removeBefore(day: string): Promise<void> {
    await this.#database.run(REMOVE, day);
    await this.#database.run(REMOVE_BATCHES);
  }
}
