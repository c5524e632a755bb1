// Opens the records of the host in PostgreSQL, which any number of hosts share.

import { LIMITS } from "../../../src/document/contract/limits.ts";
import type { HostRecords } from "../../../src/service/ports/host-records.ts";
import { PostgresClaims } from "./claims.ts";
import { PostgresLimiter } from "./client-limits.ts";
import { Database } from "./database.ts";
import { PostgresKeys } from "./keys.ts";
import { migrate } from "./migrations.ts";
import { PostgresUsage } from "./usage.ts";

export interface DatabaseSettings {
  /** URL with the password, which appears in no message. */
  readonly url: string;
  /** Maximum number of connections of this host. */
  readonly connections: number;
}

export interface DatabaseRecords extends Omit<HostRecords, "jobs"> {
  readonly keys: PostgresKeys;
  readonly usage: PostgresUsage;
}

/** @throws Error with a message for the operator if the database cannot be used */
export async function openDatabase({ url, connections }: DatabaseSettings): Promise<DatabaseRecords> {
  await migrate(url);
  const database = new Database(url, connections);
  const claims = new PostgresClaims(database);
  const limiter = new PostgresLimiter(database);
  let probe: { readonly at: number; readonly failure: Promise<string | undefined> } | undefined;
  return {
    ...{ keys: new PostgresKeys(database), usage: new PostgresUsage(database), claims, limiter },
    failure() {
      const at = performance.now();
      if (probe && at - probe.at < LIMITS.databaseProbeMs) return probe.failure;
      const failure = database.read("SELECT").then(
        () => undefined,
        () => "The database does not answer.",
      );
      probe = { at, failure };
      return failure;
    },
    async sweep(removeFiles) {
      await claims.sweep(removeFiles);
      await limiter.tidy();
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
