// Opens the records of the host, which are its state except for files: keys, claims, jobs, limits and usage. They are
// in SQLite, or in PostgreSQL.

import type { HostRecords } from "../../src/service/ports/host-records.ts";
import { type DatabaseSettings, openDatabase } from "./postgres/open.ts";
import { ClaimDatabase } from "./sqlite/claim-database.ts";
import { openJobDatabase } from "./sqlite/job-database.ts";
import { KeyDatabase } from "./sqlite/key-database.ts";
import { UsageDatabase } from "./sqlite/usage-database.ts";

interface RecordOptions {
  /** Time for which the results of jobs are stored; 0 means unlimited. */
  readonly lifetimeMs: number;
  /** PostgreSQL. @default SQLite in the data folder */
  readonly database?: DatabaseSettings | undefined;
}

/**
 * @throws Error with a message for the operator if a database cannot be opened
 */
export async function openRecords(dataFolder: string, { lifetimeMs, database }: RecordOptions): Promise<HostRecords> {
  if (database) return openDatabase(database, lifetimeMs);
  const keys = await KeyDatabase.open(dataFolder);
  const usage = await UsageDatabase.open(dataFolder);
  const claims = await ClaimDatabase.open(dataFolder);
  const jobs = await openJobDatabase(dataFolder, { lifetimeMs });
  return {
    ...{ keys, claims, jobs, limiter: usage, usage },
    async sweep(removeFiles) {
      await claims.sweep(removeFiles);
      usage.tidy();
    },
    async [Symbol.asyncDispose]() {
      for (const database of [keys, usage, claims, jobs]) database[Symbol.dispose]();
    },
  };
}
