// Tests the host names under which the host serves its metrics.
import { expect, test } from "vitest";
import { HostMetrics } from "../../../host/host-metrics.ts";
import { respondWithMetrics } from "../../../host/metrics-server.ts";

const settings = { metrics: new HostMetrics(), container: () => ({}), log() {} };
const statusOf = async (url: string, hosts?: readonly string[]) =>
  (await respondWithMetrics(new Request(url), { ...settings, ...(hosts ? { hosts } : {}) })).status;

test.each([
  ["http://localhost:9464/metrics", 200],
  ["http://127.0.0.1:9464/metrics", 200],
  ["http://[::1]:9464/metrics", 200],
  ["http://pagewright:9464/metrics", 200],
  ["http://rebound.example:9464/metrics", 403],
  ["http://rebound.example:9464/", 403],
])("%s with names: %i", async (url, status) => {
  expect(await statusOf(url, ["localhost", "pagewright"])).toBe(status);
});

test("without names, any", async () => {
  expect(await statusOf("http://pagewright:9464/metrics")).toBe(200);
});
