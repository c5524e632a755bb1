// Adds the metrics of a Node process to those of a service, and defines the buckets of the services' histograms.

import { collectDefaultMetrics, type PrometheusContentType, type Registry } from "@prometheus-io/client";

/** Upper bounds of the histogram buckets for requests and jobs, in seconds. */
export const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Gauges that are omitted, because `promtool check metrics` rejects their names: they end like names of counters. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

/** @param prefix of the names; must differ between processes whose metrics are served together */
export function collectProcessMetrics(registry: Registry<PrometheusContentType>, prefix: string): void {
  collectDefaultMetrics({ register: registry, prefix });
  for (const name of MISNAMED) registry.removeSingleMetric(`${prefix}${name}`);
}
