// Starts the bundled Worker in workerd in a world with distances, with real containers.

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { EngineName } from "../../../container/engine-selection.ts";
import { root } from "../../../scripts/services/wrangler.ts";
import { hashKey, type KeyRecord } from "../../../src/service/ports/api-key.ts";
import { bundleOf } from "../worker-bundle.ts";
import { startContainers } from "./containers.ts";
import type { City } from "./places.ts";
import { type Cut, FROM_HEADER, JOURNEY_HEADER, type RecordedCall } from "./protocol.ts";
import type { Journey } from "./trips.ts";

export interface WorldOptions {
  readonly variant: "private" | "keyed";
  /** The setting `REGIONS`. @default everything is in Frankfurt */
  readonly regions?: string;
  readonly keys?: Readonly<Record<string, Partial<KeyRecord>>>;
  readonly vars?: Readonly<Record<string, string>>;
  /** Engines that start in each container. @default all engines */
  readonly engines?: readonly EngineName[];
}

export interface World extends AsyncDisposable {
  /** Sends a request that arrives in a city. The response is read to its end before this returns. */
  fetch(from: City, path: string, init?: RequestInit): Promise<Response>;
  /** Waits until the background work of all requests has ended. */
  settled(): Promise<void>;
  /** Records all calls from now on, and looks for these texts in them. */
  watch(...marks: readonly string[]): Promise<void>;
  /** Returns the calls since the last question. */
  calls(): Promise<readonly RecordedCall[]>;
  /** Returns the lines of all containers' logs. */
  containerLog(): Promise<readonly string[]>;
  /** Cuts a place off. @returns a function that restores it */
  cut(place: City, how: Cut): Promise<() => Promise<void>>;
}

const ORIGIN = "http://service.example";

/** Returns the trips that a response waited for. @returns undefined if it also waited for those of another request */
export const journeyTo = (response: Response): Journey | undefined =>
  JSON.parse(decodeURIComponent(response.headers.get(JOURNEY_HEADER) ?? "null")) as Journey | undefined;

/** Classes of Durable Objects by their bindings. */
const OBJECTS: Readonly<Record<string, string>> = {
  CLAIMS: "ClaimObject",
  JOBS: "JobQueueObject",
  CLIENT_LIMITS: "ClientLimits",
  DISPATCHER: "Dispatcher",
  CONTAINER: "EngineContainer",
  WEB_CONTAINER: "WebContainer",
  REGION_RUNNER: "RegionRunner",
};

interface RegionalBindings {
  readonly objects: Readonly<Record<string, string>>;
  readonly buckets: readonly string[];
}

/** Returns the bindings of a deployment. The first region has those of a deployment without regions. */
function bindingsOf(regions = ""): RegionalBindings {
  const others = regions.split(",").slice(1);
  const containers = others.flatMap((region) => {
    const suffix = region[0]!.toUpperCase() + region.slice(1);
    return [
      [`${region.toUpperCase()}_CONTAINER`, `EngineContainer${suffix}`],
      [`${region.toUpperCase()}_WEB_CONTAINER`, `WebContainer${suffix}`],
    ];
  });
  return {
    objects: { ...OBJECTS, ...(Object.fromEntries(containers) as Record<string, string>) },
    buckets: ["FILES", ...others.map((region) => `${region.toUpperCase()}_FILES`)],
  };
}

export async function startWorld(options: WorldOptions): Promise<World> {
  const { variant, regions, keys = {}, vars = {}, engines } = options;
  const folder = await mkdtemp(join(tmpdir(), "world-"));
  const platform = await startContainers(folder, engines);
  const { objects, buckets } = bindingsOf(regions);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...(await bundleOf(sourceOf(objects))),
      compatibilityDate: "2026-11-01",
      compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
      bindings: {
        ...{ VARIANT: variant, CONTAINER_INSTANCES: "1", WEB_CONTAINER_INSTANCES: "1", PLATFORM: platform.url },
        ...(regions === undefined ? {} : { REGIONS: regions }),
        ...vars,
      },
      r2Buckets: Object.fromEntries(buckets.map((name) => [name, name.toLowerCase()])),
      kvNamespaces: { API_KEYS: "keys" },
      d1Databases: { USAGE: "usage" },
      durableObjects: Object.fromEntries(
        Object.entries(objects).map(([name, className]) => [name, { className, useSQLite: true }]),
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
  const command = (name: string, value: unknown) =>
    send(`/world/${name}`, { method: "POST", body: JSON.stringify(value) });
  return {
    async fetch(from, path, init) {
      const request = new Request(new URL(path, ORIGIN), init);
      request.headers.set(FROM_HEADER, encodeURIComponent(from));
      const { method, headers, body } = request;
      const sent = { method, headers: Object.fromEntries(headers), body: body && (await request.bytes()) };
      return send(path.replace(ORIGIN, ""), sent);
    },
    settled: async () => void (await command("settled", {})),
    watch: async (...marks) => void (await command("marks", marks)),
    calls: async () => (await (await send("/world/calls")).json()) as readonly RecordedCall[],
    async containerLog() {
      const logs = (await readdir(folder)).filter((name) => name.endsWith(".log"));
      const texts = await Promise.all(logs.map((name) => readFile(join(folder, name), "utf8")));
      return texts.flatMap((text) => text.split("\n"));
    },
    async cut(place, cut) {
      await command("cut", { place, cut });
      return async () => void (await command("cut", { place }));
    },
    async [Symbol.asyncDispose]() {
      await miniflare.dispose();
      await platform.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Returns the main module: the Worker with all its classes in the world. */
function sourceOf(objects: Readonly<Record<string, string>>): string {
  const world = JSON.stringify(join(root, "test/worker/world/worker.ts"));
  const lines = [
    `import * as service from ${JSON.stringify(join(root, "src/index.ts"))};`,
    `import { arriving, locatedEntrypoint, locatedObject } from ${world};`,
    "export const { ContainerProxy } = service;",
    "export const JobRunner = locatedEntrypoint(service.JobRunner);",
    ...Object.entries(objects).map(
      ([binding, name]) => `export const ${name} = locatedObject(service.${name}, ${JSON.stringify(binding)});`,
    ),
    "export default arriving(service.default);",
  ];
  return lines.join("\n");
}
