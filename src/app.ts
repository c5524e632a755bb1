// Routes every request: request id, then key, then one POST per endpoint, stored files, health and the API description.
// Contains no logic of its own.
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { type Config, type Env, readConfig, type Variant } from "./core/config.ts";
import { EngineFailure } from "./core/failure.ts";
import { LIMITS } from "./core/limits.ts";
import { endpoints, routes } from "./endpoints/index.ts";
import { clientOf, requireKey } from "./http/auth.ts";
import type { Service } from "./http/endpoint.ts";
import { methodNotAllowed, noSuchEndpoint, ServiceError, toServiceError } from "./http/errors.ts";
import { openApi } from "./http/openapi.ts";
import { handle } from "./http/pipeline.ts";
import { deleteResource, readResource } from "./http/resource.ts";
import { Timing } from "./http/timing.ts";
import { connectContainer } from "./placement/container.ts";
import { createTurns } from "./placement/turns.ts";
import { createKeptBytes } from "./storage/kept-bytes.ts";
import { PACK_BYTES } from "./storage/packs.ts";
import { createStore } from "./storage/store.ts";

type Variables = { requestId: string; config: Config; timing: Timing };
type Bindings = { Bindings: Env; Variables: Variables };

// All requests that an isolate serves share its memory.
const maxWaitMs = LIMITS.turnWaitMs;
const engineTurns = createTurns({ atOnce: LIMITS.engineJobs, waiting: LIMITS.engineJobsWaiting, maxWaitMs });
const containerTurns = createTurns({ atOnce: LIMITS.receivingJobs, waiting: LIMITS.receivingJobsWaiting, maxWaitMs });
const remoteTurns = createTurns({ atOnce: LIMITS.containerJobs, waiting: LIMITS.containerJobsWaiting, maxWaitMs });
const uploadTurns = createTurns({ atOnce: LIMITS.uploads, waiting: LIMITS.uploadsWaiting, maxWaitMs });
// Requests that wait for their turn keep the memory they hold.
const kept = createKeptBytes({ each: LIMITS.keptUploadBytes, all: LIMITS.keptUploadsBytes });
const waiting = createKeptBytes({ each: 2 * PACK_BYTES, all: 6 * PACK_BYTES });

export const app = new Hono<Bindings>();

app.use(async (c, next) => {
  c.set("requestId", crypto.randomUUID());
  c.set("config", readConfig(c.env));
  c.set("timing", new Timing());
  const started = Date.now();
  await next();
  c.res.headers.set("X-Request-Id", c.get("requestId"));
  if (c.req.method === "POST") c.res.headers.set("Server-Timing", c.get("timing").header());
  log(c.get("requestId"), "answered", {
    method: c.req.method,
    path: c.req.path,
    status: c.res.status,
    durationMs: Date.now() - started,
  });
});

app.use(async (c, next) => {
  if (c.req.method === "POST" && c.get("config").variant === "keyed") {
    await requireKey(c.req.header("Api-Key"), c.env.API_KEYS);
  }
  await next();
});

const everywhere: readonly Variant[] = ["private", "keyed"];
const posts = [
  ...endpoints.map((endpoint) => ({ ...endpoint, serve: handle.bind(undefined, endpoint) })),
  ...routes.map((route) => ({ ...route, variants: everywhere })),
];
for (const { path, variants, serve } of posts) {
  app.post(path, async (c) => {
    const config = c.get("config");
    if (!variants.includes(config.variant)) throw noSuchEndpoint();
    const service: Service = {
      config,
      store: createStore(c.env.FILES, { lifetimeMs: config.fileLifetimeMs }),
      engineTurns,
      containerTurns,
      remoteTurns,
      container: connectContainer(c.env, c.get("requestId"), clientOf(c.req.raw.headers, config.variant)),
      uploadTurns,
      kept,
      waiting,
      baseUrl: baseUrl(config, c.req.raw),
      timing: c.get("timing"),
      log: (message, details) => log(c.get("requestId"), message, details),
      defer(work) {
        const afterwards = async () => {
          await answer.catch(() => {});
          await scheduler.wait(0);
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

app.get("/up", (c) => c.json({ status: "OK", variant: c.get("config").variant }));
app.get("/openapi.json", (c) =>
  c.json(openApi({ endpoints, routes }, c.get("config"), baseUrl(c.get("config"), c.req.raw))),
);

app.notFound(() => {
  throw noSuchEndpoint();
});

app.onError((error, c) => {
  const answer = error instanceof HTTPException ? new ServiceError(error.status, error.message) : toServiceError(error);
  if (answer.status >= 500 || error instanceof EngineFailure) {
    log(c.get("requestId"), "failed", { status: answer.status, error: String(error), stack: error.stack });
  }
  return c.json({ error: answer.message }, answer.status as 400, { ...answer.headers });
});

function baseUrl(config: Config, request: Request): string {
  return config.baseUrl ?? new URL(request.url).origin;
}

function log(requestId: string, message: string, details: Record<string, unknown> = {}): void {
  console.log(JSON.stringify({ requestId, message, ...details }));
}
