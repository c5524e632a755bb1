// Storage contract of per-client limits. Each call is atomic, so the counts are exact for any number of concurrent
// requests and processes. A call is not repeated if its result was lost, because acquire, release and store would count
// twice. All implementations pass test/support/limiter-conformance.ts.

/** Limits of one client. A missing limit does not apply. */
export interface Limits {
  /** Requests within any 60 seconds. */
  readonly requestsPerMinute?: number;
  /** Jobs at the same time. */
  readonly concurrentJobs?: number;
  /** Total size of request bodies and outputs within one day (UTC), in units of 2^20 bytes. */
  readonly megabytesPerDay?: number;
  /** Total size of the stored files, in units of 2^20 bytes. */
  readonly storedMegabytes?: number;
}

export type LimitName = keyof Limits;

/** The properties of a request that limits depend on. */
export interface LimitRequest {
  /** True if the request runs a job. */
  readonly isJob: boolean;
  /** Size of the request body. */
  readonly bytes: number;
}

/** The remaining part of a limit. */
export interface Remaining {
  /** Number of requests, jobs or bytes. */
  readonly count: number;
  /** Time until the whole limit is available again. Missing for jobs, and for files that never expire. */
  readonly seconds?: number;
}

export type RemainingLimits = Partial<Readonly<Record<LimitName, Remaining>>>;

export interface LimitDecision {
  /** The limit that the request would exceed. A rejected request is not counted against any limit. */
  readonly rejected?: { readonly limit: LimitName; readonly retryAfterSeconds: number };
  /** Set if the request counts as a job. It counts until it releases this lease. */
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
  /** Counts a request, unless it would exceed a limit. @param client name under which the client is counted */
  acquire(client: string, limits: Limits, request: LimitRequest): Promise<LimitDecision>;
  /** Renews a lease before it expires. Has no effect on an expired lease. */
  renew(client: string, lease: string): Promise<void>;
  /** Ends the lease, if the request has one, and counts further bytes of the request. */
  release(client: string, lease: string | undefined, bytes: number): Promise<void>;
  /** Counts bytes as stored until they expire or are subtracted, unless they would exceed the limit. */
  store(client: string, megabytes: number, stored: StoredBytes): Promise<LimitDecision>;
  /** Subtracts bytes that were counted, but not stored. */
  giveBack(client: string, stored: StoredBytes): Promise<void>;
  /** Subtracts the bytes of deleted files. If several requests delete the same file, it is subtracted once. */
  removed(client: string, files: readonly RemovedFile[]): Promise<void>;
  /** Returns the remaining limits, without counting anything. */
  peek(client: string, limits: Limits): Promise<RemainingLimits>;
}
