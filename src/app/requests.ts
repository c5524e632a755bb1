// Middleware for every request: assigns its ID, reads the settings, starts the trace, sets headers and writes the log.
import { routePath } from "hono/route";
import { rejectWebPages } from "../service/http/clients/web-callers.ts";
import { TUS_PATH } from "../service/http/contract/paths.ts";
import { Timing } from "../service/http/contract/timing.ts";
import { TUS_VERSION } from "../service/http/files/tus/headers.ts";
import { HEALTH_PATHS } from "../service/http/health/service-description.ts";
import { corsMiddleware, setSecurityHeaders } from "../service/http/responses/response-headers.ts";
import { RequestTrace } from "../service/http/traces/request-trace.ts";
import type { SpanExport } from "../service/http/traces/span-export.ts";
import { CLIENT_CLOSED_REQUEST, type CompletedRequest } from "../service/ports/completed-request.ts";
import { readConfig } from "../service/settings/config.ts";
import { type App, baseUrl, idsOf, log, type RequestContext } from "./context.ts";
import { addTraceHeaders } from "./traces.ts";

/** Paths without traces, because monitoring systems poll them frequently. */
const UNTRACED: ReadonlySet<string> = new Set([...HEALTH_PATHS, "/ready"]);

/** @param answered called when a request has completed, or its client has disconnected */
export function addRequestLifecycle(
  app: App,
  spans: SpanExport,
  answered: ((request: CompletedRequest) => void) | undefined,
): void {
  app.use(async (c, next) => {
    begin(c);
    const started = Date.now();
    const end = (status: number) => {
      const durationMs = Date.now() - started;
      answered?.({ method: c.req.method, route: routePath(c, -1), status, durationMs });
      if (c.env.ANALYTICS) writeDataPoint(c, status, durationMs);
      return { status, durationMs };
    };
    try {
      await next();
    } catch (error) {
      // `app.onError` has turned every Error into a response. Only a string arrives here: the reason with which a
      // server aborts the request of a disconnected client.
      end(CLIENT_CLOSED_REQUEST);
      throw error;
    }
    setHeaders(c);
    addTraceHeaders(c, spans);
    const { method } = c.req;
    log(idsOf(c), "request completed", { method, path: c.req.path, ...end(c.res.status) });
  });
  app.use(corsMiddleware());
  app.use(async (c, next) => {
    rejectWebPages(c.req.raw, new URL(c.env.FORWARDED_ORIGIN ?? c.req.url), c.req.path, c.get("config"));
    await next();
  });
  app.use(`${TUS_PATH}/*`, async (c, next) => {
    await next();
    if (c.req.method !== "OPTIONS") c.res.headers.set("Tus-Resumable", TUS_VERSION);
  });
}

function begin(c: RequestContext): void {
  c.set("requestId", crypto.randomUUID());
  const config = readConfig(c.env);
  c.set("config", config);
  c.set("timing", new Timing());
  c.set("trace", UNTRACED.has(c.req.path) ? undefined : RequestTrace.begin(c.req.raw.headers, config.traces));
}

function setHeaders(c: RequestContext): void {
  const { headers } = c.res;
  headers.set("X-Request-Id", c.get("requestId"));
  setSecurityHeaders(c.res, baseUrl(c).startsWith("https:"));
  if (c.req.method !== "POST") return;
  headers.set("Server-Timing", c.get("timing").header());
  headers.append("Vary", "Accept");
}

/**
 * Writes a data point for Cloudflare's Analytics Engine, which does not delay the response. docs/metrics.md lists the
 * columns.
 */
function writeDataPoint(c: RequestContext, status: number, durationMs: number): void {
  const route = routePath(c, -1);
  const sizes = [c.req.raw.headers, c.res.headers].map((headers) => Number(headers.get("Content-Length") ?? 0));
  c.env.ANALYTICS!.writeDataPoint({
    indexes: [route],
    blobs: [route, c.req.method, String(status), c.get("config").variant],
    doubles: [durationMs, ...c.get("timing").spent(), ...sizes],
  });
}
