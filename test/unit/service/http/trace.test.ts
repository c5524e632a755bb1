// Tests the headers of W3C Trace Context, and the settings of the trace export.
// Contract: docs/api.md#traces
import { describe, expect, test } from "vitest";
import { readSpans, readTraceContext, traceHeaders } from "../../../../src/document/contract/trace.ts";
import { readTraceSettings } from "../../../../src/service/settings/trace-settings.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const read = (traceparent: string, tracestate?: string) =>
  readTraceContext(new Headers({ traceparent, ...(tracestate === undefined ? {} : { tracestate }) }));

test("a valid traceparent is taken, and passed on with another parent", () => {
  const trace = read(`00-${TRACE}-${PARENT}-01`, "vendor=1,other=2")!;
  expect(trace).toEqual({ traceId: TRACE, parentId: PARENT, isSampled: true, state: "vendor=1,other=2" });
  expect(traceHeaders(trace, "1111111111111111")).toEqual({
    traceparent: `00-${TRACE}-1111111111111111-01`,
    tracestate: "vendor=1,other=2",
  });
});

test.each([
  [`00-${TRACE}-${PARENT}-00`, false],
  [`00-${TRACE}-${PARENT}-02`, false],
  [`00-${TRACE}-${PARENT}-03`, true],
  [`cc-${TRACE}-${PARENT}-01-what-the-future-brings`, true],
])("%s is sampled: %s", (traceparent, isSampled) => {
  expect(read(traceparent)).toMatchObject({ traceId: TRACE, isSampled });
});

test.each([
  "",
  "nonsense",
  `00-${TRACE}-${PARENT}`,
  `00-${TRACE}-${PARENT}-1`,
  `00-${TRACE}-${PARENT}-01-more`,
  `ff-${TRACE}-${PARENT}-01`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `00-${"0".repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${"0".repeat(16)}-01`,
  `cc-${TRACE}-${PARENT}-01x`,
  `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
])("%j is ignored", (traceparent) => {
  expect(read(traceparent, "vendor=1")).toBeUndefined();
});

test("a tracestate that is too long is not passed on", () => {
  expect(read(`00-${TRACE}-${PARENT}-01`, "a".repeat(513))).not.toHaveProperty("state");
});

test("spans of the other end that cannot be read are left out, and so are too many", () => {
  const span = { spanId: "a", name: "b", beginMs: 1, endMs: 2, attributes: {} };
  expect(readSpans([span, null, { ...span, endMs: "2" }, 7])).toEqual([span]);
  expect(readSpans(Array.from({ length: 1000 }, () => span))).toHaveLength(16);
  expect(readSpans({})).toEqual([]);
});

describe("settings", () => {
  test("without an endpoint, nothing is exported", () => {
    expect(readTraceSettings({ OTEL_EXPORTER_OTLP_HEADERS: "a=b" })).toBeUndefined();
  });

  test("of OpenTelemetry", () => {
    const settings = readTraceSettings({
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example/otlp/",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x, tenant=a=b",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
    });
    expect(settings).toEqual({
      url: "https://collector.example/otlp/v1/traces",
      headers: { authorization: "Bearer x", tenant: "a=b" },
      service: "pagewright",
      ratio: 0.25,
    });
  });

  test.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, "must be an http or https URL"],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:99999" }, "must be an http or https URL"],
    [{ OTEL_TRACES_SAMPLER_ARG: "2" }, "must be a number from 0 to 1"],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "secret" }, "must be a list such as"],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "a=%zz" }, "must be a list such as"],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "a=b%0Ac" }, "must be a list such as"],
  ])("%o is refused", (variables, message) => {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector", ...variables };
    expect(() => readTraceSettings(settings)).toThrow(message);
  });
});
