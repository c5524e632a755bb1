// Runs an asynchronous job in the same way as a synchronous request, and reports the outcome to the queue.

import { EngineFailure } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import { describeError } from "../../../runtime/log-line.ts";
import type { RpcCall } from "../../../runtime/rpc.ts";
import { throughOutage } from "../../jobs/through-outage.ts";
import type { JobError, JobQueue, LeasedJob, Progress } from "../../ports/jobs.ts";
import { reserveMemory } from "../../storage/memory-quota.ts";
import type { RequestServices } from "../contract/endpoint.ts";
import { toServiceError } from "../contract/errors.ts";
import type { DeferredHandler } from "../contract/route.ts";
import { deserializeForm, type Sealing } from "./deferred-form.ts";

type RunnerService = RequestServices & { readonly jobs: RpcCall<JobQueue> } & Pick<Sealing, "sealer">;

const UNAVAILABLE = 503;

/**
 * @param service stores files under IDs derived from the job's seed
 * @returns undefined if the job will run again, or has been canceled
 */
export async function runQueuedJob(
  { carryOut }: Pick<DeferredHandler, "carryOut">,
  job: LeasedJob,
  service: RunnerService,
): Promise<"completed" | "failed" | undefined> {
  const { jobs } = service;
  const attempt = { id: job.id, attempt: job.attempt };
  const deadline = new AbortController();
  using lease = new AttemptLease(job, jobs, deadline);
  using resources = new DisposableStack();
  const memory = resources.use(reserveMemory(service));
  const uploads = service.store.batch("input", memory.batchReservation);
  const outputs = service.store.batch("output", memory.batchReservation);
  const discard = () => Promise.all([uploads.discard(), outputs.discard()]);
  let answer: string;
  try {
    const form = await deserializeForm(job.form, { ...service, uploads, id: job.id });
    const options = {
      ...memory,
      outputs,
      deadline,
      signal: deadline.signal,
      resources,
      progress: lease.reportProgress,
    };
    answer = await (await carryOut(form, service, options)).text();
  } catch (error) {
    await discard();
    // An attempt that lost its lease must not report an outcome.
    return lease.isExpired ? undefined : report(error, attempt, service);
  }
  const complete = () => jobs((queue) => queue.complete(attempt, answer));
  if (await throughOutage(LIMITS.asyncLeaseMs, complete)) return "completed";
  await discard();
  return undefined;
}

async function report(
  error: unknown,
  attempt: Pick<LeasedJob, "id" | "attempt">,
  service: RunnerService,
): Promise<"failed" | undefined> {
  const { status: errorStatus, message } = toServiceError(error);
  const failure: JobError = { error: message, errorStatus };
  const isLost = error instanceof EngineFailure && error.reason === "lost";
  if (errorStatus >= 500 || error instanceof EngineFailure) {
    service.log("request failed", { status: errorStatus, ...describeError(error) });
  }
  // Reports nothing, so the queue treats the attempt as lost.
  if (isLost) return undefined;
  const isFailed = errorStatus !== UNAVAILABLE;
  await throughOutage(LIMITS.asyncLeaseMs, () =>
    service.jobs((queue) => (isFailed ? queue.fail(attempt, failure) : queue.postpone(attempt, failure))),
  );
  return isFailed ? "failed" : undefined;
}

/** Renews the lease of an attempt. Aborts the attempt if the lease cannot be renewed. */
class AttemptLease implements Disposable {
  readonly #job: LeasedJob;
  readonly #jobs: RpcCall<JobQueue>;
  readonly #deadline: AbortController;
  readonly #timer: ReturnType<typeof setInterval>;
  #progress: Progress | undefined;
  #isAsking = false;
  /** True if the job was canceled, or the attempt lost its lease. */
  isExpired = false;
  #ends = Date.now() + LIMITS.asyncLeaseMs;

  constructor(job: LeasedJob, jobs: RpcCall<JobQueue>, deadline: AbortController) {
    this.#job = job;
    this.#jobs = jobs;
    this.#deadline = deadline;
    this.#timer = setInterval(() => void this.#renew(), LIMITS.asyncRenewMs);
  }

  readonly reportProgress = (progress: Progress): void => {
    this.#progress = { ...this.#progress, ...progress };
  };

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const { id, attempt } = this.#job;
      if (await this.#jobs((queue) => queue.renew({ id, attempt }, this.#progress))) {
        this.#ends = Date.now() + LIMITS.asyncLeaseMs;
      } else this.#abort();
    } catch {
      if (Date.now() >= this.#ends) this.#abort();
    } finally {
      this.#isAsking = false;
    }
  }

  #abort(): void {
    this.isExpired = true;
    this.#deadline.abort(new Error("the job was canceled or its lease has ended"));
  }
}
