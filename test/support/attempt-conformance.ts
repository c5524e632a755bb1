// Tests that every job store must pass, about attempts to run a job: leases, lost attempts, cancellation and races.
// Contract: docs/api.md#asynchronous-jobs

import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/document/contract/limits.ts";
import type { JobStore } from "../../src/service/ports/job-store.ts";
import type { LeasedJob } from "../../src/service/ports/jobs.ts";
import { deletions, enqueueAndTake, newJob, type TestedJobs } from "./job-conformance.ts";

const BUSY = { error: "The service is busy, please try again later.", errorStatus: 503 };

const leaseAndLose = async (store: JobStore) => store.markLost((await store.dequeue())!);

export function attemptConformance(tested: TestedJobs): void {
  describe("an attempt that is lost", () => {
    testLosses(tested);
    testRepetitions(tested);
  });
  describe("a job without capacity", () => testPostponements(tested));
  describe("a canceled job", () => testCancellation(tested));
  describe("at the same moment", () => testRaces(tested));
  testDeletions(tested);
}

function testLosses({ open, now, passes }: TestedJobs): void {
  test("is repeated, and its files are deleted", async () => {
    const store = await open(randomUUID());
    const first = await enqueueAndTake(store, "a");
    expect(await store.nextWakeup()).toBe(now() + LIMITS.asyncLeaseMs);
    passes(LIMITS.asyncLeaseMs - 1);
    expect(await store.dequeue()).toBeUndefined();
    passes(1);
    const second = (await store.dequeue())!;
    expect([second.attempt, second.form]).toEqual([2, first.form]);
    expect(second.seed).not.toBe(first.seed);
    expect(await deletions(store)).toEqual([{ ids: [], seed: first.seed, reserved: 8 }]);
  });

  test("has no effect any more", async () => {
    const store = await open(randomUUID());
    const first = await enqueueAndTake(store, "a");
    passes(LIMITS.asyncLeaseMs);
    const second = (await store.dequeue())!;
    expect(await store.renew(first)).toBe(false);
    expect(await store.reserve(first, 100)).toBe(false);
    expect(await store.complete(first, "{}")).toBe(false);
    await store.fail(first, BUSY);
    await store.postpone(first, BUSY);
    await store.markLost(first);
    expect(await store.status("a")).toEqual({ status: "pending", phase: "running" });
    for (let count = 0; count < 2; count++) expect(await store.complete(second, `{"by":2}`)).toBe(true);
    await store.markLost(second);
    expect(await store.status("a")).toEqual({ status: "completed", answer: `{"by":2}` });
  });

  test("is not lost as long as it renews its lease", async () => {
    const store = await open(randomUUID());
    const taken = await enqueueAndTake(store, "a");
    for (let count = 0; count < 5; count++) {
      passes(LIMITS.asyncLeaseMs - 1);
      expect(await store.dequeue()).toBeUndefined();
      expect(await store.renew(taken)).toBe(true);
    }
    expect(await store.complete(taken, "{}")).toBe(true);
  });
}

function testRepetitions({ open, now, passes, isShared }: TestedJobs): void {
  test("is the last after a number of them", async () => {
    const store = await open(randomUUID());
    await store.enqueue(newJob("a"));
    for (let count = 0; count < LIMITS.asyncAttempts; count++) {
      passes(600_000);
      await leaseAndLose(store);
    }
    const error = "The file could not be processed because of an internal failure.";
    expect(await store.status("a")).toEqual({ status: "failed", error, errorStatus: 500 });
    expect((await deletions(store)).at(-1)!.ids).toEqual(["input of a"]);
  });

  test("is followed by a delay, which grows from the second one on", async () => {
    const store = await open(randomUUID());
    await store.enqueue(newJob("a"));
    await leaseAndLose(store);
    for (const delayMs of [4 * LIMITS.asyncRetryMs, 16 * LIMITS.asyncRetryMs]) {
      await leaseAndLose(store);
      passes(delayMs - 1);
      expect(await store.dequeue()).toBeUndefined();
      passes(1);
    }
    expect(await store.dequeue()).toMatchObject({ id: "a" });
  });

  test("is lost when its lease ends, or soon if the queue restarts without it", async () => {
    const name = randomUUID();
    const before = await open(name);
    await enqueueAndTake(before, "a");
    const renewed = await enqueueAndTake(before, "b");
    const store = await open(name);
    const graceMs = isShared ? LIMITS.asyncLeaseMs : LIMITS.asyncGraceMs;
    expect(await store.nextWakeup()).toBe(now() + graceMs);
    passes(graceMs - 1);
    await store.renew(renewed);
    passes(1);
    expect(await store.dequeue()).toMatchObject({ id: "a", attempt: 2 });
    expect(await store.complete(renewed, "{}")).toBe(true);
  });
}

function testPostponements({ open, now, passes, isShared }: TestedJobs): void {
  // A host that had no capacity leaves the job to other hosts first.
  const retryMs = isShared ? 2 * LIMITS.asyncRetryMs : LIMITS.asyncRetryMs;

  test("is postponed for a while, once for each attempt", async () => {
    const store = await open(randomUUID());
    const first = await enqueueAndTake(store, "a");
    for (let count = 0; count < 2; count++) await store.postpone(first, BUSY);
    expect(await store.dequeue()).toBeUndefined();
    expect(await deletions(store)).toEqual([{ ids: [], seed: first.seed, reserved: 8 }]);
    expect(await store.nextWakeup()).toBe(now() + LIMITS.asyncRetryMs);
    passes(retryMs);
    expect((await store.dequeue())?.attempt).toBe(2);
  });

  test("does not delay others", async () => {
    const store = await open(randomUUID());
    await store.postpone(await enqueueAndTake(store, "a"), BUSY);
    expect((await enqueueAndTake(store, "b")).id).toBe("b");
  });

  test("fails if that lasts", async () => {
    const store = await open(randomUUID());
    await store.enqueue(newJob("a"));
    for (let count = 0; count <= LIMITS.asyncPostponements; count++) {
      await store.postpone((await store.dequeue())!, BUSY);
      passes(retryMs);
    }
    expect(await store.status("a")).toEqual({ status: "failed", ...BUSY });
  });
}

function testCancellation({ open, passes }: TestedJobs): void {
  test("is gone at once if it is queued", async () => {
    const store = await open(randomUUID());
    await store.enqueue(newJob("a"));
    expect(await store.cancel("a")).toBe(true);
    expect(await store.status("a")).toBeUndefined();
    expect(await store.dequeue()).toBeUndefined();
    expect(await store.cancel("a")).toBe(false);
    expect(await deletions(store)).toEqual([{ ids: ["input of a"], seed: undefined, reserved: 0 }]);
  });

  test("loses its results", async () => {
    const store = await open(randomUUID());
    const taken = await enqueueAndTake(store, "a");
    await store.complete(taken, `{"outputId":["x","y"]}`);
    await store.cancel("a");
    expect(await deletions(store)).toEqual([
      { ids: ["x", "y"], seed: undefined, reserved: 0 },
      { ids: ["input of a"], seed: taken.seed, reserved: 8 },
    ]);
  });

  test.each(["complete", "fail", "postpone", "markLost", "expiry"] as const)(
    "keeps its slot and files until its attempt ends: %s",
    async (end) => {
      const store = await open(randomUUID());
      const taken: LeasedJob[] = [];
      for (let count = 0; count < LIMITS.asyncJobs; count++) taken.push(await enqueueAndTake(store, `${count}`));
      const [first, ...others] = taken;
      await store.enqueue(newJob("next"));
      expect(await store.cancel("0")).toBe(true);
      expect(await store.status("0")).toBeUndefined();
      expect(await store.cancel("0")).toBe(false);
      expect(await store.renew(first!)).toBe(false);
      expect(await deletions(store)).toEqual([]);
      expect(await store.dequeue()).toBeUndefined();
      if (end === "complete") expect(await store.complete(first!, "{}")).toBe(false);
      else if (end === "expiry") {
        passes(LIMITS.asyncLeaseMs - 1);
        for (const other of others) await store.renew(other);
        passes(1);
      } else await store[end](first!, BUSY);
      expect((await store.dequeue())?.id).toBe("next");
      expect(await deletions(store)).toEqual([{ ids: ["input of 0"], seed: first!.seed, reserved: 8 }]);
      expect(await store.enqueue(newJob("0"))).toBe(true);
      expect(await store.status("0")).toMatchObject({ phase: "waiting" });
    },
  );
}

function testRaces({ open, passes, isShared }: TestedJobs): void {
  const several = <T>(call: (at: number) => Promise<T>) => Promise.all(Array.from({ length: 10 }, (_, at) => call(at)));

  test("each lease has one holder, and as many jobs run as allowed", async () => {
    const name = randomUUID();
    const stores = [await open(name), await open(name)] as const;
    await several((at) => stores[at % 2]!.enqueue(newJob(`${at}`)));
    const leased = (await several((at) => stores[at % 2]!.dequeue())).filter((job) => job !== undefined);
    const allowed = isShared ? 2 * LIMITS.asyncJobs : LIMITS.asyncJobs;
    expect(new Set(leased.map(({ id }) => id)).size).toBe(allowed);
    expect(leased).toHaveLength(allowed);
  });

  test("a job that is enqueued several times runs once", async () => {
    const store = await open(randomUUID());
    expect(await several(() => store.enqueue(newJob("a")))).toEqual(Array(10).fill(true));
    expect((await several(() => store.dequeue())).filter((job) => job !== undefined)).toHaveLength(1);
  });

  test("a lost attempt is repeated once, however many notice", async () => {
    const store = await open(randomUUID());
    const first = await enqueueAndTake(store, "a");
    passes(LIMITS.asyncLeaseMs);
    const [found] = await Promise.all([several(() => store.dequeue()), several(() => store.markLost(first))]);
    const [second, ...others] = [...found, await store.dequeue()].filter((job) => job !== undefined);
    expect([second, others]).toMatchObject([{ id: "a", attempt: 2 }, []]);
    expect(await deletions(store)).toHaveLength(1);
  });

  test("a job that is completed and canceled leaves no file", async () => {
    const store = await open(randomUUID());
    const [early, late] = [await enqueueAndTake(store, "a"), await enqueueAndTake(store, "b")];
    const answer = `{"outputId":"x"}`;
    const [completed, canceled] = await Promise.all([store.complete(early, answer), store.cancel("a")]);
    const [canceledFirst, completedLast] = await Promise.all([store.cancel("b"), store.complete(late, answer)]);
    expect([canceled, canceledFirst]).toEqual([true, true]);
    expect([await store.status("a"), await store.status("b")]).toEqual([undefined, undefined]);
    const deleted = await deletions(store);
    expect(deleted.map(({ seed }) => seed)).toEqual(expect.arrayContaining([early.seed, late.seed]));
    const outputs = [completed, completedLast].filter((counts) => counts).length;
    expect(deleted.filter(({ ids }) => ids.includes("x"))).toHaveLength(outputs);
  });

  test("of two outcomes of an attempt, the first counts", async () => {
    const store = await open(randomUUID());
    const taken = await enqueueAndTake(store, "a");
    const [completes] = await Promise.all([store.complete(taken, "{}"), store.fail(taken, BUSY)]);
    expect((await store.status("a"))?.status).toBe(completes ? "completed" : "failed");
    expect(await store.complete(taken, "{}")).toBe(completes);
  });
}

function testDeletions({ open, now, passes }: TestedJobs): void {
  test("a deletion that failed or was lost is repeated later, one that is done is not", async () => {
    const store = await open(randomUUID());
    await store.enqueue(newJob("a"));
    await store.cancel("a");
    const due = (await store.nextDeletion())!;
    expect(await store.nextDeletion()).toBeUndefined();
    await store.deletionFailed(due);
    expect(await store.nextDeletion()).toBeUndefined();
    expect(await store.nextWakeup()).toBe(now() + LIMITS.asyncRetryMs);
    passes(LIMITS.asyncRetryMs);
    expect(await store.nextDeletion()).toEqual(due);
    expect(await store.nextWakeup()).toBe(now() + LIMITS.asyncLeaseMs);
    passes(LIMITS.asyncLeaseMs);
    expect(await store.nextDeletion()).toEqual(due);
    for (let count = 0; count < 2; count++) await store.deletionDone(due);
    expect([await store.nextDeletion(), await store.nextWakeup()]).toEqual([undefined, undefined]);
  });
}
