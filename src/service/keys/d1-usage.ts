// Records usage in a D1 database. Creates the table if it is missing, so that a deployment needs no migration.

import { LIMITS } from "../../document/contract/limits.ts";
import { withTimeout } from "../../runtime/rpc.ts";
import type { UsageRecords, UsageRow } from "../ports/usage.ts";
import { ADD_USAGE, CREATE_USAGE, READ_USAGE, REMOVE_USAGE, valuesOf } from "./usage-table.ts";

/** Databases whose table exists, as far as this isolate knows. */
const prepared = new WeakSet<D1Database>();

export function d1Usage(database: D1Database): UsageRecords {
  /** Runs statements in one transaction, which is one round trip. */
  const run = async (statements: D1PreparedStatement[]) => {
    const creating = prepared.has(database) ? [] : [database.prepare(CREATE_USAGE)];
    const results = await withTimeout(LIMITS.usageMs, () => database.batch([...creating, ...statements]));
    prepared.add(database);
    return results.at(-1)!.results;
  };
  return {
    async add(rows) {
      const statement = database.prepare(ADD_USAGE);
      await run(rows.map((row) => statement.bind(...valuesOf(row))));
    },
    read: async (key, since) => (await run([database.prepare(READ_USAGE).bind(key, since)])) as unknown as UsageRow[],
    async removeBefore(day) {
      await run([database.prepare(REMOVE_USAGE).bind(day)]);
    },
  };
}
