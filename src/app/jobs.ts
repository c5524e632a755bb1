// Routes the status of asynchronous jobs, and runs the jobs.

import { LIMITS } from "../document/contract/limits.ts";
import { endpoints, routes } from "../endpoints/index.ts";
import { yieldToEventLoop } from "../runtime/delay.ts";
import { hashOfId } from "../runtime/log-line.ts";
import { retryOnce } from "../runtime/rpc.ts";
import { clientOfForm } from "../service/http/async/deferred-form.ts";
import { endpointJobHandler, type JobHandler, runQueuedJob } from "../service/http/async/job-runner.ts";
import { serveStatus } from "../service/http/async/job-status.ts";
import { sealerOf } from "../service/http/async/sealed-values.ts";
import { StatusStreams } from "../service/http/async/status-streams.ts";
import { deliverWebhook } from "../service/http/async/webhook-delivery.ts";
import { addressClient, authorizeDelete, usageOf } from "../service/http/clients/guard.ts";
import { JobUsage } from "../service/http/clients/job-usage.ts";
import type { ClientHooks } from "../service/http/contract/endpoint.ts";
import { methodNotAllowed } from "../service/http/contract/errors.ts";
import { Timing } from "../service/http/contract/timing.ts";
import { withFileInfo } from "../service/http/responses/file-info.ts";
import { RequestTrace } from "../service/http/traces/request-trace.ts";
import type { ExportedSpan, SpanExport } from "../service/http/traces/span-export.ts";
import { limiterOf } from "../service/keys/durable-limiter.ts";
import type { UsageCollector } from "../service/keys/usage-collector.ts";
import { connectContainer } from "../service/placement/container.ts";
import { lowPriority } from "../service/placement/semaphore.ts";
import type { LeasedJob } from "../service/ports/jobs.ts";
import type { DeliveryOutcome, WebhookMessage } from "../service/ports/webhooks.ts";
import { type Env, readConfig } from "../service/settings/config.ts";
import { DerivedIds } from "../service/storage/derived-ids.ts";
import { createStore } from "../service/storage/store.ts";
import { createRequestStore, endOf } from "./admission.ts";
import { type App, baseUrl, log } from "./context.ts";
import { type SharedResources, shareOf } from "./dependencies.ts";
import { callerTrace, exportSpans } from "./traces.ts";

export const connectQueue = (env: Env) => retryOnce(LIMITS.asyncRpcMs, () => env.JOBS.getByName("queue"));

export function addRequestStatus(app: App): void {
  const path = "/request-status/:id";
  const streams = new StatusStreams();
  app.on(["GET", "HEAD", "DELETE"], path, async (c) => {
    const service = {
      ...{ jobs: connectQueue(c.env), streams, client: addressClient(c.req.raw, c.env) },
      removals: () => authorizeDelete(c.req.raw, c.env, c.get("config")),
    };
    const response = await serveStatus(c.req.raw, c.req.param("id"), service);
    return withFileInfo(c.req.raw, response, { store: createRequestStore(c), baseUrl: baseUrl(c) });
  });
  app.all(path, () => {
    throw methodNotAllowed("GET, HEAD, DELETE");
  });
}

/** Posts a webhook message about an asynchronous job. */
export function deliver(
  message: WebhookMessage,
  env: Env,
  shared: SharedResources,
  waitUntil: WaitUntil,
): Promise<DeliveryOutcome> {
  const { id, client } = message;
  const requestId = hashOfId(id);
  return deliverWebhook(message, {
    ...shared,
    records: env.API_KEYS,
    // Messages have a separate share of the container's permits, next to their client's jobs.
    container: connectContainer(env, { requestId, client: `${client}-webhooks`, waitUntil }),
    log: (text: string, details?: Record<string, unknown>) => log({ requestId }, text, details),
    defer: (work) => waitUntil(yieldToEventLoop().then(work)),
  });
}

export type WaitUntil = (work: Promise<unknown>) => void;

/** Process resources that jobs share with requests. */
export interface ProcessResources {
  readonly shared: SharedResources;
  readonly collector: UsageCollector;
  readonly spans: SpanExport;
}

/** Runs an asynchronous job. Settles when the attempt ends, with any outcome. */
export async function runLeasedJob(
  job: LeasedJob,
  env: Env,
  { shared, collector, spans }: ProcessResources,
  waitUntil: WaitUntil,
) {
  const { id, attempt, client, baseUrl, path } = job;
  // A job's ID grants access to its response, so the log shows a hash.
  const requestId = hashOfId(id);
  const config = readConfig(env);
  const jobs = connectQueue(env);
  const ids = new DerivedIds(job.seed, async (count) => {
    if (!(await jobs((queue) => queue.reserve({ id, attempt }, count))))
      throw new Error("the lease of the job has expired");
  });
  const write = (message: string, details?: Record<string, unknown>) => log({ requestId }, message, details);
  const { marks, account = { client, operation: "" }, trace: sent } = clientOfForm(job.form);
  const trace = sent && RequestTrace.begin(new Headers(sent), config.traces);
  const exported = (made: () => readonly ExportedSpan[]) => {
    if (trace) exportSpans(trace, { spans, traces: config.traces, waitUntil }, made);
  };
  const usage = { collector, records: usageOf(env) };
  const counted = new JobUsage(account, { limiter: limiterOf(env), usage, waitUntil, log: write });
  const service = {
    ...{ ...behindRequests(shareOf(shared, client)), config, baseUrl, jobs, timing: new Timing() },
    store: createStore(env.FILES, {
      ...{ lifetimeMs: config.fileLifetimeMs, ids },
      marks: () => marks,
      received: (bytes) => counted.received(bytes),
      storing: counted.storing(() => marks.expires ?? endOf(config)),
    }),
    // Jobs of a client compete with its requests, which have priority.
    container: connectContainer(env, {
      ...{ requestId, client: `${client}-async`, waitUntil },
      ...(trace ? { trace: callerTrace(trace, exported) } : {}),
    }),
    sealer: sealerOf(env.FORM_SECRET),
    caller: callerOf(counted),
    log: write,
    defer: (work: () => Promise<void>) =>
      waitUntil(
        ended
          .catch(() => {})
          .then(yieldToEventLoop)
          .then(work),
      ),
  };
  const started = Date.now();
  await counted.begin();
  const ended = runQueuedJob(handlerFor(path), job, service);
  let outcome: Awaited<typeof ended>;
  try {
    outcome = await ended;
  } finally {
    counted.end(outcome);
    exported(() => trace!.spansOfJob(service.timing, { path, requestId, isError: outcome === undefined }));
  }
  service.log("asynchronous job ended", { path, attempt, durationMs: Date.now() - started });
}

/**
 * Returns the resources that jobs can use without delaying requests: low-priority permits, and the container's engines
 * instead of this process's single engine, if there is a container.
 */
const behindRequests = (share: ReturnType<typeof shareOf>) => ({
  ...share,
  budgets: { ...share.budgets, engines: "container" as const },
  engineSemaphore: lowPriority(share.engineSemaphore),
  receiveSemaphore: lowPriority(share.receiveSemaphore),
  containerSemaphore: lowPriority(share.containerSemaphore),
});

const callerOf = (counted: JobUsage): ClientHooks => ({
  countProduced: (bytes) => counted.made(bytes),
  retain: () => new DisposableStack(),
  tokenHeaders: () => ({}),
  mayDelete: () => false,
});

/** @throws Error if a later version of the service queued the job */
function handlerFor(path: string): JobHandler {
  const endpoint = endpoints.find((one) => one.path === path);
  if (endpoint) return endpointJobHandler(endpoint);
  const later = routes.find((one) => one.path === path)?.deferred;
  if (later) return ({ form, service, ...memory }) => later.carryOut(form, service, memory);
  throw new Error(`there is no endpoint ${path}`);
}
