// Runs the Worker in workerd with several regions, without containers.

import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { hashKey, type KeyRecord } from "../../../src/service/ports/api-key.ts";
import { bundleOf, reexporting } from "../worker-bundle.ts";
import type { Call, Control } from "./observations.ts";

/** Coordinates of cities. */
export const CITIES = {
  Frankfurt: "50.1 8.7",
  Virginia: "39.0 -77.5",
  Singapore: "1.3 103.9",
  Sydney: "-33.9 151.2",
} as const;
export type City = keyof typeof CITIES;

export const BUCKETS = {
  ...{ weur: "FILES", enam: "ENAM_FILES", apac: "APAC_FILES", oc: "OC_FILES", eu: "EU_FILES" },
} as const;
export type RegionName = keyof typeof BUCKETS;

export interface RegionalService extends AsyncDisposable {
  /** Sends a request that arrives in a city. */
  request(city: City, path: string, init?: RequestInit): Promise<Response>;
  readonly url: URL;
  /** Returns the keys of the objects in the bucket of a region. */
  keysIn(region: RegionName): Promise<readonly string[]>;
  /** Sets the lost regions, and returns the calls since the last use. */
  control(control?: Partial<Control>): Promise<readonly Call[]>;
  /** Runs the scheduled removal of expired files. */
  runSchedule(): Promise<void>;
}

interface Options {
  /** API keys with their settings. @default the private variant */
  readonly keys?: Readonly<Record<string, Partial<KeyRecord>>>;
  /** @default all regions of {@link BUCKETS}; "" means none */
  readonly regions?: string;
  /** Folder in which the data outlives the service. @default memory */
  readonly data?: string;
  /** Further settings of the service. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Region whose calls are not recorded. @default all calls are recorded */
  readonly unrecorded?: RegionName;
}

export async function startRegionalService({
  keys,
  regions,
  data,
  vars = {},
  unrecorded,
}: Options = {}): Promise<RegionalService> {
  const entry = join(import.meta.dirname, "../../worker/regions/worker.ts");
  const worker = {
    ...{ name: "service", ...(await bundleOf(reexporting(entry))) },
    compatibilityDate: "2026-11-01",
    compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
    bindings: {
      ...{ VARIANT: keys ? "keyed" : "private", CONTAINER_URL: "off" },
      ...{ REGIONS: regions ?? Object.keys(BUCKETS).join(), ...vars },
      ...(unrecorded ? { UNRECORDED: unrecorded } : {}),
    },
    r2Buckets: Object.fromEntries(Object.values(BUCKETS).map((name) => [name, name.toLowerCase()])),
    kvNamespaces: { API_KEYS: "keys" },
    d1Databases: { USAGE: "usage" },
    durableObjects: {
      CLAIMS: { className: "ClaimObject", useSQLite: true },
      JOBS: { className: "JobQueueObject", useSQLite: true },
      CLIENT_LIMITS: { className: "ClientLimits", useSQLite: true },
      REGION_RUNNER: { className: "RegionRunner", useSQLite: true },
    },
  };
  const persistence = data === undefined ? {} : { resourcePersistencePath: data };
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers: [worker], ...persistence }));
  const url = await miniflare.ready;
  const records = await miniflare.getKVNamespace("API_KEYS");
  for (const [key, settings] of Object.entries(keys ?? {})) {
    const record = { owner: "tests", created: new Date().toISOString(), revoked: null, ...settings };
    await records.put(hashKey(key), JSON.stringify(record));
  }
  const bucketIn = (region: RegionName) => miniflare.getR2Bucket(BUCKETS[region]);
  return {
    url,
    request(city, path, init = {}) {
      const headers = new Headers(init.headers);
      headers.set("Arrival", CITIES[city]);
      return fetch(new URL(path, url), { ...init, headers });
    },
    async keysIn(region) {
      const { objects } = await (await bucketIn(region)).list();
      return objects.map(({ key }) => key);
    },
    async control(control = {}) {
      const body = JSON.stringify({ lost: {}, ...control });
      const response = await fetch(new URL("/control", url), { method: "POST", body });
      return (await response.json()) as Call[];
    },
    async runSchedule() {
      const { scheduled } = await miniflare.getWorker();
      await scheduled({ cron: "17 * * * *" });
    },
    [Symbol.asyncDispose]: () => miniflare.dispose(),
  };
}
