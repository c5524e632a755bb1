// The trace of one request: its parent span in the caller's trace, its own spans, and the spans of the container.

import {
  newSpanId,
  newTrace,
  readTraceContext,
  type Span,
  type TraceContext,
  traceHeaders,
} from "../../../document/contract/trace.ts";
import type { TraceSettings } from "../../settings/trace-settings.ts";
import type { Phase, Timing } from "../contract/timing.ts";
import type { ExportedSpan } from "./span-export.ts";

/** A completed request. */
export interface TracedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly requestId: string;
}

/** A completed attempt of an asynchronous job. */
export interface TracedJob {
  readonly path: string;
  readonly requestId: string;
  readonly isError: boolean;
}

const CONTAINER_SERVICE = "-container";

export class RequestTrace {
  readonly #trace: TraceContext;
  readonly #service: string;
  readonly #spanIds = new Map<Phase | "request", string>();

  private constructor(trace: TraceContext, service: string) {
    this.#trace = trace;
    this.#service = service;
  }

  /** @returns undefined if the request has no trace context, and the settings export no traces */
  static begin(headers: Headers, settings: TraceSettings | undefined): RequestTrace | undefined {
    const trace = readTraceContext(headers) ?? (settings ? newTrace(settings.ratio) : undefined);
    return trace && new RequestTrace(trace, settings?.service ?? "");
  }

  get traceId(): string {
    return this.#trace.traceId;
  }

  get isSampled(): boolean {
    return this.#trace.isSampled;
  }

  /** Trace headers of the response. */
  get responseHeaders(): Readonly<Record<string, string>> {
    return traceHeaders(this.#trace, this.#spanId("request"));
  }

  /** Trace headers of requests to the container. The spans of the container become children of the span `engine`. */
  get containerHeaders(): Readonly<Record<string, string>> {
    return traceHeaders(this.#trace, this.#spanId("engine"));
  }

  /** Returns the spans of the request and of its phases. */
  spans(timing: Timing, { method, route, status, requestId }: TracedRequest): ExportedSpan[] {
    return this.#spans(timing, {
      ...{ name: `${method} ${route}`, isRequest: true, isError: status >= 500 },
      attributes: {
        "http.request.method": method,
        "http.route": route,
        "http.response.status_code": status,
        "pagewright.request_id": requestId,
      },
    });
  }

  /** Returns the spans of an asynchronous job and of its phases. */
  spansOfJob(timing: Timing, { path, requestId, isError }: TracedJob): ExportedSpan[] {
    const attributes = { "http.route": path, "pagewright.request_id": requestId };
    return this.#spans(timing, { name: `job ${path}`, isError, attributes });
  }

  #spans(timing: Timing, about: Pick<Span, "name" | "isRequest" | "isError" | "attributes">): ExportedSpan[] {
    const { parentId } = this.#trace;
    const requestSpanId = this.#spanId("request");
    const { beginMs, endMs, phases } = timing.intervals();
    const parent = parentId === undefined ? {} : { parentId };
    const request: Span = { ...about, ...parent, spanId: requestSpanId, beginMs, endMs };
    const parts = phases.map(({ phase, spentMs, ...times }): Span => {
      const attributes = { "pagewright.spent_ms": spentMs };
      return { ...times, spanId: this.#spanId(phase), parentId: requestSpanId, name: phase, attributes };
    });
    return [request, ...parts].map((span) => ({ trace: this.#trace, service: this.#service, span }));
  }

  /** Converts the spans that the container reported. */
  ofContainer(spans: readonly Span[]): ExportedSpan[] {
    return spans.map((span) => ({ trace: this.#trace, service: `${this.#service}${CONTAINER_SERVICE}`, span }));
  }

  #spanId(of: Phase | "request"): string {
    const known = this.#spanIds.get(of) ?? newSpanId();
    this.#spanIds.set(of, known);
    return known;
  }
}
