// Routes every request: request id, then key, then one POST per endpoint, stored files, health and the API description.
// Contains no logic of its own.
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { routePath } from "hono/route";
import { type AnsweredRequest, LEFT_STATUS } from "./core/answered-request.ts";
import type { Budgets } from "./core/budgets.ts";
import { type Config, type Env, readConfig, type Variant } from "./core/config.ts";
import { EngineFailure } from "./core/failure.ts";
import { LIMITS } from "./core/limits.ts";
import { letOthersRun } from "./core/pause.ts";
import { endpoints, routes } from "./endpoints/index.ts";
import { clientOf, requireKey } from "./http/auth.ts";
import type { Service } from "./http/endpoint.ts";
import { methodNotAllowed, noSuchEndpoint, ServiceError, toServiceError } from "./http/errors.ts";
import { openApi } from "./http/openapi.ts";
import { handle } from "./http/pipeline.ts";
import { readiness } from "./http/ready.ts";
import { deleteResource, readResource } from "./http/resource.ts";
import { Timing } from "./http/timing.ts";
import { TUS_VERSION } from "./http/tus/headers.ts";
import { serveUploads, TUS_PATH } from "./http/tus/uploads.ts";
import { connectContainer } from "./placement/container.ts";
import { createTurns } from "./placement/turns.ts";
import { createKeptBytes } from "./storage/kept-bytes.ts";
import { PACK_BYTES } from "./storage/packs.ts";
import { createStore } from "./storage/store.ts";

type Variables = { requestId: string; config: Config; timing: Timing };
type Bindings = { Bindings: Env; Variables: Variables };
type App = Hono<Bindings>;
type SharedPlaces = ReturnType<typeof createPlaces>;

/**
 * @param budgets shared by all requests that the app serves
 * @param answered called with each request that was answered or left
 */
export function createApp(budgets: Budgets, answered?: (request: AnsweredRequest) => void): App {
  const app: App = new Hono();
  beginRequests(app, answered);
  const places = createPlaces(budgets);
  addEndpoints(app, places);
  addResumableUploads(app, places);
  addResources(app);
  app.get("/up", (c) => c.json({ status: "OK", variant: c.get("config").variant }));
  app.get("/ready", async (c) => {
    const ready = await readiness(c.env);
    if (ready.reasons.length > 0) log(c.get("requestId"), "readiness refused", { reasons: ready.reasons });
    return c.json(ready, ready.reasons.length === 0 ? 200 : 503);
  });
  app.get("/openapi.json", (c) =>
    c.json(openApi({ endpoints, routes }, c.get("config"), baseUrl(c.get("config"), c.req.raw))),
  );
  answerErrors(app);
  return app;
}

function createPlaces(budgets: Budgets) {
  const maxWaitMs = LIMITS.turnWaitMs;
  const turns = (atOnce: number, waiting: number) => createTurns({ atOnce, waiting, maxWaitMs });
  return {
    budgets,
    engineTurns: turns(budgets.engineJobs, budgets.engineJobsWaiting),
    containerTurns: turns(budgets.receivingJobs, budgets.receivingJobsWaiting),
    remoteTurns: turns(budgets.containerJobs, budgets.containerJobsWaiting),
    uploadTurns: turns(budgets.uploads, budgets.uploadsWaiting),
    // Requests that wait for their turn keep the memory they hold.
    kept: createKeptBytes({ each: budgets.keptUploadBytes, all: budgets.keptUploadsBytes }),
    waiting: createKeptBytes({ each: 2 * PACK_BYTES, all: budgets.uploads * PACK_BYTES }),
  };
}

function beginRequests(app: App, answered: Parameters<typeof createApp>[1]): void {
  app.use(async (c, next) => {
    c.set("requestId", crypto.randomUUID());
    c.set("config", readConfig(c.env));
    c.set("timing", new Timing());
    const started = Date.now();
    const end = (status: number) => {
      const durationMs = Date.now() - started;
      answered?.({ method: c.req.method, route: routePath(c, -1), status, durationMs });
      return { status, durationMs };
    };
    try {
      await next();
    } catch (error) {
      // Errors were answered: what remains are the texts with which a server aborts the requests of clients that left.
      end(LEFT_STATUS);
      throw error;
    }
    c.res.headers.set("X-Request-Id", c.get("requestId"));
    if (c.req.method === "POST") {
      c.res.headers.set("Server-Timing", c.get("timing").header());
      c.res.headers.set("Vary", "Accept");
    }
    log(c.get("requestId"), "request answered", {
      method: c.req.method,
      path: c.req.path,
      ...end(c.res.status),
    });
  });
  app.use(`${TUS_PATH}/*`, async (c, next) => {
    await next();
    if (c.req.method !== "OPTIONS") c.res.headers.set("Tus-Resumable", TUS_VERSION);
  });
  app.use(async (c, next) => {
    if (isGuarded(c.req.method, c.req.path) && c.get("config").variant === "keyed") {
      await requireKey(c.req.header("Api-Key"), c.env.API_KEYS);
    }
    await next();
  });
}

/** Reports whether a request needs a key in the keyed variant. */
const isGuarded = (method: string, path: string) =>
  method === "POST" || (path.startsWith(`${TUS_PATH}/`) && method !== "OPTIONS");

function addEndpoints(app: App, places: SharedPlaces): void {
  const everywhere: readonly Variant[] = ["private", "keyed"];
  const posts = [
    ...endpoints.map((endpoint) => ({ ...endpoint, serve: handle.bind(undefined, endpoint) })),
    ...routes.map((route) => ({ ...route, variants: everywhere })),
  ];
  for (const { path, variants, serve } of posts) {
    app.post(path, async (c) => {
      const config = c.get("config");
      if (!variants.includes(config.variant)) throw noSuchEndpoint();
      const client = clientOf(c.req.raw.headers, config.variant, c.env.CLIENT_ADDRESS);
      const service: Service = {
        ...places,
        config,
        store: createStore(c.env.FILES, { lifetimeMs: config.fileLifetimeMs }),
        container: connectContainer(c.env, {
          requestId: c.get("requestId"),
          client,
          waitUntil: (work) => c.executionCtx.waitUntil(work),
        }),
        baseUrl: baseUrl(config, c.req.raw),
        timing: c.get("timing"),
        log: (message, details) => log(c.get("requestId"), message, details),
        defer(work) {
          const afterwards = async () => {
            await answer.catch(() => {});
            await letOthersRun();
            await work();
          };
          c.executionCtx.waitUntil(afterwards());
        },
      };
      const answer = serve(c.req.raw, service);
      // The request ends when the client disconnects, but the files it stored must still be removed.
      c.executionCtx.waitUntil(answer.catch(() => {}));
      return await answer;
    });
    app.all(path, (c) => {
      throw variants.includes(c.get("config").variant) ? methodNotAllowed("POST") : noSuchEndpoint();
    });
  }
}

function addResumableUploads(app: App, { uploadTurns }: SharedPlaces): void {
  for (const path of [TUS_PATH, `${TUS_PATH}/:id`]) {
    app.all(path, async (c) => {
      const config = c.get("config");
      const bucket = c.env.FILES;
      const store = createStore(bucket, { lifetimeMs: config.fileLifetimeMs });
      const service = { bucket, store, config, uploadTurns, baseUrl: baseUrl(config, c.req.raw) };
      const answer = serveUploads(c.req.raw, c.req.param("id"), service);
      // The request ends when the client disconnects, but the bytes that it sent must still be stored.
      c.executionCtx.waitUntil(answer.catch(() => {}));
      return answer;
    });
  }
}

function addResources(app: App): void {
  app.on(["GET", "HEAD"], "/resource/:id", (c) => {
    const config = c.get("config");
    const store = createStore(c.env.FILES, { lifetimeMs: config.fileLifetimeMs });
    return readResource(c.req.raw, c.req.param("id"), store, baseUrl(config, c.req.raw));
  });
  app.delete("/resource/:id", (c) =>
    deleteResource(c.req.param("id"), createStore(c.env.FILES, { lifetimeMs: c.get("config").fileLifetimeMs })),
  );
  app.all("/resource/:id", () => {
    throw methodNotAllowed("GET, HEAD, DELETE");
  });
}

function answerErrors(app: App): void {
  app.notFound(() => {
    throw noSuchEndpoint();
  });
  app.onError((error, c) => {
    const answer =
      error instanceof HTTPException ? new ServiceError(error.status, error.message) : toServiceError(error);
    if (answer.status >= 500 || error instanceof EngineFailure) {
      log(c.get("requestId"), "request failed", { status: answer.status, error: String(error), stack: error.stack });
    }
    return c.json({ error: answer.message }, answer.status as 400, { ...answer.headers });
  });
}

function baseUrl(config: Config, request: Request): string {
  return config.baseUrl ?? new URL(request.url).origin;
}

function log(requestId: string, message: string, details: Record<string, unknown> = {}): void {
  console.log(JSON.stringify({ requestId, message, ...details }));
}
