// Records the spans of one job. The container returns them to its caller with the response, because it might have no
// network to a trace collector. So it also needs no collector credentials.

import { newSpanId, readTraceContext, type Span, type TraceContext } from "../../src/document/contract/trace.ts";
import { encodeSpans } from "../../src/service/placement/remote.ts";
import type { EndedJob } from "./job-metrics.ts";

export interface TracedJob {
  readonly operation: string;
  /** Name of the engine that does the work. */
  readonly engine: string;
}

export class JobTrace {
  readonly traceId: string;
  readonly #trace: TraceContext;
  readonly #job: TracedJob;
  readonly #beganMs = Date.now();

  private constructor(trace: TraceContext, job: TracedJob) {
    this.traceId = trace.traceId;
    this.#trace = trace;
    this.#job = job;
  }

  /** @returns undefined if the caller has no trace */
  static begin(headers: Headers, job: TracedJob): JobTrace | undefined {
    const trace = readTraceContext(headers);
    return trace && new JobTrace(trace, job);
  }

  /**
   * Returns a frame with the spans, which must be sent just before the response's last frame. Returns undefined if the
   * trace is not sampled.
   */
  frame(job: EndedJob): Uint8Array<ArrayBuffer> | undefined {
    return this.#trace.isSampled ? encodeSpans(this.#spans(job)) : undefined;
  }

  #spans({ outcome, receivedMs, waitedMs, durationMs, inputBytes = 0 }: EndedJob): Span[] {
    const { operation, engine } = this.#job;
    const spanId = newSpanId();
    const span = (name: string, beginMs: number, endMs: number, attributes: Span["attributes"] = {}): Span => ({
      ...{ spanId: newSpanId(), parentId: spanId, name, attributes },
      ...{ beginMs: this.#beganMs + beginMs, endMs: this.#beganMs + endMs },
    });
    const attributes = { "pagewright.outcome": outcome, "pagewright.input_bytes": inputBytes };
    return [
      {
        ...span(operation, 0, durationMs, attributes),
        ...{ spanId, isRequest: true, isError: outcome !== "answered" },
        ...(this.#trace.parentId === undefined ? {} : { parentId: this.#trace.parentId }),
      },
      span("receive", 0, receivedMs ?? durationMs),
      ...(receivedMs === undefined ? [] : [span("wait", receivedMs, waitedMs ?? durationMs)]),
      ...(waitedMs === undefined ? [] : [span(engine, waitedMs, durationMs)]),
    ];
  }
}
