// Tests that the limiters of both the Worker and the host must pass.
// Contract: docs/api.md#limits-of-a-client

import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/document/contract/limits.ts";
import type { LimitDecision, Limiter, LimitRequest, Limits } from "../../src/service/ports/limiter.ts";

const MB = 2 ** 20;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface TestedLimiter {
  /** Opens the limiter, as another process would. */
  open(): Promise<Limiter> | Limiter;
  /** Returns the current time of the limiters' clock. */
  now(): number;
  /** Advances the limiters' clock. */
  passes(ms: number): void;
}

/**
 * Opens the limiter for a new client, shortly after 8 o'clock (UTC). Each call opens it again, as another process
 * would.
 */
function clientOf({ open, now, passes }: TestedLimiter) {
  passes(DAY_MS + 8 * HOUR_MS + 400 - (now() % DAY_MS));
  const client = randomUUID();
  const limiter = async () => await open();
  return {
    acquire: async (limits: Limits, asked: Partial<LimitRequest> = {}) =>
      (await limiter()).acquire(client, limits, { isJob: true, bytes: 0, ...asked }),
    renew: async (lease: string) => (await limiter()).renew(client, lease),
    release: async (lease: string | undefined, bytes: number) => (await limiter()).release(client, lease, bytes),
    peek: async (limits: Limits) => (await limiter()).peek(client, limits),
    store: async (megabytes: number, hours?: number) =>
      (await limiter()).store(client, 10, storedBytes(now(), megabytes, hours)),
    giveBack: async (megabytes: number, hours?: number) =>
      (await limiter()).giveBack(client, storedBytes(now(), megabytes, hours)),
    removed: async (...files: (ReturnType<typeof storedBytes> & { readonly id: string })[]) =>
      (await limiter()).removed(client, files),
    stored: async () => (await (await limiter()).peek(client, { storedMegabytes: 10 })).storedMegabytes,
  };
}

/** @param hours time until the files expire; undefined if they never expire */
const storedBytes = (now: number, megabytes: number, hours?: number) => ({
  bytes: megabytes * MB,
  ...(hours === undefined ? {} : { expires: now + hours * HOUR_MS }),
});

const accepted = (decisions: readonly LimitDecision[]) => decisions.filter(({ rejected }) => !rejected);
const several = <T>(count: number, call: () => Promise<T>) => Promise.all(Array.from({ length: count }, call));

export function limiterConformance(tested: TestedLimiter): void {
  describe("requests a minute", () => testRequests(tested));
  describe("jobs at the same time", () => testJobs(tested));
  describe("MB a day", () => testBytes(tested));
  describe("stored bytes", () => testStored(tested));

  test("a request that one limit rejects counts for none", async () => {
    const client = clientOf(tested);
    const limits = { requestsPerMinute: 10, concurrentJobs: 1, megabytesPerDay: 1 };
    await client.acquire(limits, { bytes: 10 });
    const before = await client.peek(limits);
    expect((await client.acquire(limits, { bytes: 10 })).rejected?.limit).toBe("concurrentJobs");
    expect((await client.acquire(limits, { bytes: 2 * MB })).rejected?.limit).toBe("megabytesPerDay");
    expect(await client.peek(limits)).toEqual(before);
  });
}

function testRequests(tested: TestedLimiter): void {
  const limits = { requestsPerMinute: 3 };

  test("the last within the limit passes, the next one does not, and does not count", async () => {
    const client = clientOf(tested);
    for (const count of [2, 1, 0]) {
      expect(await client.acquire(limits)).toEqual({ left: { requestsPerMinute: { count, seconds: 61 } } });
    }
    const decisions = await several(5, () => client.acquire(limits));
    const rejected = { limit: "requestsPerMinute", retryAfterSeconds: 61 };
    expect(decisions.map((decision) => decision.rejected)).toEqual(Array(5).fill(rejected));
    expect(await client.peek(limits)).toEqual({ requestsPerMinute: { count: 0, seconds: 61 } });
  });

  test("of 20 at once, as many pass as the limit has, and other clients do not count", async () => {
    const [client, other] = [clientOf(tested), clientOf(tested)];
    expect(accepted(await several(20, () => client.acquire({ requestsPerMinute: 10 })))).toHaveLength(10);
    expect((await other.acquire({ requestsPerMinute: 10 })).left.requestsPerMinute?.count).toBe(9);
  });

  test("no 60 seconds have more, whenever they begin", async () => {
    const client = clientOf(tested);
    const passed: number[] = [];
    // Every 375 ms, for five minutes.
    for (let tried = 0; tried < 800; tried++, tested.passes(375)) {
      if (!(await client.acquire(limits)).rejected) passed.push(tested.now());
    }
    expect(passed.length).toBeGreaterThan(12);
    for (const [at, from] of passed.entries()) {
      expect(passed.slice(at).filter((time) => time < from + 60_000).length).toBeLessThanOrEqual(3);
    }
  });

  test("Retry-After is the time until the next one passes, and no longer", async () => {
    const client = clientOf(tested);
    for (let at = 0; at < 3; at++, tested.passes(10_000)) await client.acquire(limits);
    const retryAfter = async () => (await client.acquire(limits)).rejected?.retryAfterSeconds;
    tested.passes(((await retryAfter())! - 1) * 1000);
    expect(await retryAfter()).toBe(1);
    tested.passes(1000);
    expect(await retryAfter()).toBeUndefined();
    expect(await retryAfter()).toBe(10);
  });
}

function testJobs(tested: TestedLimiter): void {
  const limits = { concurrentJobs: 2 };
  const left = (count: number) => ({ concurrentJobs: { count } });

  test("a job counts until it is released; requests without a job do not", async () => {
    const client = clientOf(tested);
    const [first] = [await client.acquire(limits), await client.acquire(limits)];
    expect((await client.acquire(limits)).rejected?.limit).toBe("concurrentJobs");
    expect(await client.acquire(limits, { isJob: false })).toEqual({ left: left(0) });
    for (let count = 0; count < 2; count++) await client.release(first.lease, 0);
    expect((await client.acquire(limits)).lease).toBeDefined();
    expect((await client.acquire(limits)).rejected).toBeDefined();
  });

  test("of 20 at once, as many pass as the limit has, and all leases end", async () => {
    const client = clientOf(tested);
    const leases = accepted(await several(20, () => client.acquire(limits)));
    expect(leases).toHaveLength(2);
    await Promise.all(leases.map(({ lease }) => client.release(lease, 0)));
    expect(await client.peek(limits)).toEqual(left(2));
  });

  test("a lease that is not renewed expires, and is not renewed later", async () => {
    const client = clientOf(tested);
    const { lease } = await client.acquire(limits);
    await client.acquire(limits);
    tested.passes(LIMITS.clientLeaseMs - 1);
    expect((await client.acquire(limits)).rejected).toBeDefined();
    await client.renew(lease!);
    tested.passes(1);
    expect(await client.peek(limits)).toEqual(left(1));
    tested.passes(LIMITS.clientLeaseMs);
    expect(await client.peek(limits)).toEqual(left(2));
    await client.renew(lease!);
    expect(await client.peek(limits)).toEqual(left(2));
  });
}

function testBytes(tested: TestedLimiter): void {
  const limits = { megabytesPerDay: 1 };

  test("the byte at the limit passes, the one beyond does not", async () => {
    const client = clientOf(tested);
    const decided = (bytes: number) => client.acquire(limits, { bytes });
    expect((await decided(MB - 1)).rejected).toBeUndefined();
    expect((await decided(2)).rejected?.limit).toBe("megabytesPerDay");
    expect((await decided(1)).left.megabytesPerDay?.count).toBe(0);
    // No bytes are left. Even a request without a body is rejected.
    expect((await decided(0)).rejected).toEqual({ limit: "megabytesPerDay", retryAfterSeconds: 16 * 3600 });
  });

  test("bytes that are known later count, and a new day begins with none", async () => {
    const client = clientOf(tested);
    await client.release(undefined, 5 * MB);
    expect((await client.acquire(limits)).rejected).toBeDefined();
    tested.passes(16 * HOUR_MS);
    const { left } = await client.acquire(limits, { bytes: MB });
    expect(left.megabytesPerDay).toEqual({ count: 0, seconds: 86_400 });
  });

  test("of 20 at once, as many pass as fit", async () => {
    const client = clientOf(tested);
    expect(accepted(await several(20, () => client.acquire(limits, { bytes: MB / 8 })))).toHaveLength(8);
  });
}

function testStored(tested: TestedLimiter): void {
  test("count until they expire, to the hour, and say when there is capacity", async () => {
    const client = clientOf(tested);
    await client.store(4, 2);
    await client.store(4, 5);
    expect(await client.stored()).toEqual({ count: 2 * MB, seconds: 6 * 3600 });
    const { rejected } = await client.store(3, 1);
    expect(rejected).toEqual({ limit: "storedMegabytes", retryAfterSeconds: 3 * 3600 });
    expect((await client.store(7, 1)).rejected?.retryAfterSeconds).toBe(6 * 3600);
    tested.passes(rejected!.retryAfterSeconds * 1000);
    expect((await client.store(3, 1)).rejected).toBeUndefined();
    tested.passes(DAY_MS);
    expect(await client.stored()).toEqual({ count: 10 * MB, seconds: 0 });
  });

  test("of 20 files at once, as many fit as the limit has", async () => {
    const client = clientOf(tested);
    expect(accepted(await several(20, () => client.store(1, 24)))).toHaveLength(10);
    expect(await client.stored()).toMatchObject({ count: 0 });
  });

  test("that do not expire count until they are given back", async () => {
    const client = clientOf(tested);
    await client.store(9);
    tested.passes(1000 * HOUR_MS);
    expect(await client.stored()).toEqual({ count: MB });
    await client.giveBack(9);
    expect(await client.stored()).toEqual({ count: 10 * MB, seconds: 0 });
  });

  test("given back at another hour than expected are subtracted once, however many requests delete a file", async () => {
    const client = clientOf(tested);
    await client.store(3, 5);
    await client.store(3, 30);
    const file = { id: randomUUID(), ...storedBytes(tested.now(), 3, 6) };
    await several(5, () => client.removed(file, file));
    expect((await client.stored())?.count).toBe(7 * MB);
    await client.giveBack(100, 1);
    expect((await client.stored())?.count).toBe(10 * MB);
  });
}
