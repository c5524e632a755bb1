// Starts the bundled Worker in workerd in a world with distances, with real containers.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { type ContainerProcess, startContainer } from "../../../scripts/services/container-process.ts";
import { root, runWrangler } from "../../../scripts/services/wrangler.ts";
import { hashKey, type KeyRecord } from "../../../src/service/ports/api-key.ts";
import type { Trip } from "./trips.ts";

export interface WorldOptions {
  readonly variant: "private" | "keyed";
  /** Places of bindings, and of objects by `BINDING/name`. */
  readonly places: Readonly<Record<string, string>>;
  /** Duration of each trip to another place: longer than the program computes between two concurrent calls. */
  readonly delayMs: number;
  readonly keys?: Readonly<Record<string, Partial<KeyRecord>>>;
  readonly vars?: Readonly<Record<string, string>>;
}

export interface World extends AsyncDisposable {
  /** Sends a request that arrives at a place. */
  fetch(from: string, path: string, init?: RequestInit): Promise<Response>;
  /** Returns the trips since the last call. */
  trips(): Promise<readonly Trip[]>;
}

const OBJECTS = {
  CLAIMS: "ClaimObject",
  JOBS: "JobQueueObject",
  CLIENT_LIMITS: "ClientLimits",
  DISPATCHER: "Dispatcher",
  CONTAINER: "EngineContainer",
  WEB_CONTAINER: "WebContainer",
};
const ORIGIN = "http://service.example";

export async function startWorld({ variant, places, delayMs, keys = {}, vars = {} }: WorldOptions): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "world-"));
  const platform = await startPlatform(folder);
  const entry = join(root, "test/support/world/worker.ts");
  await runWrangler(["deploy", entry, "--dry-run", "--containers-rollout=none", "--outdir", join(folder, "bundle")]);
  const bundle = join(folder, "bundle");
  const texts = (await readdir(bundle)).filter((name) => !/^(worker\.js(\.map)?|README\.md)$/.test(name));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modulesRoot: bundle,
      modules: [
        { type: "ESModule" as const, path: join(bundle, "worker.js") },
        ...texts.map((name) => ({
          type: name.endsWith(".wasm") ? ("CompiledWasm" as const) : ("Text" as const),
          path: join(bundle, name),
        })),
      ],
      compatibilityDate: "2026-11-01",
      compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
      bindings: {
        ...{ VARIANT: variant, CONTAINER_INSTANCES: "1", WEB_CONTAINER_INSTANCES: "1", ...vars },
        ...{ PLATFORM: platform.url, PLACES: JSON.stringify(places), DELAY_MS: String(delayMs) },
      },
      r2Buckets: { FILES: "files" },
      kvNamespaces: { API_KEYS: "keys" },
      d1Databases: { USAGE: "usage" },
      durableObjects: Object.fromEntries(
        Object.entries(OBJECTS).map(([name, className]) => [name, { className, useSQLite: true }]),
      ),
    }),
  );
  await miniflare.ready;
  const records = await miniflare.getKVNamespace("API_KEYS");
  for (const [key, settings] of Object.entries(keys)) {
    const record = { owner: "tests", created: new Date().toISOString(), revoked: null, ...settings };
    await records.put(hashKey(key), JSON.stringify(record));
  }
  const send = (path: string, init: RequestInit = {}) =>
    miniflare.dispatchFetch(`${ORIGIN}${path}`, init as never) as unknown as Promise<Response>;
  return {
    fetch: (from, path, { headers, ...init } = {}) =>
      send(path.replace(ORIGIN, ""), { ...init, headers: { ...(headers as object), "World-From": from } }),
    trips: async () => (await (await send("/world/trips")).json()) as readonly Trip[],
    async [Symbol.asyncDispose]() {
      await miniflare.dispose();
      await platform.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Starts real containers for the objects: `POST /start/{name}` with the container's environment, `POST /stop/{name}`. */
async function startPlatform(folder: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const containers = new Map<string, ContainerProcess>();
  const act = async (verb: string, name: string, text: string): Promise<object> => {
    if (verb === "start") {
      const { PORT: _, ...env } = JSON.parse(text) as Record<string, string>;
      const container = await startContainer({ logFile: join(folder, `container-${containers.size}.log`), env });
      containers.set(name, container);
      return { port: Number(new URL(container.vars.CONTAINER_URL!).port) };
    }
    const container = containers.get(name);
    if (verb === "stop") await container?.stop();
    else await container?.ended;
    return {};
  };
  const server = createServer(async (request, response) => {
    const [, verb = "", name = ""] = request.url!.split("/");
    const text = (await request.toArray()).join("");
    await act(verb, name, text).then(
      (body) => response.end(JSON.stringify(body)),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      await Promise.all([...containers.values()].map((container) => container.stop()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
