// Storage contract of per-client limits. Each call is atomic: counts are exact however many requests and processes call at
// the same time. A call whose result is lost is not repeated, because acquire, release and store count. All
// implementations pass test/support/limiter-conformance.ts.

/** Limits of one client. One that is absent does not apply. */
export interface Limits {
  /** Requests within any 60 seconds. */
  readonly requestsPerMinute?: number;
  /** Jobs at the same time. */
  readonly concurrentJobs?: number;
  /** Size of the bodies and the outputs of requests within a day of UTC, in units of 2^20 bytes. */
  readonly megabytesPerDay?: number;
  /** Total size of the stored files, in units of 2^20 bytes. */
  readonly storedMegabytes?: number;
}

export type LimitName = keyof Limits;

/** The part of a request that counts. */
export interface LimitRequest {
  /** True if the request runs a job. */
  readonly isJob: boolean;
  /** Size of its body. */
  readonly bytes: number;
}

/** The remaining part of a limit. */
export interface Remaining {
  /** Requests, jobs or bytes. */
  readonly count: number;
  /** Time until the whole limit is available again; absent for jobs, and for files that never expire. */
  readonly seconds?: number;
}

export type RemainingLimits = Partial<Readonly<Record<LimitName, Remaining>>>;

export interface LimitDecision {
  /** The reached limit. Nothing of a rejected request counts. */
  readonly rejected?: { readonly limit: LimitName; readonly retryAfterSeconds: number };
  /** Set if the request counts as a job until it releases the lease. */
  readonly lease?: string;
  readonly left: RemainingLimits;
}

/** Bytes of files that expire at the same time. */
export interface StoredBytes {
  readonly bytes: number;
  /** Time in milliseconds since 1970. @default never */
  readonly expires?: number | undefined;
}

/** A deleted file. */
export interface RemovedFile extends StoredBytes {
  readonly id: string;
}

export interface Limiter {
  /** Counts a request, unless a limit is reached. @param client name under which the limits count */
  acquire(client: string, limits: Limits, request: LimitRequest): Promise<LimitDecision>;
  /** Renews a lease before it expires. Without effect on an expired lease. */
  renew(client: string, lease: string): Promise<void>;
  /** Ends a lease, if there is one, and counts further bytes of the request. */
  release(client: string, lease: string | undefined, bytes: number): Promise<void>;
  /** Counts bytes as stored until they expire or are subtracted, unless the limit is reached. */
  store(client: string, megabytes: number, stored: StoredBytes): Promise<LimitDecision>;
  /** Subtracts bytes that were counted, but not stored. */
  giveBack(client: string, stored: StoredBytes): Promise<void>;
  /** Subtracts the bytes of counted files. A file that several requests delete is subtracted once. */
  removed(client: string, files: readonly RemovedFile[]): Promise<void>;
  /** Returns the remaining limits, without counting anything. */
  peek(client: string, limits: Limits): Promise<RemainingLimits>;
}
