// Counts the requests, jobs and bytes of one client in memory. Callers store the counts, and run each method in a
// transaction.

import { LIMITS } from "../../document/contract/limits.ts";
import type {
  LimitDecision,
  LimitName,
  LimitRequest,
  Limits,
  RemainingLimits,
  RemovedFile,
  StoredBytes,
} from "../ports/limiter.ts";
import { dayOf } from "../ports/usage.ts";
import { type Amounts, type Counted, CountedSum, LIMIT_NAMES, NOTHING, WINDOW_SECONDS } from "./counted.ts";
import { type SerializedStored, StoredCounts } from "./stored-counts.ts";

/** The stored counts, as JSON. */
export interface SerializedCounts {
  /** Requests by second, oldest first. */
  readonly seconds: readonly (readonly [second: number, requests: number])[];
  /** For the lease of each job, the time until which the job counts, in milliseconds since 1970. */
  readonly leases: readonly (readonly [lease: string, until: number])[];
  /** Day on which `bytes` were counted. */
  readonly day: string;
  readonly bytes: number;
  /** Missing if the client has no stored files. */
  readonly stored?: SerializedStored;
}

export interface CountsOptions {
  /** @default Date.now */
  now?(): number;
  /** Returns what counts for the client elsewhere. @default nothing */
  others?(): readonly Counted[];
  /** Time for which expired counts are kept, for another process whose clock is behind. @default 0 */
  readonly lateMs?: number;
}

export class ClientCounts {
  readonly #now: () => number;
  readonly #others: () => readonly Counted[];
  readonly #lateMs: number;
  readonly #seconds: Map<number, number>;
  readonly #leases: Map<string, number>;
  #day: string;
  #bytes: number;
  /** Bytes of the previous day, unless it ended before this process started. */
  #before: Counted["days"] = [];
  readonly #stored: StoredCounts;

  constructor(serialized?: SerializedCounts, { now = Date.now, others = () => [], lateMs = 0 }: CountsOptions = {}) {
    this.#now = now;
    this.#others = others;
    this.#lateMs = lateMs;
    this.#seconds = new Map(serialized?.seconds);
    this.#leases = new Map(serialized?.leases);
    this.#day = serialized?.day ?? "";
    this.#bytes = serialized?.bytes ?? 0;
    this.#stored = new StoredCounts(serialized?.stored, () => now() - lateMs);
  }

  get kept(): SerializedCounts {
    return {
      ...{ seconds: [...this.#seconds], leases: [...this.#leases], day: this.#day, bytes: this.#bytes },
      ...(this.#stored.isEmpty ? {} : { stored: this.#stored.kept }),
    };
  }

  /** True if all counts have expired. */
  get isEmpty(): boolean {
    this.#forget();
    return this.#seconds.size === 0 && this.#leases.size === 0 && this.#bytes === 0 && this.#stored.isEmpty;
  }

  /** What counts here, without what counts elsewhere. */
  get counted(): Counted {
    this.#forget();
    const days = [...this.#before, [this.#day, this.#bytes] as const];
    return { seconds: [...this.#seconds], jobs: this.#leases.size, days, hours: this.#stored.hours };
  }

  /** Number of jobs that count here. */
  get jobs(): number {
    this.#forget();
    return this.#leases.size;
  }

  ask(limits: Limits, request: LimitRequest): LimitDecision {
    const sum = this.#sum();
    const wanted = wantedBy(request);
    for (const limit of LIMIT_NAMES) {
      const retryAfterSeconds = sum.retryAfter(limits, limit, wanted[limit]);
      if (retryAfterSeconds !== undefined) return { rejected: { limit, retryAfterSeconds }, left: sum.left(limits) };
    }
    const lease = this.add(limits, request);
    return { ...(lease === undefined ? {} : { lease }), left: this.peek(limits) };
  }

  /** Counts a request, even over a limit. @returns the lease, if the request counts as a job */
  add(limits: Limits, { isJob, bytes }: LimitRequest): string | undefined {
    this.#forget();
    const second = Math.floor(this.#now() / 1000);
    if (limits.requestsPerMinute !== undefined) this.#seconds.set(second, (this.#seconds.get(second) ?? 0) + 1);
    if (limits.megabytesPerDay !== undefined) this.#bytes += bytes;
    if (limits.concurrentJobs === undefined || !isJob) return undefined;
    const lease = crypto.randomUUID();
    this.#leases.set(lease, this.#now() + LIMITS.clientLeaseMs);
    return lease;
  }

  renew(lease: string): void {
    this.#forget();
    if (this.#leases.has(lease)) this.#leases.set(lease, this.#now() + LIMITS.clientLeaseMs);
  }

  leave(lease: string | undefined, bytes: number): void {
    this.#forget();
    if (lease !== undefined) this.#leases.delete(lease);
    this.#bytes += bytes;
  }

  store(megabytes: number, stored: StoredBytes): LimitDecision {
    const limits = { storedMegabytes: megabytes };
    const retryAfterSeconds = this.retryAfter(limits, "storedMegabytes", stored.bytes);
    if (retryAfterSeconds === undefined) this.addStored(stored);
    const rejected =
      retryAfterSeconds === undefined ? {} : { rejected: { limit: "storedMegabytes", retryAfterSeconds } };
    return { ...(rejected as Pick<LimitDecision, "rejected">), left: this.peek(limits) };
  }

  /** Counts stored bytes, even over the limit. */
  addStored(stored: StoredBytes): void {
    this.#stored.add(stored);
  }

  giveBack(stored: StoredBytes): void {
    this.#stored.subtract(stored);
  }

  removed(files: readonly RemovedFile[]): void {
    this.#stored.removed(files);
  }

  peek(limits: Limits): RemainingLimits {
    return this.#sum().left(limits);
  }

  /** @returns undefined if the limit allows the amount; otherwise the seconds until it might allow it */
  retryAfter(limits: Limits, limit: LimitName, amount: number): number | undefined {
    return this.#sum().retryAfter(limits, limit, amount);
  }

  #sum(): CountedSum {
    return new CountedSum([this.counted, ...this.#others()], this.#now());
  }

  /** Deletes expired counts. */
  #forget(): void {
    const now = this.#now();
    const first = Math.floor((now - this.#lateMs) / 1000) - WINDOW_SECONDS;
    for (const second of this.#seconds.keys()) if (second <= first) this.#seconds.delete(second);
    for (const [lease, until] of this.#leases) if (until <= now) this.#leases.delete(lease);
    const today = dayOf(now);
    // A corrected clock can return to the previous day.
    if (this.#day >= today) return;
    this.#before = [[this.#day, this.#bytes]];
    this.#day = today;
    this.#bytes = 0;
  }
}

/** Returns the amounts that a request needs. At the limit of bytes, even a request without a body is rejected. */
export const wantedBy = ({ isJob, bytes }: LimitRequest): Amounts => ({
  ...NOTHING,
  requestsPerMinute: 1,
  megabytesPerDay: Math.max(1, bytes),
  concurrentJobs: isJob ? 1 : 0,
});
