// Tests that every job store must pass, about jobs and their results: SQLite in a Durable Object and on the host, and
// PostgreSQL.
// Contract: docs/api.md#asynchronous-jobs

import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/document/contract/limits.ts";
import type { JobStore } from "../../src/service/ports/job-store.ts";
import type { LeasedJob, NewJob } from "../../src/service/ports/jobs.ts";

const HOUR_MS = 3_600_000;
/** Queue limit in the tests: {@link LIMITS.asyncJobsQueued} would take minutes to reach. */
export const MAX_QUEUED = 200;

export interface TestedJobs {
  /**
   * Opens the store with a name as a starting process does, with {@link MAX_QUEUED}. Results expire after a day, or
   * never.
   */
  open(name: string, expires?: "never"): Promise<JobStore>;
  /** Returns the current time of the stores' clock. */
  now(): number;
  /** Advances the stores' clock. */
  passes(ms: number): void;
  /**
   * True if each store with a name is another host: it runs as many jobs as a host may, and leaves the leases of others
   * when it starts.
   */
  readonly isShared?: true;
}

export const newJob = (id: string, more: Partial<NewJob> = {}): NewJob => ({
  ...{ id, path: "/png", form: `{"form":"${id}"}`, baseUrl: "http://a.test", client: "c" },
  ...{ inputs: [`input of ${id}`], isTransient: false, ...more },
});

export async function all<T>(next: () => Promise<T | undefined>): Promise<T[]> {
  const taken: T[] = [];
  for (let one = await next(); one !== undefined; one = await next()) taken.push(one);
  return taken;
}

export async function enqueueAndTake(store: JobStore, id: string, more?: Partial<NewJob>): Promise<LeasedJob> {
  await store.enqueue(newJob(id, more));
  const taken = await store.dequeue();
  expect(taken?.id).toBe(id);
  return taken!;
}

/** Executes all deletions whose time has come, and returns them. */
export function deletions(store: JobStore) {
  return all(async () => {
    const due = await store.nextDeletion();
    if (!due) return undefined;
    await store.deletionDone(due);
    const { number: _, ...rest } = due;
    return rest;
  });
}

export function jobConformance(tested: TestedJobs): void {
  describe("jobs", () => {
    testOrder(tested);
    testClients(tested);
    testOutcomes(tested);
    testResults(tested);
  });
}

function testOrder({ open }: TestedJobs): void {
  test("run in the order in which they came, a limited number at a time", async () => {
    const store = await open(randomUUID());
    const ids = Array.from({ length: LIMITS.asyncJobs + 2 }, (_, number) => `job ${number}`);
    for (const id of ids) expect(await store.enqueue(newJob(id))).toBe(true);
    const taken = await all(() => store.dequeue());
    expect(taken.map(({ id }) => id)).toEqual(ids.slice(0, LIMITS.asyncJobs));
    expect(await store.status(ids.at(-1)!)).toEqual({ status: "pending", phase: "waiting", position: 2 });
    expect(await store.complete(taken[0]!, "{}")).toBe(true);
    expect((await store.dequeue())?.id).toBe(ids[LIMITS.asyncJobs]);
    expect(await store.status(ids.at(-1)!)).toEqual({ status: "pending", phase: "waiting", position: 1 });
  });

  test("have what they were enqueued with, also after a restart", async () => {
    const name = randomUUID();
    const form = JSON.stringify({ text: "\u{1f600}ä".repeat(400_000) });
    await (await open(name)).enqueue(newJob("a", { form }));
    const { attempt, seed, ...taken } = (await (await open(name)).dequeue())!;
    expect(JSON.parse(taken.form)).toEqual(JSON.parse(form));
    expect({ ...taken, form }).toEqual({ id: "a", path: "/png", form, baseUrl: "http://a.test", client: "c" });
    expect(attempt).toBe(1);
    expect(seed).toHaveLength(72);
  });

  test("are enqueued once", async () => {
    const store = await open(randomUUID());
    const taken = await enqueueAndTake(store, "a");
    expect(await store.enqueue(newJob("a"))).toBe(true);
    expect(await store.dequeue()).toBeUndefined();
    await store.complete(taken, `{"outputId":"x"}`);
    expect(await store.enqueue(newJob("a"))).toBe(true);
    expect(await store.status("a")).toEqual({ status: "completed", answer: `{"outputId":"x"}` });
  });

  test("report their progress", async () => {
    const store = await open(randomUUID());
    const taken = await enqueueAndTake(store, "a");
    expect(await store.status("a")).toEqual({ status: "pending", phase: "running" });
    expect(await store.renew(taken, { pagesDone: 3, pagesTotal: 9 })).toBe(true);
    expect(await store.status("a")).toEqual({ status: "pending", phase: "running", pagesDone: 3, pagesTotal: 9 });
  });
}

function testClients({ open }: TestedJobs): void {
  test("of several clients alternate, and each knows its position", async () => {
    const store = await open(randomUUID());
    const ids = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"];
    for (const id of ids) await store.enqueue(newJob(id, { client: id[0]! }));
    const expected: string[] = [];
    for (const id of ids) {
      const status = await store.status(id);
      if (status && "position" in status) expected[status.position - 1] = id;
    }
    const order = await all(async () => {
      const taken = await store.dequeue();
      if (taken) await store.complete(taken, "{}");
      return taken?.id;
    });
    expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
    expect(expected).toEqual(order);
  });

  test("of a client that comes later do not wait behind all of another's", async () => {
    const store = await open(randomUUID());
    for (let count = 0; count < 100; count++) await store.enqueue(newJob(`a${count}`, { client: "a" }));
    for (let count = 0; count < 50; count++) await store.complete((await store.dequeue())!, "{}");
    await store.enqueue(newJob("b0", { client: "b" }));
    await store.enqueue(newJob("b1", { client: "b" }));
    expect(await store.status("b0")).toMatchObject({ position: 2 });
    expect(await store.status("b1")).toMatchObject({ position: 4 });
    expect(await store.status("a50")).toMatchObject({ position: 1 });
  });

  test("of one client leave capacity for the jobs of others, however many come at once", async () => {
    const store = await open(randomUUID());
    const fill = async (client: string) => {
      for (let count = 0; ; ) {
        const ids = Array.from({ length: 7 }, (_, at) => `${client} ${count + at}`);
        const accepted = await Promise.all(ids.map((id) => store.enqueue(newJob(id, { client }))));
        count += accepted.filter((isAccepted) => isAccepted).length;
        if (!accepted.includes(false)) continue;
        expect(await store.status(ids[accepted.indexOf(false)]!)).toBeUndefined();
        return count;
      }
    };
    expect(await fill("a")).toBe(MAX_QUEUED / 2);
    expect(await fill("b")).toBe(MAX_QUEUED / 4);
    expect(await store.enqueue(newJob("c", { client: "c" }))).toBe(true);
    expect(await store.enqueue(newJob("one more", { client: "a" }))).toBe(false);
  });
}

function testOutcomes({ open }: TestedJobs): void {
  test("keep their files when they complete, except transient inputs", async () => {
    const store = await open(randomUUID());
    expect(await store.complete(await enqueueAndTake(store, "a"), "{}")).toBe(true);
    expect(await deletions(store)).toEqual([]);
    await store.complete(await enqueueAndTake(store, "b", { isTransient: true }), "{}");
    expect(await deletions(store)).toEqual([{ ids: ["input of b"], seed: undefined, reserved: 0 }]);
  });

  test("lose their files when they fail, once", async () => {
    const store = await open(randomUUID());
    const taken = await enqueueAndTake(store, "a");
    expect(await store.reserve(taken, 64)).toBe(true);
    expect(await store.reserve(taken, 32)).toBe(true);
    for (const error of ["No.", "Later."]) await store.fail(taken, { error, errorStatus: 422 });
    expect(await store.status("a")).toEqual({ status: "failed", error: "No.", errorStatus: 422 });
    expect(await deletions(store)).toEqual([{ ids: ["input of a"], seed: taken.seed, reserved: 64 }]);
  });

  test("that ran before have the first response", async () => {
    const store = await open(randomUUID());
    await store.record(newJob("a"), `{"files":[]}`);
    await store.record(newJob("a"), `{"files":["other"]}`);
    expect(await store.status("a")).toEqual({ status: "completed", answer: `{"files":[]}` });
    expect(await store.dequeue()).toBeUndefined();
  });
}

function testResults({ open, now, passes }: TestedJobs): void {
  test("are deleted after their lifetime", async () => {
    const store = await open(randomUUID());
    await store.complete(await enqueueAndTake(store, "a"), "{}");
    expect(await store.nextWakeup()).toBe(now() + 24 * HOUR_MS);
    passes(24 * HOUR_MS - 1);
    await store.dequeue();
    expect((await store.status("a"))?.status).toBe("completed");
    passes(1);
    await store.dequeue();
    expect(await store.status("a")).toBeUndefined();
    expect(await store.nextWakeup()).toBeUndefined();
  });

  test("stay if their lifetime is unlimited", async () => {
    const store = await open(randomUUID(), "never");
    await store.complete(await enqueueAndTake(store, "a"), "{}");
    passes(10_000 * HOUR_MS);
    await store.dequeue();
    expect((await store.status("a"))?.status).toBe("completed");
  });

  test("state who may cancel them, until they are canceled or deleted", async () => {
    const store = await open(randomUUID());
    await store.enqueue(newJob("a", { client: "owner", token: "hash" }));
    await store.enqueue(newJob("b", { client: "owner" }));
    await store.record(newJob("c", { client: "other", token: "its own" }), "{}");
    const marks = () => Promise.all(["a", "b", "c", "d"].map((id) => store.marks(id)));
    const third = { owner: "other", token: "its own" };
    expect(await marks()).toEqual([{ owner: "owner", token: "hash" }, { owner: "owner" }, third, undefined]);
    const taken = await store.dequeue();
    expect(await store.marks("a")).toEqual({ owner: "owner", token: "hash" });
    await store.complete(taken!, "{}");
    expect(await store.marks("a")).toEqual({ owner: "owner", token: "hash" });
    expect([await store.cancel("a"), await store.cancel("b")]).toEqual([true, true]);
    expect(await marks()).toEqual([undefined, undefined, third, undefined]);
    passes(HOUR_MS * 100);
    await store.dequeue();
    expect(await marks()).toEqual([undefined, undefined, undefined, undefined]);
  });
}
