// Creates the dependencies of requests and asynchronous jobs: the resources of the process, and the services of each
// request or job.

import { LIMITS } from "../document/contract/limits.ts";
import { yieldToEventLoop } from "../runtime/delay.ts";
import { retryOnce, withTimeout } from "../runtime/rpc.ts";
import { sealerOf } from "../service/http/async/sealed-values.ts";
import { clientAt, clientIdOfKey, exactClientAt } from "../service/http/clients/auth.ts";
import type { RequestTrace } from "../service/http/traces/request-trace.ts";
import type { SpanExport } from "../service/http/traces/span-export.ts";
import { connectModel } from "../service/outbound/language-model/connect.ts";
import { connectContainer } from "../service/placement/container.ts";
import { createSemaphore } from "../service/placement/semaphore.ts";
import { regionalCalls } from "../service/regions/located-env.ts";
import type { ProcessCapacity } from "../service/settings/capacity.ts";
import type { Config, Env } from "../service/settings/config.ts";
import { openReadingStore } from "../service/storage/copies/reading-store.ts";
import { createMemoryQuota } from "../service/storage/memory-quota.ts";
import { PACK_BYTES } from "../service/storage/packs.ts";
import { openStore } from "../service/storage/regional-store.ts";
import type { StoreOptions } from "../service/storage/store.ts";
import { cacheOf } from "../service/views/image-cache.ts";
import { PageResources, type PageServices } from "../service/views/pages-service.ts";
import { baseUrl, idsOf, log, type RequestContext, retiredIn } from "./context.ts";
import { callerTrace } from "./traces.ts";

/** No client waits for these permits, so they can be granted as late as the job's time limit allows. */
const ONE_AT_A_TIME = { concurrency: 1, maxWaitMs: LIMITS.requestJobMs };

export type SharedResources = ReturnType<typeof createSharedResources>;

/** Creates the resources that all requests of a process share: memory quotas and semaphores. */
export function createSharedResources(budgets: ProcessCapacity) {
  const maxWaitMs = LIMITS.permitWaitMs;
  const semaphore = (concurrency: number, maxQueued: number) => createSemaphore({ concurrency, maxQueued, maxWaitMs });
  // For work that a slow client or a slow job can prolong, such as receiving an upload.
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
    // A request keeps its part of this quota while it waits for a permit.
    uploadQuota: createMemoryQuota({
      perRequest: budgets.uploadMemoryPerRequestBytes,
      total: budgets.uploadMemoryBytes,
    }),
    bufferQuota: createMemoryQuota({ perRequest: 2 * PACK_BYTES, total: budgets.uploads * PACK_BYTES }),
    bodies: createMemoryQuota({ perRequest: budgets.heldBodiesBytes, total: budgets.heldBodiesBytes }),
  };
}

/** Returns one client's view of the shared semaphores and quotas. In this view, the client cannot use all capacity. */
export const shareOf = ({ budgets, shared, ...all }: SharedResources, client: string) => ({
  ...{ budgets, shared },
  engineSemaphore: all.engineSemaphore.for(client),
  receiveSemaphore: all.receiveSemaphore.for(client),
  containerSemaphore: all.containerSemaphore.for(client),
  uploadSemaphore: all.uploadSemaphore.for(client),
  overflowSemaphore: all.overflowSemaphore.for(client),
  uploadQuota: all.uploadQuota.for(client),
  bufferQuota: all.bufferQuota.for(client),
  bodies: all.bodies.for(client),
});

export const connectQueue = (env: Env) =>
  regionalCalls(
    retryOnce(LIMITS.asyncRpcMs, () => env.JOBS.getByName("queue")),
    env,
    env.REGION,
  );

/** A request, or an attempt of an asynchronous job. */
interface Origin {
  readonly env: Env;
  readonly config: Config;
  /** Base URL of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly client: string;
  /** ID that certainly stands for one client. @default there is none */
  readonly oneClient?: string | undefined;
  /**
   * Added to the client ID in the container, which divides its permits among these names. Example: `-pages`. @default
   * ""
   */
  readonly suffix?: string;
  /** IDs for the log. */
  readonly ids: ReturnType<typeof idsOf>;
  readonly trace: RequestTrace | undefined;
  /** Options for stored files: their policy, IDs, and counters. */
  readonly files: Omit<StoreOptions, "lifetimeMs">;
  /** Settles when the request has a response, or the attempt has ended. @default immediately */
  readonly ended?: Promise<unknown>;
  waitUntil(work: Promise<unknown>): void;
}

/** Returns the services that requests and asynchronous jobs need. */
export function servicesFor(origin: Origin, shared: SharedResources, spans: SpanExport) {
  const { env, config, baseUrl, client, oneClient, suffix = "", ids, trace, files, ended, waitUntil } = origin;
  const traced = trace ? { trace: callerTrace(trace, { spans, traces: config.traces, waitUntil }) } : {};
  return {
    ...{ ...shareOf(shared, client), config, baseUrl, jobs: connectQueue(env), sealer: sealerOf(env.FORM_SECRET) },
    typefaceCache: cacheOf(env),
    store: openStore(env, { lifetimeMs: config.fileLifetimeMs, ...files }),
    container: connectContainer(env, {
      ...{ requestId: ids.requestId, client: client + suffix, oneClient },
      ...{ ...traced, waitUntil },
    }),
    model: (used: (tokens: number) => void) =>
      connectModel(env, config.model, { used, log: (message, details) => log(ids, message, details) }),
    log: (message: string, details?: Record<string, unknown>) => log(ids, message, details),
    defer(work: () => Promise<void>): void {
      const afterwards = async () => {
        await ended;
        await yieldToEventLoop();
        await work();
      };
      waitUntil(afterwards());
    },
  };
}

/** Returns the client ID: from the API key if admission has verified one, otherwise from the IP address. */
export function requestClientId({ var: { admission }, req, env }: RequestContext): string {
  return admission?.key ? clientIdOfKey(admission.key) : clientAt(req.raw.headers, env.CLIENT_ADDRESS);
}

/** Returns the ID of a key, or of an address that no proxy hides; undefined if there can be several clients. */
function oneClientOf({ var: { admission }, req, env }: RequestContext): string | undefined {
  if (admission?.key) return clientIdOfKey(admission.key);
  return env.HIDES_CLIENTS ? undefined : exactClientAt(req.raw.headers, env.CLIENT_ADDRESS);
}

export const originOf = (c: RequestContext): Omit<Origin, "suffix" | "ended"> => ({
  ...{ env: c.env, config: c.get("config"), baseUrl: baseUrl(c), client: requestClientId(c) },
  oneClient: oneClientOf(c),
  ...{ ids: idsOf(c), trace: c.get("trace"), files: { retired: (files) => retiredIn(c, files) } },
  waitUntil: (work) => c.executionCtx.waitUntil(work),
});

export function pagesService(c: RequestContext, shared: SharedResources, spans: SpanExport): PageServices {
  // The container counts the page images of a viewer separately from the client's other jobs.
  const origin = { ...originOf(c), suffix: "-pages" };
  const { client, waitUntil } = origin;
  return { ...servicesFor(origin, shared, spans), client, cache: cacheOf(c.env), waitUntil };
}

/** Returns the services for page images, which read files of other regions from copies near the reader. */
export function pageImagesService(c: RequestContext, shared: SharedResources, spans: SpanExport): PageServices {
  const service = pagesService(c, shared, spans);
  const { cache, config, overflowSemaphore, defer, waitUntil, log } = service;
  const later = (copy: () => Promise<void>) =>
    defer(async () => {
      try {
        using _permit = await overflowSemaphore.acquire(AbortSignal.timeout(LIMITS.copyMs));
        await withTimeout(LIMITS.copyMs, copy);
      } catch (error) {
        log("document not copied", { error: String(error) });
      }
    });
  const options = { cache, lifetimeMs: config.fileLifetimeMs, waitUntil, later };
  return { ...service, store: openReadingStore(c.env, service.store, options) };
}
