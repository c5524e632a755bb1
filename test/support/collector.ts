// A trace collector for tests: a real HTTP server that accepts OTLP as JSON.

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";

const attributes = z.array(
  z.strictObject({
    key: z.string(),
    value: z.union([
      z.strictObject({ stringValue: z.string() }),
      z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
    ]),
  }),
);
/** The part of opentelemetry-proto's trace.proto that the service uses, in OTLP's JSON encoding. */
const otlp = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string() }),
          spans: z.array(
            z.strictObject({
              traceId: z.string().regex(/^[0-9a-f]{32}$/),
              spanId: z.string().regex(/^[0-9a-f]{16}$/),
              parentSpanId: z
                .string()
                .regex(/^[0-9a-f]{16}$/)
                .optional(),
              traceState: z.string().optional(),
              name: z.string().min(1),
              kind: z.union([z.literal(1), z.literal(2)]),
              startTimeUnixNano: z.string().regex(/^\d{19}$/),
              endTimeUnixNano: z.string().regex(/^\d{19}$/),
              attributes,
              status: z.strictObject({ code: z.literal(2) }).optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly traceState?: string | undefined;
  readonly name: string;
  readonly beginMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Collector extends AsyncDisposable {
  /** URL without a final slash. */
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** The headers of each request. */
  readonly requests: IncomingHttpHeaders[];
  /** Descriptions of invalid requests. */
  readonly faults: string[];
}

/** @param status of the collector's responses. @default 200 */
export async function startCollector(status = 200): Promise<Collector> {
  const collected: Pick<Collector, "spans" | "requests" | "faults"> = { spans: [], requests: [], faults: [] };
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join("");
    collected.requests.push(request.headers);
    try {
      if (request.method !== "POST" || request.url !== "/v1/traces")
        throw new Error(`${request.method} ${request.url}`);
      collected.spans.push(...spansIn(text));
    } catch (error) {
      collected.faults.push(String(error));
    }
    response.writeHead(status, { "Content-Type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    ...collected,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spansIn(text: string): CollectedSpan[] {
  return otlp.parse(JSON.parse(text)).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ startTimeUnixNano, endTimeUnixNano, attributes, ...span }) => ({
        ...span,
        service: valuesOf(resource.attributes)["service.name"]!,
        beginMs: Number(startTimeUnixNano) / 1e6,
        endMs: Number(endTimeUnixNano) / 1e6,
        attributes: valuesOf(attributes),
      })),
    ),
  );
}

const valuesOf = (list: z.infer<typeof attributes>): Record<string, string> =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0] as string]));

/** Formats a trace as a tree, one line per span: service, name, start and duration. */
export function drawTree(spans: readonly CollectedSpan[]): string {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const first = Math.min(...spans.map(({ beginMs }) => beginMs));
  const draw = (span: CollectedSpan, depth: number): string[] => {
    const times = `from ${(span.beginMs - first).toFixed(1)} ms, ${(span.endMs - span.beginMs).toFixed(1)} ms`;
    const children = spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
    return [
      `${"  ".repeat(depth)}${span.service}: ${span.name}, ${times}`,
      ...children.flatMap((child) => draw(child, depth + 1)),
    ];
  };
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined || !ids.has(parentSpanId));
  return roots.flatMap((root) => draw(root, 0)).join("\n");
}
