// Declares what counts requests against the limits of a client: a Durable Object for each client, or the database of
// the host.

/** Limits of one client. One that is absent does not apply. */
export interface Limits {
  /** Requests within any 60 seconds. */
  readonly requestsPerMinute?: number;
  /** Jobs at the same time. */
  readonly concurrentJobs?: number;
  /** Size of the bodies and the outputs of requests within a day of UTC, in units of 2^20 bytes. */
  readonly megabytesPerDay?: number;
  /** Size of the files that are stored at the same time, in units of 2^20 bytes. */
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

/** What is left of a limit. */
export interface Remaining {
  /** Requests, jobs or bytes. */
  readonly count: number;
  /** Time until the whole limit is there again; absent for jobs, and for files that stay for ever. */
  readonly seconds?: number;
}

export type RemainingLimits = Partial<Readonly<Record<LimitName, Remaining>>>;

export interface LimitDecision {
  /** The limit that is reached, in which case nothing of the request counted. */
  readonly rejected?: { readonly limit: LimitName; readonly retryAfterSeconds: number };
  /** Set if the request holds a job until it leaves. */
  readonly lease?: string;
  readonly left: RemainingLimits;
}

/** Bytes of files that end at the same time. */
export interface StoredBytes {
  readonly bytes: number;
  /** Time in milliseconds. @default never */
  readonly expires?: number | undefined;
}

/** A file that was removed. */
export interface RemovedFile extends StoredBytes {
  readonly id: string;
}

/** Counts exactly, however many requests and processes ask at the same time. */
export interface Limiter {
  /** @param client name of whoever the limits apply to */
  acquire(client: string, limits: Limits, asked: LimitRequest): Promise<LimitDecision>;
  /** Keeps a lease, which otherwise ends by itself. */
  renew(client: string, lease: string): Promise<void>;
  /**
   * Ends a lease, if there is one, and counts further bytes that the request took.
   */
  release(client: string, lease: string | undefined, bytes: number): Promise<void>;
  /** Counts bytes as stored until they end or are given back, all or none of them. */
  store(client: string, megabytes: number, stored: StoredBytes): Promise<LimitDecision>;
  /** Gives back bytes that were counted, but have not remained. */
  giveBack(client: string, stored: StoredBytes): Promise<void>;
  /** Gives back the bytes of files that were counted. A file that several requests remove counts once. */
  removed(client: string, files: readonly RemovedFile[]): Promise<void>;
  /** Returns what is left, without counting anything. */
  peek(client: string, limits: Limits): Promise<RemainingLimits>;
}
