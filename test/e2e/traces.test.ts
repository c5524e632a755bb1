// Tests traces as a collector receives them, for a document that passes through the service and its container.
// Contract: docs/api.md#traces

import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { docx, paragraph } from "../fixtures/office.ts";
import { upload } from "../support/client.ts";
import { type Collector, drawTree, startCollector } from "../support/collector.ts";
import { eventually } from "../support/eventually.ts";
import { type Service, startService, type Target } from "../support/service.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

describe.each<Target>(["host", "wrangler"])("the service under %s", (target) => {
  let collector: Collector;
  let service: Service;

  beforeAll(async () => {
    collector = await startCollector();
    const vars = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=press%20room",
    };
    service = await startService({ target, variant: "private", vars, container: true });
  });
  afterAll(async () => {
    await service?.stop();
    await collector?.[Symbol.asyncDispose]();
  });
  afterEach(() => {
    collector.spans.length = 0;
  });

  const post = (headers: Record<string, string> = {}, file = docx({ body: paragraph("Hello") })) => {
    const form = new FormData();
    form.set("file", upload(file, "letter.docx"));
    form.set("output", "letter");
    return fetch(`${service.url}/pdf`, { method: "POST", body: form, headers });
  };
  /** Waits for the spans of both services. */
  const traced = (traceId: string, count: number) =>
    eventually(() => {
      const spans = collector.spans.filter((span) => span.traceId === traceId);
      expect(spans.length, drawTree(spans.length > 0 ? spans : collector.spans)).toBe(count);
      return spans;
    });

  test("a document's way through both services is one trace, below the caller's span", async () => {
    const answer = await post({ traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: "press=1" });
    expect(answer.status).toBe(200);
    const [, root] = /^00-4bf92f3577b34da6a3ce929d0e0e4736-([0-9a-f]{16})-01$/.exec(
      answer.headers.get("traceparent")!,
    )!;
    expect(answer.headers.get("tracestate")).toBe("press=1");
    const spans = await traced(TRACE, 9);
    console.log(drawTree(spans));
    const named = (service: string, name: string) => {
      const found = spans.filter((span) => span.service === service && span.name === name);
      expect(found).toHaveLength(1);
      return found[0]!;
    };
    const request = named("pagewright", "POST /pdf");
    expect(request).toMatchObject({ spanId: root, parentSpanId: PARENT, traceState: "press=1" });
    expect(request.attributes).toMatchObject({
      "http.route": "/pdf",
      "http.response.status_code": "200",
      "pagewright.request_id": answer.headers.get("X-Request-Id"),
    });
    for (const phase of ["receive", "wait", "engine", "store"]) {
      expect(named("pagewright", phase).parentSpanId).toBe(root);
    }
    const job = named("pagewright-container", "office-to-pdf");
    expect(job.parentSpanId).toBe(named("pagewright", "engine").spanId);
    expect(job.attributes).toMatchObject({ "pagewright.outcome": "answered" });
    for (const part of ["receive", "wait", "office"]) {
      expect(named("pagewright-container", part).parentSpanId).toBe(job.spanId);
    }
    expect(collector.faults).toEqual([]);
    expect(collector.requests.map((headers) => headers["x-tenant"])).toContain("press room");
  });

  test("an asynchronous job is below the request that it belongs to", async () => {
    const answer = await post({ Prefer: "respond-async", traceparent: `00-${TRACE}-${PARENT}-01` });
    expect(answer.status).toBe(202);
    const root = answer.headers.get("traceparent")!.split("-")[2];
    await eventually(() => {
      const spans = collector.spans.filter(({ traceId }) => traceId === TRACE);
      const job = spans.find(({ name }) => name === "job /pdf");
      expect(job?.parentSpanId, drawTree(spans)).toBe(root);
      const engine = spans.find(({ name, parentSpanId }) => name === "engine" && parentSpanId === job!.spanId);
      expect(spans.find(({ name }) => name === "office-to-pdf")?.parentSpanId).toBe(engine!.spanId);
    });
  });

  test("without a traceparent a trace begins here, and the logs have its id", async () => {
    const answer = await post();
    const traceId = answer.headers.get("traceparent")!.split("-")[1]!;
    await traced(traceId, 9);
    const requestId = answer.headers.get("X-Request-Id");
    await eventually(() => {
      const lines = readFileSync(service.logFile, "utf8").split("\n");
      const answered = lines.filter((line) => line.includes(`"requestId":"${requestId}"`));
      expect(answered.length).toBeGreaterThan(0);
      for (const line of answered) expect(line).toContain(`"traceId":"${traceId}"`);
    });
  });

  test("a caller that does not sample is not exported, health never is, and a refused document is", async () => {
    const unsampled = TRACE.replace("4bf9", "0000");
    const passed = await post({ traceparent: `00-${unsampled}-${PARENT}-00` });
    expect(passed.headers.get("traceparent")).toMatch(new RegExp(`^00-${unsampled}-[0-9a-f]{16}-00$`));
    for (const path of ["/up", "/ready"]) {
      const health = await fetch(`${service.url}${path}`, { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } });
      expect(health.headers.has("traceparent")).toBe(false);
      await health.body?.cancel();
    }
    const refused = await post({}, Buffer.concat([docx({ body: "" }).subarray(0, 900), Buffer.alloc(100)]));
    expect(refused.status).toBe(400);
    const traceId = refused.headers.get("traceparent")!.split("-")[1]!;
    await eventually(() => expect(collector.spans.map((span) => span.traceId)).toContain(traceId));
    expect(new Set(collector.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(collector.faults).toEqual([]);
  });
});

test("a collector that refuses everything, or is away, is logged once and slows nobody", async () => {
  await using collector = await startCollector(500);
  const vars = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const service = await startService({
    target: "host",
    variant: "private",
    vars,
    container: { vars: { CONTAINER_URL: "off" } },
  });
  const ask = async () => (await fetch(`${service.url}/openapi.json`)).status;
  try {
    for (let round = 1; round <= 2; round++) {
      expect(await ask()).toBe(200);
      await eventually(() => expect(collector.requests.length).toBeGreaterThanOrEqual(round));
    }
    await eventually(() => {
      const log = readFileSync(service.logFile, "utf8");
      expect(log.split('"traces not exported"')).toHaveLength(2);
      expect(log).toContain("the collector responded with 500");
    });
  } finally {
    await service.stop();
  }
});
