// Records the usage of keys in PostgreSQL. The table is that of src/service/keys/usage-table.ts.

import { valuesOf } from "../../../src/service/keys/usage-table.ts";
import type { KeyUsage, UsageRecords, UsageRow } from "../../../src/service/ports/usage.ts";
import type { Database } from "./database.ts";

const MOST = Number.MAX_SAFE_INTEGER;
const COUNTS = ["requests", "errors", "bytes_in", "bytes_out"];
const names = COUNTS.join(", ");
const TOKENS = `
  INSERT INTO pagewright.usage_tokens AS kept (key, day, operation, tokens)
  SELECT key, day, operation, least(sum(tokens), ${MOST})
  FROM unnest($2::text[], $3::text[], $4::text[], $9::bigint[]) AS added (key, day, operation, tokens)
  WHERE tokens > 0 AND EXISTS (SELECT FROM batch)
  GROUP BY key, day, operation ORDER BY key COLLATE "C", day COLLATE "C", operation COLLATE "C"
  ON CONFLICT (key, day, operation) DO UPDATE SET tokens = least(kept.tokens + excluded.tokens, ${MOST})`;
/** In one order for all hosts, so that two of them never wait for each other. */
const ADD = `
  WITH batch AS (INSERT INTO pagewright.usage_batches (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id),
    tokens AS (${TOKENS})
  INSERT INTO pagewright.usage AS kept (key, day, operation, ${names})
  SELECT key, day, operation, ${COUNTS.map((name) => `least(sum(${name}), ${MOST})`).join(", ")}
  FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
    AS added (key, day, operation, ${names})
  WHERE EXISTS (SELECT FROM batch)
  GROUP BY key, day, operation ORDER BY key COLLATE "C", day COLLATE "C", operation COLLATE "C"
  ON CONFLICT (key, day, operation) DO UPDATE
    SET ${COUNTS.map((name) => `${name} = least(kept.${name} + excluded.${name}, ${MOST})`).join(", ")}`;
const COLUMNS = `day, operation, requests, errors, bytes_in AS "bytesIn", bytes_out AS "bytesOut",
  coalesce(tokens, 0) AS tokens`;
const TABLES = "pagewright.usage LEFT JOIN pagewright.usage_tokens USING (key, day, operation)";
const READ = `SELECT ${COLUMNS} FROM ${TABLES} WHERE key = $1 AND day >= $2 ORDER BY day, operation`;
const READ_ALL = `SELECT key, ${COLUMNS} FROM ${TABLES} WHERE day >= $1 ORDER BY key, day, operation`;
const REMOVE = ["usage", "usage_tokens"].map((table) => `DELETE FROM pagewright.${table} WHERE day < $1`);
/** No host repeats a batch after this time. */
const REMOVE_BATCHES = "DELETE FROM pagewright.usage_batches WHERE added < now() - interval '1 day'";

export class PostgresUsage implements UsageRecords {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(rows: readonly KeyUsage[], batch: string = crypto.randomUUID()): Promise<void> {
    const values = rows.map((row) => [...valuesOf(row), row.tokens]);
    await this.#database.run(
      ADD,
      batch,
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((column) => values.map((row) => row[column]!)),
    );
  }

  async read(key: string, since: string): Promise<UsageRow[]> {
    return (await this.#database.read(READ, key, since)) as unknown as UsageRow[];
  }

  /** Returns the usage of all keys since a day, ordered by key, day and operation. */
  async readAll(since: string): Promise<KeyUsage[]> {
    return (await this.#database.read(READ_ALL, since)) as unknown as KeyUsage[];
  }

  async removeBefore(day: string): Promise<void> {
    for (const statement of REMOVE) await this.#database.run(statement, day);
    await this.#database.run(REMOVE_BATCHES);
  }
}
