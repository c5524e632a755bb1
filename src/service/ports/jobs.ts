// Contract of asynchronous jobs between requests, runners and the queue.

/** The receiver of the webhook of one job. */
export interface Webhook {
  readonly url: string;
  /** Name of the record in API_KEYS with the signing secret. */
  readonly signer: string;
}

/** An accepted request that runs later. */
export interface NewJob {
  /** Version 4 UUID, with which the client reads the status. */
  readonly id: string;
  /** Path of the endpoint. */
  readonly path: string;
  /** The form as text (http/deferred-form.ts). */
  readonly form: string;
  /** Prefix of the URLs in the response, without a path. */
  readonly baseUrl: string;
  /** Client ID. */
  readonly client: string;
  /** Hash of the token that cancels the job. @default only the client cancels it */
  readonly token?: string;
  /** IDs of the files received with the request. A failed or canceled job deletes them. */
  readonly inputs: readonly string[];
  /** True if a completed job deletes the inputs, too. */
  readonly isTransient: boolean;
  /** @default no webhook */
  readonly webhook?: Webhook;
}

/** One attempt to run a job. */
export interface LeasedJob extends Pick<NewJob, "id" | "path" | "form" | "baseUrl" | "client"> {
  /** From 1. Distinguishes the attempts of a job. */
  readonly attempt: number;
  /** Secret from which the IDs of the attempt's files are derived. */
  readonly seed: string;
}

export type AttemptId = Pick<LeasedJob, "id" | "attempt">;

export interface Progress {
  readonly pagesDone: number;
  readonly pagesTotal: number;
}

/** Message and HTTP status of an error. */
export interface JobError {
  readonly error: string;
  readonly errorStatus: number;
}

/** The state of a job as its client sees it. `position` counts from 1; `answer` is the response as JSON text. */
export type JobStatus =
  | { readonly status: "pending"; readonly phase: "waiting"; readonly position: number }
  | ({ readonly status: "pending"; readonly phase: "running" } & Partial<Progress>)
  | { readonly status: "completed"; readonly answer: string }
  | ({ readonly status: "failed" } & JobError);

/** Authorizes cancellation, as a file policy authorizes deletion. */
export interface JobMarks {
  readonly owner: string;
  readonly token?: string;
}

/**
 * The queue, as requests and runners use it. Callers repeat calls whose result was lost: a repetition changes nothing.
 */
export interface JobQueue {
  /**
   * Adds a job, unless it exists. Jobs of different clients alternate.
   * @returns false if the queue is full, or the client has as many queued jobs as are left for all others
   */
  enqueue(job: NewJob): Promise<boolean>;
  /** Stores the response of a request that ran already. The first response of a job counts. */
  record(job: NewJob, response: string): Promise<void>;
  /** @returns undefined if the job is unknown, canceled or expired */
  status(id: string): Promise<JobStatus | undefined>;
  /** @returns undefined if the job is unknown, canceled or expired */
  marks(id: string): Promise<JobMarks | undefined>;
  /**
   * Cancels a job in any state and schedules the deletion of its files. A running job keeps its slot, and its files
   * remain, until its attempt ends or its lease expires.
   * @returns false if the job is unknown or canceled
   */
  cancel(id: string): Promise<boolean>;

  /** Renews the lease of an attempt. @returns false if the attempt must stop */
  renew(attempt: AttemptId, progress?: Progress): Promise<boolean>;
  /** Records that an attempt might use that many derived IDs. @returns false if the attempt must stop */
  reserve(attempt: AttemptId, ids: number): Promise<boolean>;
  /** @returns false if the attempt lost its lease: its response does not count, and its files are deleted */
  complete(attempt: AttemptId, response: string): Promise<boolean>;
  /** Without effect if the attempt lost its lease. */
  fail(attempt: AttemptId, error: JobError): Promise<void>;
  /** Requeues a job for which there was no capacity. @param error becomes the job's error if that happens too often */
  postpone(attempt: AttemptId, error: JobError): Promise<void>;
}

export interface JobQueues {
  getByName(name: string): JobQueue;
}
