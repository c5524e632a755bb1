// Tests limits that several regions share, with real Durable Objects inside workerd.
// Contract: docs/api.md#limits-of-a-client
import { env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { countedName, durableLimiter } from "../../src/service/keys/durable-limiter.ts";
import type { Limiter } from "../../src/service/ports/limiter.ts";
import type { Env } from "../../src/service/settings/config.ts";
import { eventually } from "../support/eventually.ts";
import { limiterConformance } from "../support/limiter-conformance.ts";

const { CLIENT_LIMITS } = env as unknown as Required<Pick<Env, "CLIENT_LIMITS">>;
const NAMES = ["weur", "enam", "wnam", "apac", "oc"];
const REGIONS = NAMES.join();
const limiterIn = (region: string): Limiter => durableLimiter(CLIENT_LIMITS, { REGIONS, REGION: region });
const objectOf = (name: string) => CLIENT_LIMITS.get(CLIENT_LIMITS.idFromName(name));
const keysOf = (name: string) => runInDurableObject(objectOf(name), async (_, { storage }) => storage.list());

/** Ends the memory of an object, even while it has timers. */
const restart = (name: string) =>
  runInDurableObject(objectOf(name), (_, context) => context.abort("restarted by the test")).catch(() => {});

describe("a region that is not the center", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());
  limiterConformance({
    open: () => limiterIn("oc"),
    now: () => Date.now(),
    passes: (ms) => void vi.setSystemTime(Date.now() + ms),
  });
});

test("10,000 requests from five regions in parallel never exceed the limits", async () => {
  const limits = { requestsPerMinute: 4000, concurrentJobs: 300, megabytesPerDay: 2, storedMegabytes: 1 };
  const counts = { accepted: 0, bytes: 0, jobs: 0, mostJobs: 0, stored: 0, failed: 0 };
  const rejected: Record<string, number> = {};
  const requests = Array.from({ length: 10_000 }, async (_, at) => {
    const limiter = limiterIn(NAMES[at % NAMES.length]!);
    const [bytes, isJob] = [at % 1000, at % 3 === 0];
    const decision = await limiter.acquire("crowd", limits, { isJob, bytes }).catch(() => undefined);
    if (!decision) return void counts.failed++;
    if (decision.rejected) {
      rejected[decision.rejected.limit] = (rejected[decision.rejected.limit] ?? 0) + 1;
      return;
    }
    counts.accepted++;
    counts.bytes += bytes;
    if (isJob) counts.jobs++;
    counts.mostJobs = Math.max(counts.mostJobs, counts.jobs);
    const stored = await limiter.store("crowd", 1, { bytes: 1000, expires: Date.now() + 3_600_000 });
    if (!stored.rejected) counts.stored += 1000;
    if (isJob) counts.jobs--;
    await limiter.release("crowd", decision.lease, 0);
  });
  await Promise.all(requests);
  console.log(JSON.stringify({ ...counts, rejected }));
  expect(counts.accepted).toBeLessThanOrEqual(4000);
  expect(counts.mostJobs).toBeLessThanOrEqual(300);
  expect(counts.bytes).toBeLessThanOrEqual(2 * 2 ** 20);
  expect(counts.stored).toBeLessThanOrEqual(2 ** 20);
  expect(counts.accepted).toBeGreaterThan(2000);
  await Promise.all(NAMES.map((name) => limiterIn(name).peek("crowd", limits)));
  const left = await limiterIn("weur").peek("crowd", limits);
  expect(left.concurrentJobs!.count).toBeLessThanOrEqual(300);
  expect(left.megabytesPerDay!.count).toBeLessThanOrEqual(2 * 2 ** 20 - counts.bytes);
});

test("regions share limits, and their counts outlive the memory of all objects", async () => {
  const limits = { requestsPerMinute: 10, concurrentJobs: 2, megabytesPerDay: 1 };
  const request = { isJob: true, bytes: 1000 };
  const [home, away] = [limiterIn("weur"), limiterIn("oc")];
  await away.acquire("shared", limits, request);
  const { lease } = await home.acquire("shared", limits, request);
  expect((await away.acquire("shared", limits, request)).rejected?.limit).toBe("concurrentJobs");
  await home.release("shared", lease, 2 ** 20);
  expect((await away.acquire("shared", limits, request)).rejected?.limit).toBe("megabytesPerDay");
  await eventually(async () => expect((await keysOf("oc/shared/weur")).has("counts")).toBe(true));
  await eventually(async () => expect((await keysOf("shared")).has("counts")).toBe(true));
  await restart("oc/shared/weur");
  await restart("shared");
  for (const limiter of [away, home]) {
    const left = await limiter.peek("shared", limits);
    expect(left).toMatchObject({ concurrentJobs: { count: 1 }, megabytesPerDay: { count: 0 } });
  }
});

test("an allowance is stored before the region knows it", async () => {
  await limiterIn("oc").acquire("stored", { requestsPerMinute: 10 }, { isJob: false, bytes: 0 });
  await evictDurableObject(objectOf("stored"));
  expect((await limiterIn("weur").peek("stored", { requestsPerMinute: 10 })).requestsPerMinute!.count).toBeLessThan(10);
});

test("without regions, and in the region of the center, the client's object counts alone", async () => {
  const limits = { requestsPerMinute: 10 };
  await durableLimiter(CLIENT_LIMITS, {}).acquire("alone", limits, { isJob: false, bytes: 0 });
  await limiterIn("weur").acquire("alone", limits, { isJob: false, bytes: 0 });
  await eventually(async () => expect([...(await keysOf("alone")).keys()]).toEqual(["counts"]));
  const left = await durableLimiter(CLIENT_LIMITS, {}).peek("alone", limits);
  expect(left.requestsPerMinute!.count).toBe(8);
});

test("a client whose key is bound to one region is counted by one object in that region", async () => {
  const limits = { requestsPerMinute: 10 };
  const name = countedName("bound", ["oc"], { REGIONS });
  expect(name).toBe("oc/bound");
  await limiterIn("oc").acquire(name, limits, { isJob: false, bytes: 0 });
  await eventually(async () => expect([...(await keysOf("oc/bound")).keys()]).toEqual(["counts"]));
  expect(countedName("bound", ["apac", "weur"], { REGIONS })).toBe("weur/bound");
  expect(countedName("bound", undefined, { REGIONS })).toBe("bound");
  expect(countedName("bound", undefined, { REGIONS, BOUND_REGIONS: "oc,apac" })).toBe("apac/bound");
  expect(countedName("bound", ["oc"], {})).toBe("bound");
});
