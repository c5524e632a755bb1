// Exports spans to a collector by OTLP over HTTP, as JSON (opentelemetry-proto 1.x). Sends batches of spans after
// the responses of their requests. Drops spans if the buffer is full or the collector rejects them.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { Span, TraceContext } from "../../../document/contract/trace.ts";
import { delay } from "../../../runtime/delay.ts";
import type { Log } from "../../../runtime/log-line.ts";
import type { TraceSettings } from "../../settings/trace-settings.ts";

export interface ExportedSpan {
  readonly trace: TraceContext;
  readonly service: string;
  readonly span: Span;
}

/** Time for which spans are collected before they are sent. */
const GATHER_MS = 500;
/**
 * If the request that should send the spans has not done so after this time, the platform has terminated it, and
 * another request sends them.
 */
const TAKEN_OVER_MS = 30_000;
/** Protocol constants: SPAN_KIND_INTERNAL, SPAN_KIND_SERVER, STATUS_CODE_ERROR. */
const INTERNAL = 1;
const SERVER = 2;
const ERROR = 2;

export class SpanExport {
  #spans: ExportedSpan[] = [];
  /** Time at which a request became responsible for sending the spans. */
  #gathering: number | undefined;
  /** True after a failed export, so that only the first of consecutive failures is logged. */
  #isFailing = false;

  add(spans: readonly ExportedSpan[]): void {
    const capacity = LIMITS.spans - this.#spans.length;
    this.#spans.push(...spans.slice(0, Math.max(0, capacity)));
  }

  /** Sends the spans after a short delay, unless another request will send them. Never rejects. */
  async flush(settings: TraceSettings, log: Log): Promise<void> {
    const now = Date.now();
    if (this.#gathering !== undefined && now - this.#gathering < TAKEN_OVER_MS) return;
    this.#gathering = now;
    await delay(GATHER_MS);
    const spans = this.#spans;
    this.#spans = [];
    this.#gathering = undefined;
    if (spans.length === 0) return;
    try {
      await send(settings, spans);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) log("traces not exported", { spans: spans.length, error: String(error) });
      this.#isFailing = true;
    }
  }
}

/** @throws Error if the collector rejects the spans or times out */
async function send({ url, headers }: TraceSettings, spans: readonly ExportedSpan[]): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(otlp(spans)),
    redirect: "manual",
    signal: AbortSignal.timeout(LIMITS.spansExportMs),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the collector responded with ${response.status}`);
}

/** Returns an ExportTraceServiceRequest. */
function otlp(spans: readonly ExportedSpan[]): object {
  const resourceSpans = [...Map.groupBy(spans, ({ service }) => service)].map(([service, ofService]) => ({
    resource: { attributes: attributesOf({ "service.name": service }) },
    scopeSpans: [{ scope: { name: "pagewright" }, spans: ofService.map(encode) }],
  }));
  return { resourceSpans };
}

function encode({ trace, span }: ExportedSpan): object {
  const { spanId, parentId, name, beginMs, endMs, isRequest = false, isError = false, attributes } = span;
  return {
    traceId: trace.traceId,
    spanId,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    ...(trace.state === undefined ? {} : { traceState: trace.state }),
    name,
    kind: isRequest ? SERVER : INTERNAL,
    startTimeUnixNano: nanoseconds(beginMs),
    endTimeUnixNano: nanoseconds(Math.max(beginMs, endMs)),
    attributes: attributesOf(attributes),
    ...(isError ? { status: { code: ERROR } } : {}),
  };
}

/** Returns nanoseconds as text, because they exceed JavaScript's safe integers. */
const nanoseconds = (ms: number) => `${Math.round(ms * 1000)}000`;

function attributesOf(attributes: Span["attributes"]): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? { stringValue: value } : { intValue: String(Math.round(value)) },
  }));
}
