// Routes the status of asynchronous jobs, and runs the jobs.

import { yieldToEventLoop } from "../runtime/delay.ts";
import { hashOfId } from "../runtime/log-line.ts";
import { clientOfForm } from "../service/http/async/deferred-form.ts";
import { runQueuedJob } from "../service/http/async/job-runner.ts";
import { serveStatus } from "../service/http/async/job-status.ts";
import { StatusStreams } from "../service/http/async/status-streams.ts";
import { deliverWebhook } from "../service/http/async/webhook-delivery.ts";
import { addressClient, authorizeDelete, usageOf } from "../service/http/clients/guard.ts";
import { JobUsage } from "../service/http/clients/job-usage.ts";
import type { ClientHooks } from "../service/http/contract/endpoint.ts";
import { methodNotAllowed } from "../service/http/contract/errors.ts";
import type { DeferredHandler } from "../service/http/contract/route.ts";
import { Timing } from "../service/http/contract/timing.ts";
import { withFileInfo } from "../service/http/responses/file-info.ts";
import { RequestTrace } from "../service/http/traces/request-trace.ts";
import type { SpanExport } from "../service/http/traces/span-export.ts";
import { limiterOf } from "../service/keys/durable-limiter.ts";
import type { UsageCollector } from "../service/keys/usage-collector.ts";
import { connectContainer } from "../service/placement/container.ts";
import { lowPriority } from "../service/placement/semaphore.ts";
import type { LeasedJob } from "../service/ports/jobs.ts";
import type { DeliveryOutcome, WebhookMessage } from "../service/ports/webhooks.ts";
import { envOfId } from "../service/regions/located-env.ts";
import type { ProcessCapacity } from "../service/settings/capacity.ts";
import { type Env, readConfig } from "../service/settings/config.ts";
import { DerivedIds } from "../service/storage/derived-ids.ts";
import { createRequestStore, endOf } from "./admission.ts";
import { type App, baseUrl, log } from "./context.ts";
import { connectQueue, type SharedResources, servicesFor } from "./dependencies.ts";
import { posts } from "./posts.ts";
import { exportSpans } from "./traces.ts";

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
  anywhere: Env,
  shared: SharedResources,
  waitUntil: WaitUntil,
): Promise<DeliveryOutcome> {
  const { id, client } = message;
  const env = envOfId(anywhere, id);
  const requestId = hashOfId(id);
  return deliverWebhook(message, {
    ...shared,
    records: env.API_KEYS,
    // The container counts webhook messages separately from the client's jobs.
    container: connectContainer(env, { requestId, client: `${client}-webhooks`, waitUntil }),
    log: (text: string, details?: Record<string, unknown>) => log({ requestId }, text, details),
    defer: (work) => waitUntil(yieldToEventLoop().then(work)),
  });
}

export type WaitUntil = (work: Promise<unknown>) => void;

/** The resources of the process, which jobs share with requests. */
export interface ProcessResources {
  readonly shared: SharedResources;
  readonly collector: UsageCollector;
  readonly spans: SpanExport;
}

/** Runs one attempt of an asynchronous job. Settles when the attempt has ended, whether it succeeded or failed. */
export async function runLeasedJob(
  job: LeasedJob,
  anywhere: Env,
  { shared, collector, spans }: ProcessResources,
  waitUntil: WaitUntil,
) {
  const { id, attempt, client, baseUrl, path } = job;
  const env = envOfId(anywhere, id);
  // A job's ID grants access to its response, so the log shows a hash.
  const ids = { requestId: hashOfId(id) };
  const config = readConfig(env);
  const { traces } = config;
  const { marks, account = { client, operation: "" }, trace: sent } = clientOfForm(job.form);
  const trace = sent && RequestTrace.begin(new Headers(sent), traces);
  const usage = new JobUsage(account, {
    ...{ limiter: limiterOf(env), usage: { collector, records: usageOf(env) }, waitUntil },
    log: (message, details) => log(ids, message, details),
  });
  const jobs = connectQueue(env);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const files = {
    ids: new DerivedIds(job.seed, async (count) => {
      if (!(await jobs((queue) => queue.reserve({ id, attempt }, count))))
        throw new Error("the lease of the job has expired");
    }),
    marks: () => marks,
    received: (bytes: number) => usage.received(bytes),
    storing: usage.storing(() => marks.expires ?? endOf(config)),
  };
  // In this process, asynchronous jobs share the client's permits with its requests, which have priority.
  const origin = { env, config, baseUrl, client, suffix: "-async", ids, trace, files, ended, waitUntil };
  const services = servicesFor(origin, shared, spans);
  const timing = new Timing();
  const started = Date.now();
  await usage.begin();
  let outcome: Awaited<ReturnType<typeof runQueuedJob>>;
  try {
    const service = { ...lowPriorityServices(services), timing, caller: clientHooksOfJob(usage) };
    outcome = await runQueuedJob(handlerFor(path), job, service);
  } finally {
    end();
    usage.end(outcome);
    const { requestId } = ids;
    const spansOfJob = () => trace!.spansOfJob(timing, { path, requestId, isError: outcome === undefined });
    if (trace) exportSpans(trace, { spans, traces, waitUntil }, spansOfJob);
  }
  services.log("asynchronous job ended", { path, attempt, durationMs: Date.now() - started });
}

/**
 * Returns the services for an asynchronous job, which must not delay requests. The job gets permits at low priority. If
 * there is a container, the job uses the container's engines instead of the single engine of this process.
 */
const lowPriorityServices = (services: ReturnType<typeof servicesFor>) => ({
  ...services,
  budgets: { ...services.budgets, preferredBackend: "container" } satisfies ProcessCapacity,
  engineSemaphore: lowPriority(services.engineSemaphore),
  receiveSemaphore: lowPriority(services.receiveSemaphore),
  containerSemaphore: lowPriority(services.containerSemaphore),
});

const clientHooksOfJob = (usage: JobUsage): ClientHooks => ({
  countProduced: (bytes) => usage.made(bytes),
  countTokens: (tokens) => usage.tokensUsed(tokens),
  retain: () => new DisposableStack(),
  tokenHeaders: () => ({}),
  mayDelete: () => false,
  // Checked when the request was accepted.
  mayUse: () => true,
});

/** @throws Error if a later version of the service queued the job */
function handlerFor(path: string): DeferredHandler {
  const handler = posts.find((post) => post.path === path)?.deferred;
  if (handler) return handler;
  throw new Error(`there is no endpoint ${path}`);
}
