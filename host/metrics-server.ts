// Serves the metrics of the host and of the container on a separate port.

import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import { LIMITS } from "../src/document/contract/limits.ts";
import { isKnownHost } from "../src/service/http/clients/web-callers.ts";
import { unknownHost } from "../src/service/http/contract/errors.ts";
import { limitConnections } from "./connections.ts";
import type { HostMetrics } from "./host-metrics.ts";
import type { Variables } from "./settings.ts";

export interface MetricsServerSettings {
  readonly host: string;
  readonly port: number;
  /** Host names that requests can have, besides IP addresses and `localhost`. @default any */
  readonly hosts?: readonly string[];
  readonly metrics: HostMetrics;
  /** Returns the URL and secret of the container, if there is one. */
  container(): Pick<Variables, "CONTAINER_URL" | "CONTAINER_SECRET">;
  log(message: string, details: Record<string, unknown>): void;
}

/** @throws Error if the server cannot listen */
export async function serveMetrics(settings: MetricsServerSettings): Promise<void> {
  const { host: hostname, port, log } = settings;
  const fetch = (request: Request) => respondWithMetrics(request, settings);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const server = serve({ fetch, hostname, port }, () => resolve()) as Server;
  limitConnections(server);
  server.on("error", reject);
  await promise;
  log("metrics served", { host: hostname, port });
}

export async function respondWithMetrics(
  request: Request,
  { hosts, metrics, container, log }: Omit<MetricsServerSettings, "host" | "port">,
): Promise<Response> {
  const { hostname, pathname } = new URL(request.url);
  if (!isKnownHost(hostname, hosts ? { hosts } : {}))
    return new Response(`${unknownHost().message}\n`, { status: 403 });
  if (pathname !== "/metrics") return new Response("no such page\n", { status: 404 });
  if (request.method !== "GET") return new Response("only GET\n", { status: 405, headers: { Allow: "GET" } });
  const others = await containerMetrics(container()).catch((error) => {
    log("container metrics not read", { error: String(error) });
    return undefined;
  });
  return new Response(await metrics.text(others), { headers: { "Content-Type": metrics.contentType } });
}

/** @throws Error if the container does not respond in time, or its metrics exceed the size limit */
async function containerMetrics({
  CONTAINER_URL,
  CONTAINER_SECRET,
}: ReturnType<MetricsServerSettings["container"]>): Promise<string | undefined> {
  if (!CONTAINER_URL) return undefined;
  const response = await fetch(`${CONTAINER_URL}/metrics`, {
    headers: { Authorization: `Bearer ${CONTAINER_SECRET}` },
    signal: AbortSignal.timeout(LIMITS.metricsMs),
  });
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > LIMITS.metricsBytes) throw new Error(`more than ${LIMITS.metricsBytes} bytes`);
    chunks.push(chunk);
  }
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  return Buffer.concat(chunks).toString();
}
