// Creates the dependencies of requests: resources shared by the process, and services for each request.

import { LIMITS } from "../document/contract/limits.ts";
import { yieldToEventLoop } from "../runtime/delay.ts";
import { clientAt, clientIdOfKey } from "../service/http/clients/auth.ts";
import type { SpanExport } from "../service/http/traces/span-export.ts";
import { connectContainer } from "../service/placement/container.ts";
import { createSemaphore } from "../service/placement/semaphore.ts";
import type { ProcessCapacity } from "../service/settings/capacity.ts";
import { createMemoryQuota } from "../service/storage/memory-quota.ts";
import { PACK_BYTES } from "../service/storage/packs.ts";
import { createStore } from "../service/storage/store.ts";
import { cacheOf } from "../service/views/image-cache.ts";
import { PageResources, type PageServices } from "../service/views/pages-service.ts";
import { baseUrl, idsOf, log, type RequestContext, retiredIn } from "./context.ts";
import { tracedCaller } from "./traces.ts";

/** No client waits for these permits, so they can be granted as late as the job's time limit allows. */
const ONE_AT_A_TIME = { concurrency: 1, maxWaitMs: LIMITS.requestJobMs };

export type SharedResources = ReturnType<typeof createSharedResources>;

/** Creates the resources that all requests of a process share: memory quotas and semaphores. */
export function createSharedResources(budgets: ProcessCapacity) {
  const maxWaitMs = LIMITS.permitWaitMs;
  const semaphore = (concurrency: number, maxQueued: number) => createSemaphore({ concurrency, maxQueued, maxWaitMs });
  // For work whose duration the client, or a client's job, determines.
  const partsOf = (concurrency: number, maxQueued: number) =>
    createSemaphore({ concurrency, maxQueued, maxWaitMs, leavesRoom: true });
  const shared = new PageResources(budgets);
  return {
    budgets,
    shared,
    engineSemaphore: shared.openPages.closingOnAcquire(semaphore(budgets.engineJobs, budgets.engineJobsQueued)),
    receiveSemaphore: partsOf(budgets.receivingJobs, budgets.receivingJobsQueued),
    containerSemaphore: partsOf(budgets.containerJobs, budgets.containerJobsQueued),
    uploadSemaphore: partsOf(budgets.uploads, budgets.uploadsQueued),
    overflowSemaphore: createSemaphore({
      ...ONE_AT_A_TIME,
      maxQueued: budgets.receivingJobs + budgets.receivingJobsQueued,
    }),
    // A request that waits for a permit keeps its reserved memory.
    uploadQuota: createMemoryQuota({
      perRequest: budgets.uploadMemoryPerRequestBytes,
      total: budgets.uploadMemoryBytes,
    }),
    bufferQuota: createMemoryQuota({ perRequest: 2 * PACK_BYTES, total: budgets.uploads * PACK_BYTES }),
    bodies: createMemoryQuota({ perRequest: budgets.heldBodiesBytes, total: budgets.heldBodiesBytes }),
  };
}

/** Returns one client's view of the shared semaphores and quotas, which reserves capacity for other clients. */
export function shareOf(shared: SharedResources, client: string) {
  const {
    engineSemaphore,
    receiveSemaphore,
    containerSemaphore,
    uploadSemaphore,
    overflowSemaphore,
    uploadQuota,
    bufferQuota,
    bodies,
  } = shared;
  return {
    ...{ budgets: shared.budgets, shared: shared.shared },
    engineSemaphore: engineSemaphore.for(client),
    receiveSemaphore: receiveSemaphore.for(client),
    containerSemaphore: containerSemaphore.for(client),
    uploadSemaphore: uploadSemaphore.for(client),
    overflowSemaphore: overflowSemaphore.for(client),
    ...{ uploadQuota: uploadQuota.for(client), bufferQuota: bufferQuota.for(client), bodies: bodies.for(client) },
  };
}

/** Returns the client ID. Without admission, the request's key is unverified. */
export function requestClientId({ var: { admission }, req, env }: RequestContext): string {
  return admission?.key ? clientIdOfKey(admission.key) : clientAt(req.raw.headers, env.CLIENT_ADDRESS);
}

/**
 * Returns the dependencies that every request needs.
 * @param suffix separates the request types of one client, for example `-pages`
 */
export function requestDependencies(c: RequestContext, spans: SpanExport, suffix = "") {
  const config = c.get("config");
  return {
    config,
    store: createStore(c.env.FILES, {
      lifetimeMs: config.fileLifetimeMs,
      retired: (files) => retiredIn(c, files),
    }),
    container: connectContainer(c.env, {
      requestId: c.get("requestId"),
      client: requestClientId(c) + suffix,
      ...tracedCaller(c, spans),
      waitUntil: (work) => c.executionCtx.waitUntil(work),
    }),
    baseUrl: baseUrl(c),
    log: (message: string, details?: Record<string, unknown>) => log(idsOf(c), message, details),
  };
}

export function pagesService(c: RequestContext, shared: SharedResources, spans: SpanExport): PageServices {
  const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
  const client = requestClientId(c);
  return {
    ...shareOf(shared, client),
    client,
    // A viewer's renderings compete with other jobs of the same client only.
    ...requestDependencies(c, spans, "-pages"),
    cache: cacheOf(c.env),
    waitUntil,
    defer: (work) => waitUntil(yieldToEventLoop().then(work)),
  };
}
