// Tests the Durable Object that counts the requests of a client, and the usage of keys in D1, inside workerd.
// Contract: docs/api.md#limits-of-a-client, #usage
import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { storingOf } from "../../src/service/http/clients/storing.ts";
import { d1Usage } from "../../src/service/keys/d1-usage.ts";
import { durableLimiter } from "../../src/service/keys/durable-limiter.ts";
import { UsageCollector } from "../../src/service/keys/usage-collector.ts";
import { NO_COUNTS, sumOf } from "../../src/service/keys/usage-table.ts";
import { dayOf } from "../../src/service/ports/usage.ts";
import type { Env } from "../../src/service/settings/config.ts";
import type { FoundFile } from "../../src/service/storage/file.ts";
import { createMemoryQuota } from "../../src/service/storage/memory-quota.ts";
import { createStore } from "../../src/service/storage/store.ts";
import { giveBackFiles } from "../../src/service/storage/stored-bytes.ts";
import { eventually } from "../support/eventually.ts";
import { keyConformance } from "../support/key-conformance.ts";
import { limiterConformance } from "../support/limiter-conformance.ts";
import { usageConformance } from "../support/usage-conformance.ts";
import { bucket, emptyBucketBeforeEach, keysInBucket } from "./bucket.ts";

const { CLIENT_LIMITS, USAGE, API_KEYS } = env as unknown as Required<
  Pick<Env, "CLIENT_LIMITS" | "USAGE"> & { readonly API_KEYS: KVNamespace }
>;
const aRequest = { isJob: true, bytes: 1000 };
emptyBucketBeforeEach();

describe("conformance", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());
  limiterConformance({
    open: () => durableLimiter(CLIENT_LIMITS, {}),
    now: () => Date.now(),
    passes: (ms) => void vi.setSystemTime(Date.now() + ms),
  });
  usageConformance(() => d1Usage(USAGE));
  keyConformance({ records: () => API_KEYS, put: (hash, record) => API_KEYS.put(hash, JSON.stringify(record)) });
});

/** Returns a store whose files count against the limits of a client. */
function storeOf(client: string, storedMegabytes: number) {
  const limiter = durableLimiter(CLIENT_LIMITS, {});
  const expires = () => Date.now() + 3_600_000;
  const counting = { client, limits: { storedMegabytes }, limiter, waitUntil: () => {}, log: () => {} };
  const storing = storingOf(counting, expires);
  const retired = (files: readonly FoundFile[]) => giveBackFiles(files, limiter);
  const marks = () => ({ counts: client, expires: expires() });
  const store = createStore(bucket, { lifetimeMs: 0, marks, storing, retired });
  const room = createMemoryQuota({ perRequest: 2 ** 20, total: 2 ** 20 }).openReservation();
  const left = async () => (await limiter.peek(client, { storedMegabytes })).storedMegabytes!.count;
  return { store, room, left };
}

const fileOf = (sizeMiB: number) => ({
  ...{ name: "a", type: "text/plain" },
  body: Array.from({ length: sizeMiB }, () => new Uint8Array(2 ** 20)),
});

test("what a batch stores counts once it is there, small files and large ones, and removed files do not", async () => {
  const { store, room, left } = storeOf("stores", 40);
  const batch = store.batch("output", room);
  for (let at = 0; at < 8; at++) await batch.add({ ...fileOf(0), body: new Uint8Array(2 ** 17) });
  await batch.add(fileOf(20));
  const files = await batch.commit();
  expect(await left()).toBe(19 * 2 ** 20);
  const found = (await Promise.all(files.map(({ id }) => store.find(id)))) as FoundFile[];
  await Promise.all([store.retire(found.slice(7)), store.retire(found.slice(7))]);
  expect(await left()).toBe(39 * 2 ** 20 + 2 ** 17);
  await store.retire(found.slice(0, 7));
  expect(await left()).toBe(40 * 2 ** 20);
});

test("a file beyond the limit is refused on its way, and what is discarded counts no more", async () => {
  const { store, room, left } = storeOf("refused", 20);
  const batch = store.batch("output", room);
  await batch.add(fileOf(4));
  let made = 0;
  const endless = (function* () {
    for (;;) {
      made++;
      yield new Uint8Array(2 ** 20);
    }
  })();
  await expect(batch.add({ ...fileOf(0), body: endless })).rejects.toMatchObject({
    status: 429,
    message: "The limit of 20 MB of stored files is reached, please try again later.",
  });
  expect(made).toBeLessThan(40);
  await batch.discard();
  await eventually(async () => expect(await left()).toBe(20 * 2 ** 20));
  const small = store.batch("input", room);
  await small.add(fileOf(15));
  await small.commit();
  const other = store.batch("input", room);
  await other.add(fileOf(6));
  await expect(other.commit()).rejects.toMatchObject({ status: 429, headers: { "Retry-After": expect.any(String) } });
  await other.discard();
  expect((await keysInBucket()).filter((key) => key.startsWith("files/"))).toHaveLength(1);
});

test("counts outlive the memory of the object, and the object's storage ends when nothing counts any more", async () => {
  const limits = { megabytesPerDay: 1, requestsPerMinute: 5 };
  const limiter = durableLimiter(CLIENT_LIMITS, {});
  await limiter.acquire("kept", limits, aRequest);
  const stub = CLIENT_LIMITS.get(CLIENT_LIMITS.idFromName("kept"));
  const keys = () => runInDurableObject(stub, async (_, { storage }) => (await storage.list()).size);
  await eventually(async () => expect(await keys()).toBe(1));
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect((await limiter.peek("kept", limits)).megabytesPerDay!.count).toBe(2 ** 20 - 1000);
  await evictDurableObject(stub);
  expect((await limiter.peek("kept", limits)).megabytesPerDay!.count).toBe(2 ** 20 - 1000);
  const yesterday = { seconds: [[1, 1]], leases: [["a", 1]], day: "2026-01-01", bytes: 5 };
  await runInDurableObject(stub, (_, { storage }) => storage.put("counts", yesterday));
  await evictDurableObject(stub);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await keys()).toBe(0);
  expect((await limiter.acquire("kept", limits, aRequest)).left.requestsPerMinute!.count).toBe(4);
  await eventually(async () => expect(await keys()).toBe(1));
});

test("what two isolates collect adds up in D1", async () => {
  const records = d1Usage(USAGE);
  const quiet = { records, waitUntil: () => {}, log: () => {} };
  const collectors = [new UsageCollector(), new UsageCollector()];
  for (let at = 0; at < 10_000; at++) {
    const counts = { requests: 1, errors: at % 2, bytesIn: at, bytesOut: 1, tokens: 2 };
    collectors[at % 2]!.add(`key${at % 5}`, at % 3 === 0 ? "png" : "pdf", counts, quiet);
    if (at % 2000 === 0) await Promise.all(collectors.map((collector) => collector.record({ records })));
  }
  await Promise.all(collectors.map((collector) => collector.record({ records })));
  const rows = (await Promise.all([0, 1, 2, 3, 4].map((at) => records.read(`key${at}`, dayOf(Date.now()))))).flat();
  expect(rows).toHaveLength(10);
  const sums = { requests: 10_000, errors: 5000, bytesIn: 49_995_000, bytesOut: 10_000, tokens: 20_000 };
  expect(rows.reduce(sumOf, NO_COUNTS)).toEqual(sums);
});
