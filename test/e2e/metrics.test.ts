// Tests the metrics of the host and its container, as Prometheus reads them: they must match the counts of the clients.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { createClient, upload } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { type HostServer, startHost } from "../support/host-server.ts";
import { freePort } from "../support/processes.ts";
import { readSamples, sumOf } from "../support/prometheus.ts";

const folder = mkdtempSync(join(tmpdir(), "metrics-"));
const hosts: HostServer[] = [];
afterAll(async () => {
  await Promise.all(hosts.map((host) => host.stop()));
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** Starts a host. Returns its URL and the URL of its metrics. */
async function start(name: string, settings: Record<string, string>) {
  const port = await freePort();
  const host = await startHost({
    dataFolder: join(folder, name),
    logFile: join(folder, `${name}.log`),
    settings: { METRICS_PORT: String(port), ...settings },
  });
  hosts.push(host);
  return { url: host.url, metricsUrl: `http://127.0.0.1:${port}/metrics` };
}

async function samplesAt(url: string) {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return readSamples(await response.text());
}

const CLIENTS = 4;
/** `METRICS_ROUNDS=200` extends the test to minutes. */
const ROUNDS = Number(process.env.METRICS_ROUNDS ?? 5);

test("metrics sum up to what four clients counted", async () => {
  const { url, metricsUrl } = await start("counted", { ENGINES: "chromium" });
  const client = createClient(url);
  const statuses: number[] = [];
  const work = async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const page = upload("<h1>Hello</h1>", "page.html");
      statuses.push((await client.post("/pdf", { file: page, output: "a" })).status);
      statuses.push((await client.post("/pdf", { file: page })).status);
      await fetch(`${url}/resource/unknown-${round}`);
      await fetch(`${url}/no/such/${round}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  const all = CLIENTS * ROUNDS;
  expect(statuses.filter((status) => status === 200)).toHaveLength(all);
  await eventually(async () => {
    // test/support/check-described.ts requests the description.
    const samples = (await samplesAt(metricsUrl)).filter(({ labels }) => labels.route !== "/openapi.json");
    const requests = samples
      .filter(({ name }) => name === "pagewright_requests_total")
      .map(({ labels: { method, route, status }, value }) => `${method} ${route} ${status}: ${value}`);
    expect(requests.toSorted()).toEqual([
      `GET /resource/:id 400: ${all}`,
      `GET other 404: ${all}`,
      `POST /pdf 200: ${all}`,
      `POST /pdf 400: ${all}`,
    ]);
    expect(sumOf(samples, "pagewright_request_duration_seconds_count")).toBe(4 * all);
    const jobs = { operation: "html-to-pdf", outcome: "answered" };
    expect(sumOf(samples, "pagewright_jobs_ended_total", jobs)).toBe(all);
    // If a busy machine stalls a browser, it is replaced and its jobs are retried.
    const ended = all + sumOf(samples, "pagewright_jobs_ended_total", { outcome: "lost" });
    expect(sumOf(samples, "pagewright_jobs_ended_total")).toBe(ended);
    expect(sumOf(samples, "pagewright_job_run_seconds_count")).toBe(ended);
    expect(sumOf(samples, "pagewright_container_up")).toBe(1);
    expect(sumOf(samples, "pagewright_engine_state", { engine: "chromium", state: "warm" })).toBe(1);
  });
  expect((await fetch(new URL("/up", metricsUrl))).status).toBe(404);
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
});

test("bytes received and sent are those that clients sent and received, over connections open and closed", async () => {
  const { url, metricsUrl } = await start("bytes", { ENGINES: "off" });
  const agents: Agent[] = [];
  const sockets = new Set<Socket>();
  /** Sends requests one after the other, over one connection. */
  const work = async (rounds: number, isLeftOpen: boolean) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.push(agent);
    for (let round = 1; round <= rounds; round++) {
      const headers = { "Content-Type": "application/octet-stream", "Content-Filename": "a.bin" };
      const asking = request(`${url}/upload`, { method: "POST", headers, agent });
      asking.once("socket", (socket) => sockets.add(socket));
      asking.end(randomBytes(10_000 * round));
      const [answer] = (await once(asking, "response")) as [IncomingMessage];
      await text(answer);
    }
    if (!isLeftOpen) agent.destroy();
  };
  try {
    await Promise.all([work(3, true), work(5, false), work(1, false)]);
    expect(sockets.size).toBe(3);
    await eventually(async () => {
      const samples = await samplesAt(metricsUrl);
      const total = (direction: "bytesRead" | "bytesWritten") =>
        [...sockets].reduce((sum, socket) => sum + socket[direction], 0);
      expect(total("bytesWritten")).toBeGreaterThan(220_000);
      expect(sumOf(samples, "pagewright_received_bytes_total")).toBe(total("bytesWritten"));
      expect(sumOf(samples, "pagewright_sent_bytes_total")).toBe(total("bytesRead"));
    });
  } finally {
    for (const agent of agents) agent.destroy();
  }
});

test("a host without its container still tells its own", async () => {
  const { url, metricsUrl } = await start("alone", {
    CONTAINER_URL: `http://127.0.0.1:${await freePort()}`,
    CONTAINER_SECRET: "none",
  });
  expect((await fetch(`${url}/up`)).status).toBe(200);
  const samples = await samplesAt(metricsUrl);
  expect(sumOf(samples, "pagewright_container_up")).toBe(0);
  expect(sumOf(samples, "pagewright_requests_total", { method: "GET", route: "/up", status: "200" })).toBe(1);
  expect(samples.filter(({ name }) => name.startsWith("pagewright_job"))).toEqual([]);
});
