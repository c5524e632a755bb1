// Opens the records of the host in PostgreSQL, which any number of hosts share.

import { LIMITS } from "../../../src/document/contract/limits.ts";
import type { HostRecords } from "../../../src/service/ports/host-records.ts";
import { RecordsUnavailable } from "../../../src/service/ports/records-unavailable.ts";
import { PostgresClaims } from "./claims.ts";
import { PostgresLimiter } from "./client-limits.ts";
import { Database } from "./database.ts";
import { openPostgresJobs } from "./job-database.ts";
import { JobSignals } from "./job-signals.ts";
import { PostgresKeys } from "./keys.ts";
import { migrate } from "./migrations.ts";
import { OTHER_STORE, StoreGuard } from "./store-guard.ts";
import { PostgresUsage } from "./usage.ts";

/** A server that a failover has left behind is read-only, and can hold the connections of hosts. */
const PROBE = `SELECT current_setting('transaction_read_only') AS readonly
  FROM (SELECT) AS one LEFT JOIN (SELECT FROM pagewright.keys LIMIT 1) AS rights ON true`;

export interface DatabaseSettings {
  /** URL with the password, which appears in no message. */
  readonly url: string;
  /** Maximum number of connections of this host. */
  readonly connections: number;
  /** Identity of the store with the files, which is the same for all hosts. @default files are not used */
  readonly store?: string;
}

export interface DatabaseRecords extends HostRecords {
  readonly keys: PostgresKeys;
  readonly usage: PostgresUsage;
}

/**
 * @param lifetimeMs time for which the results of jobs are stored; 0 means unlimited
 * @throws Error with a message for the operator if the database cannot be used
 */
export async function openDatabase(
  { url, connections, store }: DatabaseSettings,
  lifetimeMs = 0,
): Promise<DatabaseRecords> {
  await migrate(url);
  const database = new Database(url, connections);
  const guard = await openGuard(database, store);
  const claims = new PostgresClaims(database);
  const limiter = new PostgresLimiter(database);
  const jobs = openPostgresJobs(database, { lifetimeMs });
  let signals: JobSignals | undefined;
  let probe: { readonly at: number; readonly failure: Promise<string | undefined> } | undefined;
  return {
    ...{ keys: new PostgresKeys(database), usage: new PostgresUsage(database), claims, limiter },
    jobs: {
      ...jobs,
      nextWakeup: async () => Math.min((await jobs.nextWakeup()) ?? Infinity, Date.now() + LIMITS.databasePollMs),
    },
    watchJobs(wake) {
      signals = new JobSignals(url, wake);
    },
    failure() {
      const at = performance.now();
      if (probe && at - probe.at < LIMITS.databaseProbeMs) return probe.failure;
      const failure = database.read(PROBE).then(
        ([state]) =>
          state!.readonly === "on" ? "The database is read-only." : guard?.isOther ? OTHER_STORE : undefined,
        (error) => `The database ${error instanceof RecordsUnavailable ? "does not answer" : "rejects statements"}.`,
      );
      probe = { at, failure };
      return failure;
    },
    async sweep(removeFiles) {
      await claims.sweep(removeFiles);
      await limiter.tidy();
    },
    async [Symbol.asyncDispose]() {
      guard?.[Symbol.dispose]();
      await signals?.[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function openGuard(database: Database, store: string | undefined): Promise<StoreGuard | undefined> {
  if (store === undefined) return undefined;
  try {
    return await StoreGuard.open(database, store);
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}
