// Records usage in a D1 database. Creates the table if it is missing, so that a deployment needs no migration.

import { LIMITS } from "../../document/contract/limits.ts";
import { withTimeout } from "../../runtime/rpc.ts";
import type { UsageRecords, UsageRow } from "../ports/usage.ts";
import {
  ADD_TOKENS,
  ADD_USAGE,
  CREATE_TOKENS,
  CREATE_USAGE,
  READ_USAGE,
  REMOVE_USAGE,
  tokensOf,
  valuesOf,
} from "./usage-table.ts";

/** Databases whose table exists, as far as this isolate knows. */
const prepared = new WeakSet<D1Database>();

export function d1Usage(database: D1Database): UsageRecords {
  /** Runs statements in one transaction, which is one round trip. */
  const run = async (statements: D1PreparedStatement[]) => {
    const creating = prepared.has(database) ? [] : [CREATE_USAGE, CREATE_TOKENS].map((one) => database.prepare(one));
    const results = await withTimeout(LIMITS.usageMs, () => database.batch([...creating, ...statements]));
    prepared.add(database);
    return results.at(-1)!.results;
  };
  return {
    async add(rows) {
      const [counts, tokens] = [database.prepare(ADD_USAGE), database.prepare(ADD_TOKENS)];
      await run([
        ...rows.map((row) => counts.bind(...valuesOf(row))),
        ...rows.filter((row) => row.tokens > 0).map((row) => tokens.bind(...tokensOf(row))),
      ]);
    },
    read: async (key, since) => (await run([database.prepare(READ_USAGE).bind(key, since)])) as unknown as UsageRow[],
    async removeBefore(day) {
      await run(REMOVE_USAGE.map((statement) => database.prepare(statement).bind(day)));
    },
  };
}
