// Adds the trace ID of a request to the response headers, and exports the request's spans.
import { routePath } from "hono/route";
import type { Span } from "../document/contract/trace.ts";
import type { RequestTrace } from "../service/http/traces/request-trace.ts";
import type { ExportedSpan, SpanExport } from "../service/http/traces/span-export.ts";
import type { JobOrigin } from "../service/placement/connection.ts";
import type { TraceSettings } from "../service/settings/trace-settings.ts";
import { log, type RequestContext } from "./context.ts";

/** Adds the trace ID to the response headers, then exports the spans. */
export function addTraceHeaders(c: RequestContext, spans: SpanExport): void {
  const trace = c.get("trace");
  if (!trace) return;
  for (const [name, value] of Object.entries(trace.responseHeaders)) c.res.headers.set(name, value);
  const { method } = c.req;
  const request = { method, route: routePath(c, -1), status: c.res.status, requestId: c.get("requestId") };
  const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
  const target = { spans, traces: c.get("config").traces, waitUntil };
  exportSpans(trace, target, () => trace.spans(c.get("timing"), request));
}

/** Makes the container's spans children of the trace. */
export const callerTrace = (trace: RequestTrace, target: Export): NonNullable<JobOrigin["trace"]> => ({
  headers: trace.containerHeaders,
  received: (reported: readonly Span[]) => exportSpans(trace, target, () => trace.ofContainer(reported)),
});

interface Export {
  readonly spans: SpanExport;
  readonly traces: TraceSettings | undefined;
  waitUntil(work: Promise<unknown>): void;
}

/** @param made creates the spans; called only if they are exported */
export function exportSpans(
  trace: RequestTrace,
  { spans, traces, waitUntil }: Export,
  made: () => readonly ExportedSpan[],
): void {
  if (!traces || !trace.isSampled) return;
  spans.add(made());
  waitUntil(spans.flush(traces, (message, details) => log({}, message, details)));
}
