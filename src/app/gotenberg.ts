// Routes the requests of Gotenberg's clients, if GOTENBERG_ROUTES is on.

import { foreignHealth, GOTENBERG_VERSION } from "../gotenberg/health.ts";
import { FOREIGN_ROUTES } from "../gotenberg/routes.ts";
import { serveForeign } from "../gotenberg/serve.ts";
import { rejectWebhook } from "../service/http/async/webhooks.ts";
import { methodNotAllowed } from "../service/http/contract/errors.ts";
import { FOREIGN_PATHS } from "../service/http/contract/paths.ts";
import { checkReadiness } from "../service/http/health/readiness-check.ts";
import type { SpanExport } from "../service/http/traces/span-export.ts";
import { StorageProbe } from "../service/storage/probe.ts";
import type { App, RequestContext } from "./context.ts";
import type { SharedResources } from "./dependencies.ts";
import { serviceOf } from "./posts.ts";

const TRACE = "Gotenberg-Trace";
const PATHS = [`${FOREIGN_PATHS}*`, "/health", "/version"];

/** Reports whether the response must be one that Gotenberg's clients understand. */
export const isForeign = (c: RequestContext): boolean =>
  c.get("config")?.servesGotenberg === true && c.req.path.startsWith(FOREIGN_PATHS);

const traceOf = (c: RequestContext): string => c.req.header(TRACE) ?? c.get("requestId");

/** Must precede admission, so that its errors have the header, too. */
export function addForeignTraces(app: App): void {
  for (const path of PATHS) {
    app.use(path, async (c, next) => {
      await next();
      if (c.get("config").servesGotenberg) c.res.headers.set(TRACE, traceOf(c));
    });
  }
}

export function addForeignRoutes(app: App, shared: SharedResources, spans: SpanExport): void {
  for (const route of FOREIGN_ROUTES) {
    app.post(route.path, async (c, next) => {
      if (!isForeign(c)) return next();
      rejectWebhook(c.req.raw);
      const { promise: answered, resolve } = Promise.withResolvers<void>();
      const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
      const service = serviceOf(c, shared, spans, answered);
      const response = serveForeign({ route, request: c.req.raw, trace: traceOf(c), waitUntil }, service);
      // As for all requests: the files of a request must be deleted even if its client disconnects.
      waitUntil(response.catch(() => {}).then(() => resolve()));
      return response;
    });
    app.all(route.path, (c, next) => {
      if (!isForeign(c)) return next();
      throw methodNotAllowed("POST");
    });
  }
  addForeignHealth(app, shared);
}

function addForeignHealth(
  app: App,
  { engineSemaphore, receiveSemaphore, containerSemaphore, uploadSemaphore }: SharedResources,
): void {
  const storage = new StorageProbe();
  const queues = [engineSemaphore, receiveSemaphore, containerSemaphore, uploadSemaphore];
  app.get("/health", async (c, next) => {
    if (!c.get("config").servesGotenberg) return next();
    const { isUp, body } = foreignHealth(await checkReadiness({ env: c.env, storage, queues }));
    return c.json(body, isUp ? 200 : 503);
  });
  app.get("/version", (c, next) => (c.get("config").servesGotenberg ? c.text(GOTENBERG_VERSION) : next()));
}
