// Routes every request: request id, then key, then one POST per endpoint, stored files, health and the API description.
// Contains no logic of its own.
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { type Config, type Env, readConfig } from "./core/config.ts";
import { EngineFailure } from "./core/failure.ts";
import { LIMITS } from "./core/limits.ts";
import { endpoints } from "./endpoints/index.ts";
import { clientOf, requireKey } from "./http/auth.ts";
import { handle, type Service } from "./http/endpoint.ts";
import { methodNotAllowed, noSuchEndpoint, ServiceError, toServiceError } from "./http/errors.ts";
import { openApi } from "./http/openapi.ts";
import { deleteResource, readResource } from "./http/resource.ts";
import { TUS_VERSION } from "./http/tus/headers.ts";
import { serveUploads, TUS_PATH } from "./http/tus/uploads.ts";
import { connectContainer } from "./placement/container.ts";
import { createTurns } from "./placement/turns.ts";
import { createKeptBytes } from "./storage/kept-bytes.ts";
import { PACK_BYTES } from "./storage/packs.ts";
import { createStore } from "./storage/store.ts";

type Variables = { requestId: string; config: Config };
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
  const started = Date.now();
  await next();
  c.res.headers.set("X-Request-Id", c.get("requestId"));
  log(c.get("requestId"), "request answered", {
    method: c.req.method,
    path: c.req.path,
    status: c.res.status,
    durationMs: Date.now() - started,
  });
});

app.use(`${TUS_PATH}/*`, async (c, next) => {
  await next();
  if (c.req.method !== "OPTIONS") c.res.headers.set("Tus-Resumable", TUS_VERSION);
});

/** Reports whether a request needs a key in the keyed variant. */
const isGuarded = (method: string, path: string) =>
  method === "POST" || (path.startsWith(`${TUS_PATH}/`) && method !== "OPTIONS");

app.use(async (c, next) => {
  if (isGuarded(c.req.method, c.req.path) && c.get("config").variant === "keyed") {
    await requireKey(c.req.header("Api-Key"), c.env.API_KEYS);
  }
  await next();
});

for (const endpoint of endpoints) {
  app.post(endpoint.path, async (c) => {
    const config = c.get("config");
    if (!endpoint.variants.includes(config.variant)) throw noSuchEndpoint();
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
    const answer = handle(endpoint, c.req.raw, service);
    // The request ends when the client disconnects, but the files it stored must still be removed.
    c.executionCtx.waitUntil(answer.catch(() => {}));
    return c.json(await answer);
  });
  app.all(endpoint.path, (c) => {
    throw endpoint.variants.includes(c.get("config").variant) ? methodNotAllowed("POST") : noSuchEndpoint();
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

for (const path of [TUS_PATH, `${TUS_PATH}/:id`]) {
  app.all(path, async (c) => {
    const config = c.get("config");
    const store = createStore(c.env.FILES, { lifetimeMs: config.fileLifetimeMs });
    const service = { bucket: c.env.FILES, store, config, uploadTurns, baseUrl: baseUrl(config, c.req.raw) };
    const answer = serveUploads(c.req.raw, c.req.param("id"), service);
    // The request ends when the client disconnects, but the bytes that it sent must still be stored.
    c.executionCtx.waitUntil(answer.catch(() => {}));
    return answer;
  });
}

app.get("/up", (c) => c.json({ status: "OK", variant: c.get("config").variant }));
app.get("/openapi.json", (c) => c.json(openApi(endpoints, c.get("config"), baseUrl(c.get("config"), c.req.raw))));

app.notFound(() => {
  throw noSuchEndpoint();
});

app.onError((error, c) => {
  const answer = error instanceof HTTPException ? new ServiceError(error.status, error.message) : toServiceError(error);
  if (answer.status >= 500 || error instanceof EngineFailure) {
    log(c.get("requestId"), "request failed", { status: answer.status, error: String(error), stack: error.stack });
  }
  return c.json({ error: answer.message }, answer.status as 400, { ...answer.headers });
});

function baseUrl(config: Config, request: Request): string {
  return config.baseUrl ?? new URL(request.url).origin;
}

function log(requestId: string, message: string, details: Record<string, unknown> = {}): void {
  console.log(JSON.stringify({ requestId, message, ...details }));
}
