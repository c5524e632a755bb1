// Tests which keys a host accepts while its database is away.
import { expect, test } from "vitest";
import { KeyCache } from "../../../../host/storage/postgres/key-cache.ts";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import type { KeyRecord } from "../../../../src/service/ports/api-key.ts";
import { RecordsUnavailable } from "../../../../src/service/ports/records-unavailable.ts";

test("a key that was used is known for a minute, others are not, and a revocation counts at once", async () => {
  let [now, calls] = [0, 0];
  const stored = new Map<string, KeyRecord>();
  let isAway = false;
  const get = async (hash: string) => {
    calls++;
    if (isAway) throw new RecordsUnavailable("away");
    return stored.get(hash) ?? null;
  };
  const cache = new KeyCache({ get }, () => now);
  const record = { owner: "a", created: "2026-01-01", revoked: null };
  stored.set("used", record).set("unused", record);
  expect(await cache.get("used", "json")).toEqual(record);
  expect(await cache.get("unknown", "json")).toBeNull();
  isAway = true;
  for (const hash of ["unused", "unknown"]) await expect(cache.get(hash, "json")).rejects.toThrow("away");
  calls = 0;
  for (now = 0; now < LIMITS.knownKeyMs; now += 100) expect(await cache.get("used", "json")).toEqual(record);
  // It does not ask the database, and wait for it, each time.
  expect(calls).toBeLessThanOrEqual(LIMITS.knownKeyMs / 1000);
  await expect(cache.get("used", "json")).rejects.toThrow("away");
  isAway = false;
  const revoked = { ...record, revoked: "2026-01-02" };
  stored.set("used", revoked);
  now += 1000;
  expect(await cache.get("used", "json")).toEqual(revoked);
  stored.delete("used");
  expect(await cache.get("used", "json")).toBeNull();
  isAway = true;
  await expect(cache.get("used", "json")).rejects.toThrow("away");
});
