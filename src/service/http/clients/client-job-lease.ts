// Renews and ends the lease through which a job counts against its client's limit of concurrent jobs.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { Limiter } from "../../ports/limiter.ts";

interface Holder {
  readonly client: string;
  readonly limiter?: Limiter | undefined;
  waitUntil(work: Promise<unknown>): void;
  log(message: string, details: Record<string, unknown>): void;
}

export class ClientJobLease {
  readonly #holder: Holder;
  #lease: string | undefined;
  #renewing: ReturnType<typeof setInterval> | undefined;

  constructor(holder: Holder) {
    this.#holder = holder;
  }

  /** Renews a lease periodically until `end` is called. */
  start(lease: string): void {
    const { client, limiter } = this.#holder;
    this.#lease = lease;
    this.#renewing = setInterval(() => {
      limiter?.renew(client, lease).catch(() => {});
    }, LIMITS.clientRenewMs);
  }

  /**
   * Ends the lease, if there is one.
   * @param bytes received and produced bytes that were not counted at the start
   */
  end(bytes: number): void {
    clearInterval(this.#renewing);
    const { client, limiter, waitUntil, log } = this.#holder;
    if (!limiter || (this.#lease === undefined && bytes === 0)) return;
    const leaving = limiter.release(client, this.#lease, bytes);
    waitUntil(leaving.catch((error) => log("limiter unavailable", { error: String(error) })));
  }
}
