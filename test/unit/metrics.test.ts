// Compares docs/metrics.md with the metrics that the container and the host register.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { JobMetrics } from "../../container/jobs/job-metrics.ts";
import { JobPool } from "../../container/jobs/job-pool.ts";
import { HostMetrics } from "../../host/host-metrics.ts";
import { FAILURE_REASONS } from "../../src/document/contract/failure.ts";
import { codeIn, rowsOf, sectionsOf } from "../support/markdown.ts";
import { readSamples } from "../support/prometheus.ts";

const page = sectionsOf(readFileSync(resolve(import.meta.dirname, "../../docs/metrics.md"), "utf8"));
const OF_PROCESSES = /^pagewright_(container|host)_(process|nodejs)_/;

/** Returns name, type and labels of each metric with samples, except the metrics of the process. */
function described(text: string): string[] {
  const samples = readSamples(text);
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].filter(([, name]) => !OF_PROCESSES.test(name!));
  return types.map(([, name, type]) => {
    const suffix = type === "histogram" ? "_count" : "";
    const labels = Object.keys(samples.find((sample) => sample.name === `${name}${suffix}`)!.labels);
    return [name, type, ...labels].join(" ");
  });
}

const documented = (section: string) =>
  rowsOf(page.get(section)!.text, "Metric").map(({ Metric, Type, Labels }) =>
    [codeIn(Metric!)[0], Type, ...codeIn(Labels!)].join(" "),
  );

test("of the container", async () => {
  const pool = new JobPool({ atOnce: 1, waiting: 1, maxWaitMs: 1 });
  const metrics = new JobMetrics({ operations: new Map([["a", { pool }]]), engines: () => ({ office: "warm" }) });
  metrics.ended("a", { outcome: "answered", receivedMs: 1, waitedMs: 3, durationMs: 8 });
  const text = await metrics.text();
  expect(described(text)).toEqual(documented("of-the-container"));
  const sums = readSamples(text).filter(({ name }) => /seconds_sum$/.test(name) && !OF_PROCESSES.test(name));
  expect(sums.map(({ value }) => value)).toEqual([0.002, 0.005]);
});

test("of the host, followed by the container's", async () => {
  const metrics = new HostMetrics();
  metrics.answered({ method: "GET", route: "/up", status: 200, durationMs: 1 });
  metrics.answered({ method: "BREW", route: "/*", status: 404, durationMs: 1 });
  const text = await metrics.text("pagewright_jobs_running 7\n");
  expect(described(text)).toEqual(documented("of-the-host"));
  const samples = readSamples(text);
  expect(samples.at(-1)).toEqual({ name: "pagewright_jobs_running", labels: {}, value: 7 });
  const requests = samples.filter(({ name }) => name === "pagewright_requests_total");
  expect(requests.map(({ labels }) => Object.values(labels).join(" "))).toEqual(["/up GET 200", "other other 404"]);
});

test("outcomes", () => {
  const rows = rowsOf(page.get("of-the-container")!.text, "Outcome");
  const outcomes = rows.flatMap(({ Outcome }) => codeIn(Outcome!));
  expect(outcomes).toEqual(["answered", "left", "out-of-range", ...FAILURE_REASONS]);
});

test("the dashboard shows metrics that exist, with their labels", async () => {
  const dashboard = readFileSync(resolve(import.meta.dirname, "../../deploy/grafana-dashboard.json"), "utf8");
  const pool = new JobPool({ atOnce: 1, waiting: 1, maxWaitMs: 1 });
  const ofContainer = new JobMetrics({ operations: new Map([["a", { pool }]]), engines: () => ({ office: "warm" }) });
  ofContainer.ended("a", { outcome: "answered", receivedMs: 1, waitedMs: 3, durationMs: 8 });
  const ofHost = new HostMetrics();
  ofHost.answered({ method: "POST", route: "/png", status: 200, durationMs: 1 });
  const samples = readSamples(await ofHost.text(await ofContainer.text()));
  const { panels } = JSON.parse(dashboard) as { panels: { title: string; targets: { expr: string }[] }[] };
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(10);
  for (const expression of expressions) {
    const [name, ...others] = new Set(expression.match(/pagewright_\w+/g));
    expect(others, expression).toEqual([]);
    const sample = samples.find((one) => one.name === name);
    expect(sample, expression).toBeDefined();
    const labels = Object.keys(sample!.labels);
    const used = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(", "));
    expect(labels, expression).toEqual(expect.arrayContaining(used));
  }
});
