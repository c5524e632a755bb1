// The limiter of a host: applies the calls of the port to the counts of a client, which subclasses store.

import type {
  LimitDecision,
  Limiter,
  LimitRequest,
  Limits,
  RemainingLimits,
  RemovedFile,
  StoredBytes,
} from "../ports/limiter.ts";
import type { ClientCounts } from "./client-counts.ts";

export abstract class CountingLimiter implements Limiter {
  /** Returns the counts of a client, which nobody changes. */
  protected abstract countsOf(client: string): ClientCounts | Promise<ClientCounts>;

  /**
   * Changes the counts of a client, which no other process changes meanwhile.
   * @param isOwed true if the change is made later if the store is away, because it is about something that has
   *   happened
   */
  protected abstract change<T>(client: string, apply: (counts: ClientCounts) => T, isOwed?: boolean): T | Promise<T>;

  async acquire(client: string, limits: Limits, request: LimitRequest): Promise<LimitDecision> {
    return this.change(client, (counts) => counts.ask(limits, request));
  }

  async renew(client: string, lease: string): Promise<void> {
    return this.change(client, (counts) => counts.renew(lease));
  }

  async release(client: string, lease: string | undefined, bytes: number): Promise<void> {
    return this.change(client, (counts) => counts.leave(lease, bytes), true);
  }

  async store(client: string, megabytes: number, stored: StoredBytes): Promise<LimitDecision> {
    return this.change(client, (counts) => counts.store(megabytes, stored));
  }

  async giveBack(client: string, stored: StoredBytes): Promise<void> {
    return this.change(client, (counts) => counts.giveBack(stored), true);
  }

  async removed(client: string, files: readonly RemovedFile[]): Promise<void> {
    return this.change(client, (counts) => counts.removed(files), true);
  }

  async peek(client: string, limits: Limits): Promise<RemainingLimits> {
    return (await this.countsOf(client)).peek(limits);
  }
}
