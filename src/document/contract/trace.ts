// Traces: parses and writes the headers of W3C Trace Context, and parses the spans that frames transmit.

import { LIMITS } from "./limits.ts";

/** Position of a request in a trace. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Parent span, 16 hexadecimal digits. @default the request is the root of the trace */
  readonly parentId?: string;
  readonly isSampled: boolean;
  /** Value of `tracestate`, forwarded unchanged. */
  readonly state?: string;
}

/** A unit of work with start and end times. */
export interface Span {
  readonly spanId: string;
  readonly parentId?: string;
  readonly name: string;
  /** Milliseconds since 1970, with fractions. */
  readonly beginMs: number;
  readonly endMs: number;
  /** True for the span of the whole request. @default false */
  readonly isRequest?: boolean;
  /** @default false */
  readonly isError?: boolean;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** Version, trace, parent and flags; later versions can append fields (Trace Context, 3.2). */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;
const SAMPLED = 1;

/** @returns undefined without a valid `traceparent`; `tracestate` is then ignored */
export function readTraceContext(headers: Headers): TraceContext | undefined {
  const [, version, traceId, parentId, flags, more] = TRACEPARENT.exec(headers.get("traceparent") ?? "") ?? [];
  if (!version || !traceId || !parentId || version === "ff" || (version === "00" && more !== undefined))
    return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  const state = headers.get("tracestate") ?? "";
  const isSampled = (Number.parseInt(flags!, 16) & SAMPLED) !== 0;
  return { traceId, parentId, isSampled, ...(TRACESTATE.test(state) ? { state } : {}) };
}

/** Parses the spans of another service. Ignores invalid spans. */
export function readSpans(spans: unknown): Span[] {
  return Array.isArray(spans) ? spans.slice(0, LIMITS.spansOfJob).filter(isSpan) : [];
}

function isSpan(value: unknown): value is Span {
  const { spanId, name, beginMs, endMs, attributes } = Object(value) as Partial<Record<keyof Span, unknown>>;
  return (
    typeof spanId === "string" &&
    typeof name === "string" &&
    Number.isFinite(beginMs) &&
    Number.isFinite(endMs) &&
    typeof attributes === "object" &&
    attributes !== null
  );
}

/** Returns the headers that make a span the parent of the next request. */
export function traceHeaders({ traceId, isSampled, state }: TraceContext, spanId: string): Record<string, string> {
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
  return { traceparent, ...(state === undefined ? {} : { tracestate: state }) };
}

/** Returns a new trace. @param ratio probability, from 0 to 1, that it is sampled */
export const newTrace = (ratio: number): TraceContext => ({ traceId: hex(16), isSampled: Math.random() < ratio });

export const newSpanId = (): string => hex(8);

function hex(bytes: number): string {
  return crypto
    .randomUUID()
    .replaceAll("-", "")
    .slice(0, 2 * bytes);
}
