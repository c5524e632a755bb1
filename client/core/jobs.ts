// Runs a job at the service: submits the job, follows its status, and cancels it.

import { backoffMs, delay, raceAbort } from "./backoff.ts";
import { CANCEL_TIMEOUT_MS, type Connection, json } from "./connection.ts";
import { errorSaying, isTemporary, PagewrightError } from "./error.ts";
import { eventsIn } from "./events.ts";
import type { CallOptions } from "./progress.ts";

/** The JSON response of an operation (docs/api.md#responses). */
export interface JobResponse {
  /** Missing, like `outputId`, if the operation returns data. The response then contains the members of the data. */
  readonly outputUrl?: string | readonly string[];
  readonly outputId?: string | readonly string[];
  readonly inputId?: string | readonly string[];
  readonly outputSize?: number;
  readonly inputSize?: number;
  /** Set if the job ran asynchronously. */
  readonly requestId?: string;
  readonly notices?: readonly string[];
  readonly substitutedFonts?: readonly {
    readonly name: string;
    readonly replacedBy?: string;
    readonly sameWidths?: boolean;
  }[];
}

type Status =
  | ({ readonly status: "completed" } & JobResponse)
  | { readonly status: "failed"; readonly error: string; readonly errorStatus?: number }
  | {
      readonly status: "pending";
      readonly requestId?: string;
      readonly phase?: "waiting" | "running";
      readonly position?: number;
      readonly pagesDone?: number;
      readonly pagesTotal?: number;
      readonly stepsDone?: number;
      readonly stepsTotal?: number;
    };

/** Maximum time without a status event or heartbeat. */
const SILENCE_MS = 60_000;
/** Time limit of a synchronous request, which takes as long as its job. */
const ANSWER_LIMIT_MS = 1_800_000;
/** Time for which a canceled call waits in the background until the service accepts its job, which is then canceled. */
const ACCEPTANCE_LIMIT_MS = 30_000;
const POLL_MS = 1_000;

/** Error of a service that cannot encrypt the secrets of a queued request, and can run the request synchronously. */
const CANNOT_QUEUE_SECRETS = /^The service has no secret to encrypt secret fields with\b/;

/**
 * Runs an operation. If the service has lost the job, submits it again.
 * @param body the JSON body of the request
 */
export async function runOperation(
  connection: Connection,
  path: string,
  body: Readonly<Record<string, unknown>>,
  options: CallOptions,
): Promise<JobResponse> {
  for (let attempt = 1; ; attempt++) {
    try {
      if (!options.async) return await post(connection, path, body, options.signal);
      const started = await submit(connection, path, body, options.signal).catch((error) => {
        if (!CANNOT_QUEUE_SECRETS.test((error as Error).message)) throw error;
        return post(connection, path, body, options.signal);
      });
      return typeof started === "string" ? await follow(connection, started, options) : started;
    } catch (error) {
      // Only lost jobs are retried here. A failed submission has already been retried.
      if (!(error instanceof JobLost) || attempt > connection.retries) throw error;
      await delay(backoffMs(attempt - 1, undefined), options.signal);
    }
  }
}

class JobLost extends PagewrightError {}

/**
 * Generates a random Idempotency-Key. With it, the service runs the job only once, even if the request arrives several
 * times.
 */
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"));

const callOf = (body: object, signal: AbortSignal | undefined, headers: Readonly<Record<string, string>> = {}) => ({
  method: "POST",
  headers: {
    Accept: "application/json",
    "Content-Type": "application/json",
    "Idempotency-Key": newKey().join(""),
    ...headers,
  },
  body: JSON.stringify(body),
  signal,
  limitMs: ANSWER_LIMIT_MS,
});

const post = (
  connection: Connection,
  path: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<JobResponse> => connection.request(path, callOf(body, signal), json<JobResponse>);

/** Submits a job. @returns the request ID, or the response if the service has run the job synchronously */
async function submit(
  connection: Connection,
  path: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<string | JobResponse> {
  // The request does not use the caller's signal: if it were aborted, the ID of an accepted job would be lost, and the
  // job could not be canceled.
  const leaving = new AbortController();
  const call = callOf(body, leaving.signal, { Prefer: "respond-async" });
  const submission = connection.request(path, call, async (response) => {
    const answer = await json<JobResponse & { requestId?: string }>(response);
    return answer.requestId ?? answer;
  });
  try {
    return await raceAbort(submission, signal);
  } catch (error) {
    if (signal?.aborted) {
      const settled = new AbortController();
      const cancellation = submission
        .then((answer) => Promise.all(storedPaths(answer, body).map((path) => connection.discard(path))))
        .catch(() => {})
        .finally(() => settled.abort());
      await Promise.race([cancellation, delay(CANCEL_TIMEOUT_MS, settled.signal).catch(() => {})]);
      // Also cancels a job that is accepted after the abort.
      delay(ACCEPTANCE_LIMIT_MS, settled.signal).then(
        () => leaving.abort(),
        () => {},
      );
    }
    throw error;
  }
}

const statusPath = (requestId: string) => `/request-status/${requestId}`;

/** Returns the paths to delete for a submitted job: its status, or the stored files if it ran synchronously. */
function storedPaths(answer: string | Partial<JobResponse>, body: object): string[] {
  if (typeof answer === "string") return [statusPath(answer)];
  const { outputId = [], inputId = [] } = answer;
  return [outputId, "url" in body ? inputId : []].flat(2).map((id) => `/resource/${id}`);
}

/** Follows the status of a job until the job ends. Reconnects after a broken connection. */
async function follow(connection: Connection, requestId: string, options: CallOptions): Promise<JobResponse> {
  const { signal } = options;
  try {
    for (let failures = 0; ; ) {
      let heard = false;
      try {
        for await (const status of statuses(connection, requestId, signal)) {
          heard = true;
          const answer = answerIn(status, requestId, options);
          if (answer) return answer;
        }
      } catch (error) {
        if (!isTemporary(error) || error instanceof JobLost) throw error;
        failures = heard ? 1 : failures + 1;
        if (failures > connection.retries) throw error;
      }
      await delay(failures > 0 ? backoffMs(failures - 1, undefined) : POLL_MS, signal);
    }
  } catch (error) {
    if (signal?.aborted) await connection.discard(statusPath(requestId));
    throw error;
  }
}

/** @returns the response of a completed job; undefined while the job is queued or running */
function answerIn(status: Status, requestId: string, { onProgress }: CallOptions): JobResponse | undefined {
  if (status.status === "completed") {
    const { status: _, ...response } = status;
    return response;
  }
  if (status.status === "failed") {
    const error = errorSaying(status.errorStatus ?? 500, status.error, { requestId });
    throw isTemporary(error) ? new JobLost(error.status, error.message, { requestId }) : error;
  }
  const { status: _, requestId: __, phase = "waiting", ...counts } = status;
  onProgress?.({ phase, ...counts });
  return undefined;
}

/**
 * Yields each change of the job's status from an event stream. If the service sends no event stream, yields one status.
 */
async function* statuses(
  connection: Connection,
  requestId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Status> {
  const call = { headers: { Accept: "text/event-stream, application/json;q=0.5" }, signal };
  const response = await connection.once(statusPath(requestId), call, async (answer) => answer);
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream") || response.body === null) {
    yield await json<Status>(response);
    return;
  }
  const events = eventsIn(response.body);
  try {
    for (;;) {
      const event = await withinSilence(events.next(), signal);
      if (event.done) return;
      if (event.value !== "") yield JSON.parse(event.value) as Status;
    }
  } finally {
    // Neither call is awaited, because a hanging read would delay it.
    events.return(undefined).catch(() => {});
    response.body.cancel().catch(() => {});
  }
}

/** @throws PagewrightError if the connection breaks or is silent for too long */
async function withinSilence<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const limit = new AbortController();
  const silence = delay(SILENCE_MS, limit.signal).then(() => {
    throw new PagewrightError(0, "The service has reported no status of the job for a minute.");
  });
  silence.catch(() => {});
  try {
    return await raceAbort(Promise.race([promise, silence]), signal);
  } catch (error) {
    if (signal?.aborted || error instanceof PagewrightError) throw error;
    throw new PagewrightError(0, "The connection to the service broke.", { cause: error });
  } finally {
    limit.abort();
  }
}
