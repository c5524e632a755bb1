// Counts an asynchronous job against the limits and usage of its client. The request that queued the job was counted
// separately (admission.ts).

import type { UsageCollector } from "../../keys/usage-collector.ts";
import type { ClientAccount } from "../../ports/client-account.ts";
import type { Limiter } from "../../ports/limiter.ts";
import type { UsageRecords } from "../../ports/usage.ts";
import type { Storing } from "../../storage/stored-bytes.ts";
import { ClientJobLease } from "./client-job-lease.ts";
import { storingOf } from "./storing.ts";

interface Counting {
  readonly limiter: Limiter | undefined;
  readonly usage: { readonly collector: UsageCollector; readonly records: UsageRecords | undefined };
  waitUntil(work: Promise<unknown>): void;
  log(message: string, details: Record<string, unknown>): void;
}

export class JobUsage {
  readonly #account: ClientAccount;
  readonly #counting: Counting;
  #receivedBytes = 0;
  #madeBytes = 0;
  #tokens = 0;
  readonly #lease: ClientJobLease;

  constructor(account: ClientAccount, counting: Counting) {
    this.#account = account;
    this.#counting = counting;
    this.#lease = new ClientJobLease({ ...counting, client: account.client });
  }

  /**
   * Counts the job against the client's limit of concurrent jobs. The job runs even if the limit is exceeded, because
   * it has already waited in the queue; instead, the client's next request is rejected.
   */
  async begin(): Promise<void> {
    const { client, limits: { concurrentJobs } = {} } = this.#account;
    const { limiter } = this.#counting;
    if (concurrentJobs === undefined || !limiter) return;
    const request = { isJob: true, bytes: 0 };
    const { lease } = await limiter.acquire(client, { concurrentJobs }, request).catch((error) => {
      this.#counting.log("limiter unavailable", { error: String(error) });
      return { lease: undefined };
    });
    if (lease !== undefined) this.#lease.start(lease);
  }

  /** Returns the counter for the files of the job, see {@link storingOf}. */
  storing(expires: () => number | undefined): Storing | undefined {
    return storingOf({ ...this.#counting, ...this.#account }, expires);
  }

  /** Counts fetched bytes. */
  received(bytes: number): void {
    this.#receivedBytes += bytes;
  }

  /** Counts the bytes of outputs. */
  made(bytes: number): void {
    this.#madeBytes += bytes;
  }

  /** Counts tokens of the language model. */
  tokensUsed(tokens: number): void {
    this.#tokens += tokens;
  }

  /** @param outcome undefined if the job will run again, or has been canceled */
  end(outcome: "completed" | "failed" | undefined): void {
    const { operation, key, limits } = this.#account;
    const { usage, waitUntil, log } = this.#counting;
    this.#lease.end(limits?.megabytesPerDay === undefined ? 0 : this.#receivedBytes + this.#madeBytes);
    const { collector, records } = usage;
    if (outcome === undefined || key === undefined || records === undefined) return;
    const errors = outcome === "failed" ? 1 : 0;
    const counts = {
      requests: 0,
      errors,
      bytesIn: this.#receivedBytes,
      bytesOut: this.#madeBytes,
      tokens: this.#tokens,
    };
    collector.add(key, operation, counts, { records, waitUntil, log });
  }
}
