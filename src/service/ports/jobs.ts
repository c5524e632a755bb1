// Declares what the service asks of the queue of asynchronous jobs. Cloudflare's is a Durable Object (src/jobs), the
// host's a database (host/storage).

/** The receiver of the message about one job. */
export interface Webhook {
  readonly url: string;
  /** Name of the record in API_KEYS with the signing secret. */
  readonly signer: string;
}

/** A request that has been accepted, and is carried out later. */
export interface NewJob {
  /** Version 4 UUID, by which the client asks for its status. */
  readonly id: string;
  /** Path of the endpoint. */
  readonly path: string;
  /** The form as text (http/deferred-form.ts). */
  readonly form: string;
  /** Prefix of the URLs of the answer, without a path. */
  readonly baseUrl: string;
  /** Identifier of the client. */
  readonly client: string;
  /** Hash of the token that cancels the job. @default only its client does */
  readonly token?: string;
  /** Ids of the files that arrived with the request. They are removed if the job fails. */
  readonly inputs: readonly string[];
  /** True if the inputs are removed in any case. */
  readonly isTransient: boolean;
  /** Who is told of the end. @default nobody */
  readonly webhook?: Webhook;
}

/** A job that a runner carries out. */
export interface LeasedJob extends Pick<NewJob, "id" | "path" | "form" | "baseUrl" | "client"> {
  /** Distinguishes the attempts to carry out the job. */
  readonly attempt: number;
  /** Secret from which the ids of the attempt's files are derived. */
  readonly seed: string;
}

export type AttemptId = Pick<LeasedJob, "id" | "attempt">;

export interface Progress {
  readonly pagesDone: number;
  readonly pagesTotal: number;
}

/** The sentence and the status of an error. */
export interface JobError {
  readonly error: string;
  readonly errorStatus: number;
}

/** The state of a job as its client sees it. The answer of a completed job is JSON text. */
export type JobStatus =
  | { readonly status: "pending"; readonly phase: "waiting"; readonly position: number }
  | ({ readonly status: "pending"; readonly phase: "running" } & Partial<Progress>)
  | { readonly status: "completed"; readonly answer: string }
  | ({ readonly status: "failed" } & JobError);

/** Who may cancel a job, as the marks of a file tell who may remove it. */
export interface JobMarks {
  readonly owner: string;
  readonly token?: string;
}

/** Changes are durable when their promise resolves. Every question may be asked twice. */
export interface JobQueue {
  /** @returns false if too many jobs wait */
  enqueue(job: NewJob): Promise<boolean>;
  /** Stores the answer of a request that has been carried out already. @param outputs ids of the files it stored */
  record(job: NewJob, answer: string): Promise<void>;
  /** @returns undefined if there is no such job */
  status(id: string): Promise<JobStatus | undefined>;
  /** @returns who may cancel a job; undefined if there is no such job */
  marks(id: string): Promise<JobMarks | undefined>;
  /** Cancels a job and removes what was stored for it. @returns false if there is no such job */
  cancel(id: string): Promise<boolean>;

  /** Renews the lease of an attempt. @returns false if the attempt must stop */
  renew(attempt: AttemptId, progress?: Progress): Promise<boolean>;
  /** Notes that an attempt may use that many derived ids. @returns false if the attempt must stop */
  reserve(attempt: AttemptId, ids: number): Promise<boolean>;
  /** @returns false if the answer does not count, and its files must not remain */
  complete(attempt: AttemptId, answer: string): Promise<boolean>;
  fail(attempt: AttemptId, error: JobError): Promise<void>;
  /** Puts a job back for which there was no capacity. @param error is the job's if that happens too often */
  postpone(attempt: AttemptId, error: JobError): Promise<void>;
}

export interface JobQueues {
  getByName(name: string): JobQueue;
}
