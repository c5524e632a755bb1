// Gathers what requests work with: what all requests of a process share, and what each one brings.
import type { Budgets } from "../core/budgets.ts";
import { LIMITS } from "../core/limits.ts";
import { letOthersRun } from "../core/pause.ts";
import { clientAt, clientWith } from "../http/auth.ts";
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

/** Nobody waits for these turns, so that they come as late as the job can end. */
const ONE_AT_A_TIME = { atOnce: 1, maxWaitMs: LIMITS.requestJobMs };

export type Shared = ReturnType<typeof createShared>;

/** Creates what all requests of a process share: its memory, and the turns to use it. */
export function createShared(budgets: Budgets) {
  const maxWaitMs = LIMITS.turnWaitMs;
  const turns = (atOnce: number, waiting: number) => createTurns({ atOnce, waiting, maxWaitMs });
  // What they are for can last as long as the client likes, or a job of it.
  const partsOf = (atOnce: number, waiting: number) => createTurns({ atOnce, waiting, maxWaitMs, leavesRoom: true });
  const shared = new SharedPages(budgets);
  return {
    budgets,
    shared,
    engineTurns: shared.kept.givingWayTo(turns(budgets.engineJobs, budgets.engineJobsWaiting)),
    containerTurns: partsOf(budgets.receivingJobs, budgets.receivingJobsWaiting),
    remoteTurns: partsOf(budgets.containerJobs, budgets.containerJobsWaiting),
    uploadTurns: partsOf(budgets.uploads, budgets.uploadsWaiting),
    overflowTurns: createTurns({ ...ONE_AT_A_TIME, waiting: budgets.receivingJobs + budgets.receivingJobsWaiting }),
    // Requests that wait for their turn keep the memory they hold.
    kept: createKeptBytes({ each: budgets.keptUploadBytes, all: budgets.keptUploadsBytes }),
    waiting: createKeptBytes({ each: 2 * PACK_BYTES, all: budgets.uploads * PACK_BYTES }),
    bodies: createKeptBytes({ each: budgets.heldBodiesBytes, all: budgets.heldBodiesBytes }),
  };
}

/** Returns the same turns and memory for the work of a client, which leaves enough to others. */
export function shareOf(shared: Shared, client: string) {
  const { engineTurns, containerTurns, remoteTurns, uploadTurns, overflowTurns, kept, waiting, bodies } = shared;
  return {
    ...{ budgets: shared.budgets, shared: shared.shared },
    engineTurns: engineTurns.for(client),
    containerTurns: containerTurns.for(client),
    remoteTurns: remoteTurns.for(client),
    uploadTurns: uploadTurns.for(client),
    overflowTurns: overflowTurns.for(client),
    ...{ kept: kept.for(client), waiting: waiting.for(client), bodies: bodies.for(client) },
  };
}

/** Returns the identifier of the client. Nobody has checked the key of a request without admission. */
export function clientFrom({ var: { admission }, req, env }: RequestContext): string {
  return admission?.key ? clientWith(admission.key) : clientAt(req.raw.headers, env.CLIENT_ADDRESS);
}

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
  const client = clientFrom(c);
  return {
    ...shareOf(shared, client),
    client,
    // The jobs of a viewer take turns with the other jobs of its client.
    ...surroundings(c, spans, "-pages"),
    cache: cacheOf(c.env),
    waitUntil,
    defer: (work) => waitUntil(letOthersRun().then(work)),
  };
}
