// Runs the bundled Worker twice at the same time, as two isolates that share storage and Durable Objects.

import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { hashKey, type KeyRecord } from "../../src/service/ports/api-key.ts";
import { bundleOf } from "./worker-bundle.ts";

type Isolate = Awaited<ReturnType<Miniflare["getWorker"]>>;

export interface TwoIsolates extends AsyncDisposable {
  readonly isolates: readonly [Isolate, Isolate];
}

/** Starts the keyed variant with these keys, without a container. */
export async function startTwoIsolates(keys: Readonly<Record<string, Partial<KeyRecord>>>): Promise<TwoIsolates> {
  const bundle = await bundleOf();
  const worker = (scriptName?: string) => ({
    ...bundle,
    compatibilityDate: "2026-11-01",
    compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
    bindings: { VARIANT: "keyed", CONTAINER_URL: "off" },
    r2Buckets: { FILES: "files" },
    kvNamespaces: { API_KEYS: "keys" },
    d1Databases: { USAGE: "usage" },
    durableObjects: {
      CLIENT_LIMITS: { className: "ClientLimits", useSQLite: true, ...(scriptName ? { scriptName } : {}) },
    },
  });
  const workers = [
    { name: "first", ...worker() },
    { name: "second", ...worker("first") },
  ];
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers }));
  await miniflare.ready;
  const records = await miniflare.getKVNamespace("API_KEYS", "first");
  for (const [key, settings] of Object.entries(keys)) {
    const record = { owner: "tests", created: new Date().toISOString(), revoked: null, ...settings };
    await records.put(hashKey(key), JSON.stringify(record));
  }
  return {
    isolates: [await miniflare.getWorker("first"), await miniflare.getWorker("second")],
    [Symbol.asyncDispose]: () => miniflare.dispose(),
  };
}
