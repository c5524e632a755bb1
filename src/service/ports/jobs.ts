// Contract of asynchronous jobs between requests, runners and the queue.

/** The receiver of the webhook of one job. */
export interface Webhook {
  readonly url: string;
  /** Name of the record in API_KEYS with the signing secret. */
  readonly signer: string;
}

/** An accepted request that runs later. */
export interface NewJob {
  /** UUID (version 4) with which the client requests the status. */
  readonly id: string;
  /** Path of the endpoint. */
  readonly path: string;
  /** The form as JSON (src/service/http/async/deferred-form.ts). */
  readonly form: string;
  /** Base URL of the service, with which URLs in the response start. */
  readonly baseUrl: string;
  /** Client ID. */
  readonly client: string;
  /** Hash of the delete token, with which anyone can cancel the job. @default only the client can cancel it */
  readonly token?: string;
  /** IDs of the files received with the request. They are deleted if the job fails or is canceled. */
  readonly inputs: readonly string[];
  /** True if the inputs are deleted even when the job completes. */
  readonly isTransient: boolean;
  /** @default no webhook */
  readonly webhook?: Webhook;
}

/** One attempt to run a job. */
export interface LeasedJob extends Pick<NewJob, "id" | "path" | "form" | "baseUrl" | "client"> {
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** Secret from which the IDs of the attempt's files are derived. */
  readonly seed: string;
}

export type AttemptId = Pick<LeasedJob, "id" | "attempt">;

/** The progress of a job: completed pages, or completed steps of the request. */
export interface Progress {
  readonly pagesDone?: number;
  readonly pagesTotal?: number;
  readonly stepsDone?: number;
  readonly stepsTotal?: number;
}

/** Message and HTTP status of an error. */
export interface JobError {
  readonly error: string;
  readonly errorStatus: number;
}

/**
 * The state of a job, as its client reads it. `position` is the place in the queue, from 1; `answer` is the response as
 * JSON text.
 */
export type JobStatus =
  | { readonly status: "pending"; readonly phase: "waiting"; readonly position: number }
  | ({ readonly status: "pending"; readonly phase: "running" } & Partial<Progress>)
  | { readonly status: "completed"; readonly answer: string }
  | ({ readonly status: "failed" } & JobError);

/** The owner and token that can cancel a job. A file policy has the same fields, for deletion. */
export interface JobMarks {
  readonly owner: string;
  readonly token?: string;
}

/**
 * The queue from the view of requests and runners. Every call is idempotent, because callers repeat a call if its
 * result was lost.
 */
export interface JobQueue {
  /**
   * Adds a job, unless it exists. Jobs of different clients alternate.
   * @returns false if the queue is full, or if the client already has as many queued jobs as the queue has free places
   */
  enqueue(job: NewJob): Promise<boolean>;
  /**
   * Stores the response of a request that has already run, as a completed job. Only the first response of a job is
   * stored.
   */
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
  /** Records that an attempt might use up to `ids` derived IDs. @returns false if the attempt must stop */
  reserve(attempt: AttemptId, ids: number): Promise<boolean>;
  /** @returns false if the attempt lost its lease: its response is ignored, and its files are deleted */
  complete(attempt: AttemptId, response: string): Promise<boolean>;
  /** Records that a job failed. Has no effect if the attempt lost its lease. */
  fail(attempt: AttemptId, error: JobError): Promise<void>;
  /** Requeues a job for which there was no capacity. @param error the job's error if it was postponed too often */
  postpone(attempt: AttemptId, error: JobError): Promise<void>;
}

export interface JobQueues {
  getByName(name: string): JobQueue;
}
