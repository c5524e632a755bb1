// Opens the records of the host, which are its state except for files: keys, claims, jobs, limits and usage.

import type { KeyRecords } from "../../src/service/ports/api-key.ts";
import type { Claims } from "../../src/service/ports/claims.ts";
import type { JobStore } from "../../src/service/ports/job-store.ts";
import type { Limiter } from "../../src/service/ports/limiter.ts";
import type { UsageRecords } from "../../src/service/ports/usage.ts";
import { ClaimDatabase } from "./sqlite/claim-database.ts";
import { openJobDatabase } from "./sqlite/job-database.ts";
import { KeyDatabase } from "./sqlite/key-database.ts";
import { UsageDatabase } from "./sqlite/usage-database.ts";

export interface HostRecords extends AsyncDisposable {
  readonly keys: KeyRecords;
  readonly claims: Claims;
  readonly jobs: JobStore;
  readonly limiter: Limiter;
  readonly usage: UsageRecords;
  /**
   * Deletes expired claims and counts.
   * @param removeFiles deletes the files that exist only for the replays of expired claims
   */
  sweep(removeFiles: (ids: readonly string[]) => Promise<void>): Promise<void>;
}

/**
 * @param lifetimeMs time for which the results of jobs are stored; 0 means unlimited
 * @throws Error with a message for the operator if a database cannot be opened
 */
export async function openRecords(
  dataFolder: string,
  { lifetimeMs }: { readonly lifetimeMs: number },
): Promise<HostRecords> {
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
