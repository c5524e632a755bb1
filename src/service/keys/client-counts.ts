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
import { type SerializedStored, StoredCounts } from "./stored-counts.ts";

const MB = 2 ** 20;
const DAY_SECONDS = 86_400;
/**
 * Requests are counted per calendar second. The window has 61 calendar seconds, so that no period of 60 s contains more
 * requests than the limit.
 */
const WINDOW_SECONDS = 61;
/** Retry-After at the limit of concurrent jobs. It is a guess, because the end of a job is unknown. */
const JOB_RETRY_SECONDS = 2;

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

export class ClientCounts {
  readonly #now: () => number;
  readonly #seconds: Map<number, number>;
  readonly #leases: Map<string, number>;
  #day: string;
  #bytes: number;
  readonly #stored: StoredCounts;

  constructor(serialized?: SerializedCounts, now: () => number = Date.now) {
    this.#now = now;
    this.#seconds = new Map(serialized?.seconds);
    this.#leases = new Map(serialized?.leases);
    this.#day = serialized?.day ?? "";
    this.#bytes = serialized?.bytes ?? 0;
    this.#stored = new StoredCounts(serialized?.stored, now);
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

  ask(limits: Limits, request: LimitRequest): LimitDecision {
    this.#forget();
    const rejected = this.#refusal(limits, request);
    if (rejected) return { rejected, left: this.#left(limits) };
    const second = this.#second();
    if (limits.requestsPerMinute !== undefined) this.#seconds.set(second, (this.#seconds.get(second) ?? 0) + 1);
    if (limits.megabytesPerDay !== undefined) this.#bytes += request.bytes;
    if (limits.concurrentJobs === undefined || !request.isJob) return { left: this.#left(limits) };
    const lease = crypto.randomUUID();
    this.#leases.set(lease, this.#now() + LIMITS.clientLeaseMs);
    return { lease, left: this.#left(limits) };
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
    const retryAfterSeconds = this.#stored.add(megabytes * MB, stored);
    const left = this.#left(limits);
    return retryAfterSeconds === undefined
      ? { left }
      : { rejected: { limit: "storedMegabytes", retryAfterSeconds }, left };
  }

  giveBack(stored: StoredBytes): void {
    this.#stored.subtract(stored);
  }

  removed(files: readonly RemovedFile[]): void {
    this.#stored.removed(files);
  }

  peek(limits: Limits): RemainingLimits {
    this.#forget();
    return this.#left(limits);
  }

  /** Deletes expired counts. */
  #forget(): void {
    const [now, first] = [this.#now(), this.#second() - WINDOW_SECONDS];
    for (const second of this.#seconds.keys()) if (second <= first) this.#seconds.delete(second);
    for (const [lease, until] of this.#leases) if (until <= now) this.#leases.delete(lease);
    const today = dayOf(now);
    if (this.#day !== today) this.#bytes = 0;
    this.#day = today;
  }

  #second(): number {
    return Math.floor(this.#now() / 1000);
  }

  get #requests(): number {
    return [...this.#seconds.values()].reduce((sum, requests) => sum + requests, 0);
  }

  #refusal(limits: Limits, { isJob, bytes }: LimitRequest): LimitDecision["rejected"] {
    const { requestsPerMinute, concurrentJobs, megabytesPerDay } = limits;
    const refused = (limit: LimitName, retryAfterSeconds: number) => ({ limit, retryAfterSeconds });
    if (requestsPerMinute !== undefined && this.#requests >= requestsPerMinute) {
      return refused("requestsPerMinute", this.#secondsUntilRoom(requestsPerMinute));
    }
    // At the limit, even a request without a body is rejected.
    if (megabytesPerDay !== undefined && this.#bytes + Math.max(1, bytes) > megabytesPerDay * MB) {
      return refused("megabytesPerDay", this.#secondsOfDay());
    }
    if (concurrentJobs !== undefined && isJob && this.#leases.size >= concurrentJobs) {
      return refused("concurrentJobs", JOB_RETRY_SECONDS);
    }
    return undefined;
  }

  /** Returns the seconds until the limit allows another request. */
  #secondsUntilRoom(limit: number): number {
    let left = this.#requests;
    for (const [second, requests] of this.#seconds) {
      left -= requests;
      if (left < limit) return Math.max(1, second + WINDOW_SECONDS - this.#second());
    }
    return WINDOW_SECONDS;
  }

  #secondsOfDay(): number {
    return DAY_SECONDS - (this.#second() % DAY_SECONDS);
  }

  #left({ requestsPerMinute, concurrentJobs, megabytesPerDay, storedMegabytes }: Limits): RemainingLimits {
    const last = [...this.#seconds.keys()].at(-1);
    const seconds = last === undefined ? 0 : last + WINDOW_SECONDS - this.#second();
    const rest = (limit: number, count: number) => Math.max(0, limit - count);
    return {
      ...(requestsPerMinute === undefined
        ? {}
        : { requestsPerMinute: { count: rest(requestsPerMinute, this.#requests), seconds } }),
      ...(concurrentJobs === undefined ? {} : { concurrentJobs: { count: rest(concurrentJobs, this.#leases.size) } }),
      ...(megabytesPerDay === undefined
        ? {}
        : { megabytesPerDay: { count: rest(megabytesPerDay * MB, this.#bytes), seconds: this.#secondsOfDay() } }),
      ...(storedMegabytes === undefined ? {} : { storedMegabytes: this.#stored.left(storedMegabytes * MB) }),
    };
  }
}
