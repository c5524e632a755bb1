// The records of the host, wherever they are stored.

import type { KeyRecords } from "./api-key.ts";
import type { Claims } from "./claims.ts";
import type { JobStore } from "./job-store.ts";
import type { Limiter } from "./limiter.ts";
import type { UsageRecords } from "./usage.ts";

export interface HostRecords extends AsyncDisposable {
  readonly keys: KeyRecords;
  readonly claims: Claims;
  readonly jobs: JobStore;
  /** Calls a function when another host has jobs that it cannot run itself. @default no other host shares the jobs */
  watchJobs?(wake: () => void): void;
  readonly limiter: Limiter;
  readonly usage: UsageRecords;
  /** @returns a message for the operator if the database does not answer. @default the records are on this machine */
  failure?(): Promise<string | undefined>;
  /**
   * Deletes expired claims and counts.
   * @param removeFiles deletes the files that exist only for the replays of expired claims
   */
  sweep(removeFiles: (ids: readonly string[]) => Promise<void>): Promise<void>;
}
