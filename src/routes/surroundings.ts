// Gathers what requests work with: what all requests of a process share, and what each one brings.
import type { Budgets } from "../core/budgets.ts";
import { LIMITS } from "../core/limits.ts";
import { letOthersRun } from "../core/pause.ts";
import { clientOf } from "../http/auth.ts";
import type { SpanExport } from "../http/span-export.ts";
import { type PagesService, SharedPages } from "../pages/pages-service.ts";
import { cacheOf } from "../pages/picture-cache.ts";
import { connectContainer } from "../placement/container.ts";
import { createTurns } from "../placement/turns.ts";
import { createKeptBytes } from "../storage/kept-bytes.ts";
import { PACK_BYTES } from "../storage/packs.ts";
import { createStore } from "../storage/store.ts";
import { baseUrl, idsOf, log, type RequestContext, retiredIn } from "./context.ts";
import { tracedCaller } from "./traces.ts";

export type Shared = ReturnType<typeof createShared>;

/** Creates what all requests of a process share: its memory, and the turns to use it. */
export function createShared(budgets: Budgets) {
  const maxWaitMs = LIMITS.turnWaitMs;
  const turns = (atOnce: number, waiting: number) => createTurns({ atOnce, waiting, maxWaitMs });
  const shared = new SharedPages(budgets);
  return {
    budgets,
    shared,
    engineTurns: shared.kept.givingWayTo(turns(budgets.engineJobs, budgets.engineJobsWaiting)),
    containerTurns: turns(budgets.receivingJobs, budgets.receivingJobsWaiting),
    remoteTurns: turns(budgets.containerJobs, budgets.containerJobsWaiting),
    uploadTurns: turns(budgets.uploads, budgets.uploadsWaiting),
    // Requests that wait for their turn keep the memory they hold.
    kept: createKeptBytes({ each: budgets.keptUploadBytes, all: budgets.keptUploadsBytes }),
    waiting: createKeptBytes({ each: 2 * PACK_BYTES, all: budgets.uploads * PACK_BYTES }),
  };
}

export const clientFrom = (c: RequestContext): string =>
  clientOf(c.req.raw.headers, c.get("config").variant, c.env.CLIENT_ADDRESS);

/** Returns what a request finds, whatever it asks for. @param suffix separates requests of one client */
export function surroundings(c: RequestContext, spans: SpanExport, suffix = "") {
  const config = c.get("config");
  return {
    config,
    store: createStore(c.env.FILES, {
      lifetimeMs: config.fileLifetimeMs,
      retired: (files) => retiredIn(c, files),
    }),
    container: connectContainer(c.env, {
      requestId: c.get("requestId"),
      client: clientFrom(c) + suffix,
      ...tracedCaller(c, spans),
      waitUntil: (work) => c.executionCtx.waitUntil(work),
    }),
    baseUrl: baseUrl(c),
    log: (message: string, details?: Record<string, unknown>) => log(idsOf(c), message, details),
  };
}

export function pagesService(c: RequestContext, shared: Shared, spans: SpanExport): PagesService {
  const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
  return {
    ...shared,
    // The jobs of a viewer take turns with the other jobs of its client.
    ...surroundings(c, spans, "-pages"),
    cache: cacheOf(c.env),
    waitUntil,
    defer: (work) => waitUntil(letOthersRun().then(work)),
  };
}
