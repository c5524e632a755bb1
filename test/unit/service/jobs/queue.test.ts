// The queue of asynchronous jobs, in a real SQLite database. Only time is faked.
// Contract: docs/api.md#asynchronous-jobs
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { Queue } from "../../../../src/service/jobs/queue.ts";
import type { LeasedJob, NewJob } from "../../../../src/service/ports/jobs.ts";

const HOUR_MS = 3_600_000;
const BUSY = { error: "The service is busy, please try again later.", errorStatus: 503 };

let database: DatabaseSync;
let now: number;
let ended: string[];
let queue: Queue;

/** Opens the queue as a process that starts does. */
const open = (lifetimeMs = 24 * HOUR_MS) =>
  new Queue({
    sql: (statement, ...values) => database.prepare(statement).all(...values),
    now: () => now,
    lifetimeMs,
    deliveries: { add() {}, schedule: (id) => void ended.push(id), forget() {} },
  });

beforeEach(() => {
  database = new DatabaseSync(":memory:");
  now = 1_700_000_000_000;
  ended = [];
  queue = open();
});

const job = (id: string, more: Partial<NewJob> = {}): NewJob => ({
  ...{ id, path: "/png", form: `{"form":"${id}"}`, baseUrl: "http://a.test", client: "c" },
  ...{ inputs: [`input of ${id}`], isTransient: false, ...more },
});

function enqueueAndTake(id: string, more?: Partial<NewJob>): LeasedJob {
  queue.enqueue(job(id, more));
  const taken = queue.dequeue();
  expect(taken?.id).toBe(id);
  return taken!;
}

/** Carries out everything that is to be removed. */
function removals() {
  const all: { ids: readonly string[]; seed: string | undefined; reserved: number }[] = [];
  for (let removal = queue.nextDeletion(); removal; removal = queue.nextDeletion()) {
    const { number: _, ...rest } = removal;
    all.push(rest);
    queue.deletionDone(removal);
  }
  return all;
}

function pass(ms: number): void {
  now += ms;
  queue.expireLeases();
}

describe("jobs", () => {
  test("run in the order in which they came, a limited number at a time", () => {
    const ids = Array.from({ length: LIMITS.asyncJobs + 2 }, (_, number) => `job ${number}`);
    for (const id of ids) expect(queue.enqueue(job(id))).toBe(true);
    const taken = ids.map(() => queue.dequeue());
    expect(taken.map((one) => one?.id)).toEqual([...ids.slice(0, LIMITS.asyncJobs), undefined, undefined]);
    expect(queue.status(ids.at(-1)!)).toEqual({ status: "pending", phase: "waiting", position: 2 });
    expect(queue.complete(taken[0]!, "{}")).toBe(true);
    expect(queue.dequeue()?.id).toBe(ids[LIMITS.asyncJobs]);
    expect(queue.status(ids.at(-1)!)).toEqual({ status: "pending", phase: "waiting", position: 1 });
  });

  test("get what they were enqueued with", () => {
    const form = JSON.stringify({ text: "\u{1f600}ä".repeat(700_000) });
    const { attempt, seed, ...taken } = enqueueAndTake("a", { form });
    expect(JSON.parse(taken.form)).toEqual(JSON.parse(form));
    expect({ ...taken, form }).toEqual({ id: "a", path: "/png", form, baseUrl: "http://a.test", client: "c" });
    expect(attempt).toBe(1);
    expect(seed).toHaveLength(72);
  });

  test("are enqueued once", () => {
    const taken = enqueueAndTake("a");
    expect(queue.enqueue(job("a"))).toBe(true);
    expect(queue.dequeue()).toBeUndefined();
    queue.complete(taken, `{"outputId":"x"}`);
    queue.enqueue(job("a"));
    expect(queue.status("a")).toEqual({ status: "completed", answer: `{"outputId":"x"}` });
  });

  test("of several clients take turns, and each knows its position", () => {
    for (const id of ["a1", "a2", "a3", "a4"]) queue.enqueue(job(id, { client: "a" }));
    for (const id of ["b1", "b2"]) queue.enqueue(job(id, { client: "b" }));
    queue.enqueue(job("c1", { client: "c" }));
    const order: string[] = [];
    const positions = () =>
      ["a1", "a2", "a3", "a4", "b1", "b2", "c1"].flatMap((id) => {
        const status = queue.status(id);
        return status && "position" in status ? [[status.position, id] as const] : [];
      });
    const expected = positions().toSorted(([one], [other]) => one - other);
    expect(expected.map(([position]) => position)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    for (let taken = queue.dequeue(); taken; taken = queue.dequeue()) {
      order.push(taken.id);
      queue.complete(taken, "{}");
    }
    expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
    expect(expected.map(([, id]) => id)).toEqual(order);
  });

  test("of a client that comes later do not wait behind all of another's", () => {
    for (let count = 0; count < 100; count++) queue.enqueue(job(`a${count}`, { client: "a" }));
    for (let count = 0; count < 50; count++) queue.complete(queue.dequeue()!, "{}");
    queue.enqueue(job("b0", { client: "b" }));
    queue.enqueue(job("b1", { client: "b" }));
    expect(queue.status("b0")).toMatchObject({ position: 2 });
    expect(queue.status("b1")).toMatchObject({ position: 4 });
    expect(queue.status("a50")).toMatchObject({ position: 1 });
  });

  test("of one client leave room for those of others", () => {
    const { asyncJobsWaiting: most } = LIMITS;
    const fill = (client: string) => {
      database.exec("BEGIN");
      let count = 0;
      while (queue.enqueue(job(`${client} ${count}`, { client }))) count++;
      database.exec("COMMIT");
      return count;
    };
    expect(fill("a")).toBe(most / 2);
    expect(queue.status(`a ${most / 2}`)).toBeUndefined();
    expect(fill("b")).toBe(most / 4);
    expect(queue.enqueue(job("c", { client: "c" }))).toBe(true);
    expect(queue.enqueue(job("one more", { client: "a" }))).toBe(false);
  });

  test("tell their progress", () => {
    const taken = enqueueAndTake("a");
    expect(queue.status("a")).toEqual({ status: "pending", phase: "running" });
    expect(queue.renew(taken, { pagesDone: 3, pagesTotal: 9 })).toBe(true);
    expect(queue.status("a")).toEqual({ status: "pending", phase: "running", pagesDone: 3, pagesTotal: 9 });
  });

  test("keep their files when they complete, except transient inputs", () => {
    expect(queue.complete(enqueueAndTake("a"), "{}")).toBe(true);
    expect(removals()).toEqual([]);
    queue.complete(enqueueAndTake("b", { isTransient: true }), "{}");
    expect(removals()).toEqual([{ ids: ["input of b"], seed: undefined, reserved: 0 }]);
    expect(ended).toEqual(["a", "b"]);
  });

  test("lose their files when they fail", () => {
    const taken = enqueueAndTake("a");
    expect(queue.reserve(taken, 64)).toBe(true);
    queue.fail(taken, { error: "No.", errorStatus: 422 });
    expect(queue.status("a")).toEqual({ status: "failed", error: "No.", errorStatus: 422 });
    expect(removals()).toEqual([{ ids: ["input of a"], seed: taken.seed, reserved: 64 }]);
    expect(ended).toEqual(["a"]);
  });

  test("that were carried out before have their answer", () => {
    queue.record(job("a"), `{"files":[]}`);
    queue.record(job("a"), `{"files":["other"]}`);
    expect(queue.status("a")).toEqual({ status: "completed", answer: `{"files":[]}` });
    expect(queue.dequeue()).toBeUndefined();
  });

  test("are forgotten after their lifetime", () => {
    queue.complete(enqueueAndTake("a"), "{}");
    expect(queue.nextWakeup()).toBe(now + 24 * HOUR_MS);
    pass(24 * HOUR_MS - 1);
    expect(queue.status("a")?.status).toBe("completed");
    pass(1);
    expect(queue.status("a")).toBeUndefined();
    expect(database.prepare("SELECT count(*) AS count FROM texts").get()).toEqual({ count: 0 });
    expect(queue.nextWakeup()).toBeUndefined();
  });

  test("are kept forever if their lifetime is unlimited", () => {
    queue = open(0);
    queue.complete(enqueueAndTake("a"), "{}");
    pass(10_000 * HOUR_MS);
    expect(queue.status("a")?.status).toBe("completed");
  });
});

describe("an attempt that is lost", () => {
  test("is repeated, and its files are removed", () => {
    const first = enqueueAndTake("a");
    expect(queue.nextWakeup()).toBe(now + LIMITS.asyncLeaseMs);
    pass(LIMITS.asyncLeaseMs - 1);
    expect(queue.status("a")).toEqual({ status: "pending", phase: "running" });
    pass(1);
    expect(queue.status("a")).toEqual({ status: "pending", phase: "waiting", position: 1 });
    expect(removals()).toEqual([{ ids: [], seed: first.seed, reserved: 8 }]);
    const second = queue.dequeue()!;
    expect([second.attempt, second.form]).toEqual([2, first.form]);
    expect(second.seed).not.toBe(first.seed);
  });

  test("has no say any more", () => {
    const first = enqueueAndTake("a");
    pass(LIMITS.asyncLeaseMs);
    const second = queue.dequeue()!;
    expect([queue.renew(first), queue.reserve(first, 100), queue.complete(first, "{}")]).toEqual([false, false, false]);
    queue.fail(first, BUSY);
    queue.postpone(first, BUSY);
    queue.markLost(first);
    expect(queue.status("a")).toEqual({ status: "pending", phase: "running" });
    expect(queue.complete(second, `{"by":2}`)).toBe(true);
    expect(queue.complete(second, `{"by":2}`)).toBe(true);
    queue.markLost(second);
    expect(queue.status("a")).toEqual({ status: "completed", answer: `{"by":2}` });
  });

  test("is not lost as long as it renews its lease", () => {
    const taken = enqueueAndTake("a");
    for (let count = 0; count < 5; count++) {
      pass(LIMITS.asyncLeaseMs - 1);
      expect(queue.renew(taken)).toBe(true);
    }
  });

  test("is the last after a number of them", () => {
    queue.enqueue(job("a"));
    for (let count = 0; count < LIMITS.asyncAttempts; count++) {
      pass(600_000);
      queue.markLost(queue.dequeue()!);
    }
    expect(queue.status("a")).toEqual({
      status: "failed",
      error: "The file could not be processed because of an internal failure.",
      errorStatus: 500,
    });
    expect(removals().at(-1)!.ids).toEqual(["input of a"]);
    expect(ended).toEqual(["a"]);
  });

  test("is followed by a pause, which grows from the second one on", () => {
    queue.enqueue(job("a"));
    queue.markLost(queue.dequeue()!);
    for (const pauseMs of [4 * LIMITS.asyncPauseMs, 16 * LIMITS.asyncPauseMs]) {
      queue.markLost(queue.dequeue()!);
      pass(pauseMs - 1);
      expect(queue.dequeue()).toBeUndefined();
      pass(1);
    }
    expect(queue.dequeue()).toMatchObject({ id: "a" });
  });

  test("is lost soon if the queue starts again without it", () => {
    enqueueAndTake("a");
    const heard = enqueueAndTake("b");
    queue = open();
    expect(queue.nextWakeup()).toBe(now + LIMITS.asyncGraceMs);
    queue.renew(heard);
    pass(LIMITS.asyncGraceMs);
    expect(queue.status("a")).toEqual({ status: "pending", phase: "waiting", position: 1 });
    expect(queue.status("b")).toEqual({ status: "pending", phase: "running" });
  });
});

describe("a job without capacity", () => {
  test("waits for a while", () => {
    const first = enqueueAndTake("a");
    queue.postpone(first, BUSY);
    expect(queue.dequeue()).toBeUndefined();
    expect(queue.nextWakeup()).toBe(now + LIMITS.asyncPauseMs);
    expect(removals()).toEqual([{ ids: [], seed: first.seed, reserved: 8 }]);
    pass(LIMITS.asyncPauseMs);
    expect(queue.dequeue()?.attempt).toBe(2);
  });

  test("does not keep others from running", () => {
    queue.postpone(enqueueAndTake("a"), BUSY);
    expect(enqueueAndTake("b").id).toBe("b");
  });

  test("fails if that lasts", () => {
    queue.enqueue(job("a"));
    for (let count = 0; count <= LIMITS.asyncPostponements; count++) {
      queue.postpone(queue.dequeue()!, BUSY);
      pass(LIMITS.asyncPauseMs);
    }
    expect(queue.status("a")).toEqual({ status: "failed", ...BUSY });
  });
});

test("a job tells who may cancel it, until it is canceled or forgotten", () => {
  queue.enqueue(job("a", { client: "owner", token: "hash" }));
  queue.enqueue(job("b", { client: "owner" }));
  queue.record(job("c", { client: "other", token: "its own" }), "{}");
  const all = () => ["a", "b", "c", "d"].map((id) => queue.marks(id));
  const [first, second, third] = [
    { owner: "owner", token: "hash" },
    { owner: "owner" },
    { owner: "other", token: "its own" },
  ];
  expect(all()).toEqual([first, second, third, undefined]);
  const taken = queue.dequeue()!;
  expect(queue.marks(taken.id)).toEqual(first);
  queue.complete(taken, "{}");
  expect(queue.marks("a")).toEqual(first);
  expect([queue.cancel("a"), queue.cancel("b")]).toEqual([true, true]);
  expect(all()).toEqual([undefined, undefined, third, undefined]);
  pass(HOUR_MS * 100);
  expect(all()).toEqual([undefined, undefined, undefined, undefined]);
  expect(database.prepare("SELECT count(*) AS count FROM tokens").get()).toEqual({ count: 0 });
});

describe("a canceled job", () => {
  test("is gone at once if it waits", () => {
    queue.enqueue(job("a"));
    expect(queue.cancel("a")).toBe(true);
    expect([queue.status("a"), queue.dequeue(), queue.cancel("a")]).toEqual([undefined, undefined, false]);
    expect(removals()).toEqual([{ ids: ["input of a"], seed: undefined, reserved: 0 }]);
  });

  test("loses its results", () => {
    const taken = enqueueAndTake("a");
    queue.complete(taken, `{"outputId":["x","y"]}`);
    queue.cancel("a");
    expect(removals()).toEqual([
      { ids: ["x", "y"], seed: undefined, reserved: 0 },
      { ids: ["input of a"], seed: taken.seed, reserved: 8 },
    ]);
  });

  test.each(["complete", "fail", "postpone", "lose", "silence"] as const)("that runs stops first: %s", (how) => {
    const taken = enqueueAndTake("a");
    expect(queue.cancel("a")).toBe(true);
    expect(queue.status("a")).toBeUndefined();
    expect(queue.cancel("a")).toBe(false);
    expect(queue.renew(taken)).toBe(false);
    expect(removals()).toEqual([]);
    if (how === "complete") expect(queue.complete(taken, "{}")).toBe(false);
    else if (how === "silence") pass(LIMITS.asyncLeaseMs);
    else if (how === "lose") queue.markLost(taken);
    else queue[how](taken, BUSY);
    expect(removals()).toEqual([{ ids: ["input of a"], seed: taken.seed, reserved: 8 }]);
    expect(database.prepare("SELECT count(*) AS count FROM jobs").get()).toEqual({ count: 0 });
    expect(ended).toEqual([]);
  });

  test("that runs keeps its place until it has stopped", () => {
    const taken = Array.from({ length: LIMITS.asyncJobs }, (_, number) => enqueueAndTake(`job ${number}`));
    queue.enqueue(job("next"));
    queue.cancel("job 0");
    expect(queue.dequeue()).toBeUndefined();
    queue.markLost(taken[0]!);
    expect(queue.dequeue()?.id).toBe("next");
  });
});

test("a removal that failed is tried again later", () => {
  queue.enqueue(job("a"));
  queue.cancel("a");
  queue.deletionFailed(queue.nextDeletion()!);
  expect(queue.nextDeletion()).toBeUndefined();
  expect(queue.nextWakeup()).toBe(now + LIMITS.asyncPauseMs);
  pass(LIMITS.asyncPauseMs);
  expect(queue.nextDeletion()?.ids).toEqual(["input of a"]);
});
