// Tests that a service without regions, such as the host, carries out no request of a key that is bound to regions.
// Contract: docs/api.md#regions
import { expect, test } from "vitest";
import { createApp } from "../../../src/app/app.ts";
import { hashKey, type KeyRecord } from "../../../src/service/ports/api-key.ts";
import { ISOLATE_CAPACITY } from "../../../src/service/settings/capacity.ts";
import type { Env } from "../../../src/service/settings/config.ts";

const record: KeyRecord = { owner: "tests", created: "2026-11-27T00:00:00.000Z", revoked: null };
const records: Readonly<Record<string, KeyRecord>> = {
  [hashKey("bound")]: { ...record, regions: ["eu"] },
  [hashKey("free")]: record,
};
const env = { VARIANT: "keyed", API_KEYS: { get: async (hash: string) => records[hash] ?? null } };
const context = { waitUntil() {}, passThroughOnException() {}, props: {} };

test.each([
  ["bound", 503, "None of the regions of the key is available."],
  ["free", 400, "The 'content' field is required."],
])("the request of a %s key gets %i", async (key, status, error) => {
  const init = { method: "POST", body: new URLSearchParams({ output: "made" }), headers: { "Api-Key": key } };
  const request = new Request("http://service/html", init);
  const response = await createApp(ISOLATE_CAPACITY).fetch(request, env as unknown as Env, context);
  expect([response.status, await response.json()]).toEqual([status, { error }]);
});
