// Tests the quick and the slow permits for jobs, and how clients share them, with fake timers.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { JobPool, type PooledJob } from "../../../container/jobs/job-pool.ts";
import { SlowLane, slowLaneCapacity } from "../../../container/jobs/slow-lane.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const AFTER_MS = 3_000;
const { signal } = new AbortController();

function placesWith(lane: SlowLane, { atOnce = 2, waiting = 8 } = {}): JobPool {
  return new JobPool({ atOnce, waiting, maxWaitMs: 60_000, slow: { lane, afterMs: AFTER_MS } });
}

interface Job {
  readonly entry: PooledJob;
  state: "waiting" | "working" | "slow" | "refused";
  end(): void;
}

/** Starts a job that runs until `end()` is called. */
function begin(places: JobPool, client: string): Job {
  const entry = places.enter({
    client,
    slowed: () => {
      job.state = "slow";
    },
  });
  const job: Job = { entry, state: "waiting", end: () => entry[Symbol.dispose]() };
  entry.acquire(signal).then(
    () => {
      job.state = "working";
    },
    () => {
      job.state = "refused";
      job.end();
    },
  );
  return job;
}

const states = (jobs: readonly Job[]) => jobs.map(({ state }) => state);
const settle = () => vi.advanceTimersByTimeAsync(0);
const pass = (timeMs: number) => vi.advanceTimersByTimeAsync(timeMs);

test("who has worked for long goes on in the slow lane, and leaves its place", async () => {
  const lane = new SlowLane(8);
  const places = placesWith(lane);
  const endless = [1, 2, 3, 4].map(() => begin(places, "a"));
  await settle();
  expect(states(endless)).toEqual(["working", "working", "waiting", "waiting"]);
  await pass(2 * AFTER_MS);
  expect(states(endless)).toEqual(["slow", "slow", "slow", "slow"]);
  expect([lane.taken, places.counts.working]).toEqual([4, 0]);
  const small = begin(places, "a");
  await settle();
  expect(small.state).toBe("working");
  for (const job of [...endless, small]) job.end();
  expect([lane.taken, places.counts]).toEqual([0, { working: 0, present: 0 }]);
});

test("a client whose part of the lane is full keeps to a part of the quick places", async () => {
  const lane = new SlowLane(4);
  const places = placesWith(lane);
  const endless = [1, 2, 3, 4].map(() => begin(places, "a"));
  await pass(3 * AFTER_MS);
  expect(states(endless)).toEqual(["slow", "slow", "working", "waiting"]);
  const others = [1, 2].map(() => begin(places, "b"));
  await settle();
  expect(states(others)).toEqual(["working", "waiting"]);
  others[0]!.end();
  await settle();
  expect(others[1]!.state).toBe("working");
  endless[0]!.end();
  await pass(AFTER_MS);
  expect(endless[2]!.state).toBe("slow");
});

test("room in a lane that two operations share lets in who waits at either", async () => {
  const lane = new SlowLane(2);
  const [one, other] = [placesWith(lane), placesWith(lane)];
  const slow = begin(one, "a");
  await pass(AFTER_MS);
  const late = [begin(other, "a"), begin(other, "a")];
  await settle();
  expect([slow.state, ...states(late)]).toEqual(["slow", "working", "waiting"]);
  slow.end();
  await settle();
  expect(late[1]!.state).toBe("working");
});

test.each([
  [2, 2, 2],
  [2, 8, 3],
  [3, 16, 4],
  [8, 32, 5],
])(
  "endless jobs of one client leave places to others at any time: %i at a time, %i in the lane, %i operations",
  async (atOnce, slow, operations) => {
    const lane = new SlowLane(slow);
    const pools = Array.from({ length: operations }, () => placesWith(lane, { atOnce, waiting: 100 }));
    const endless = pools.flatMap((places) => Array.from({ length: 40 }, () => begin(places, "a")));
    for (let round = 0; round < 4; round++) {
      await pass(AFTER_MS - 100);
      for (const places of pools) {
        const other = begin(places, "b");
        // A job outside of the slow lane releases its quick permit as soon as it is slow.
        await pass(AFTER_MS);
        expect(other.state).not.toBe("waiting");
        other.end();
      }
    }
    expect(lane.taken).toBeLessThanOrEqual(slow / 2);
    for (const left = new Set(endless); left.size > 0; ) {
      for (const job of [...left].filter(({ state }) => state !== "waiting")) {
        left.delete(job);
        job.end();
      }
      await settle();
    }
    expect([lane.taken, ...pools.map(({ counts }) => counts.working)]).toEqual([0, ...pools.map(() => 0)]);
    expect(lane.isFullFor("a")).toBe(false);
  },
);

test("quick jobs of one client have all places, however many come", async () => {
  const lane = new SlowLane(4);
  const places = placesWith(lane, { atOnce: 4, waiting: 30 });
  for (let round = 0; round < 20; round++) {
    const jobs = [1, 2, 3, 4].map(() => begin(places, "a"));
    await settle();
    expect(states(jobs)).toEqual(["working", "working", "working", "working"]);
    for (const job of jobs) job.end();
  }
  expect(lane.taken).toBe(0);
});

test("clients come in turns", async () => {
  const places = placesWith(new SlowLane(2), { atOnce: 1 });
  const order: string[] = [];
  const jobs = ["a", "a", "a", "b", "c", "b"].map((client) => ({ client, job: begin(places, client) }));
  const left = new Set(jobs);
  while (left.size > 0) {
    await settle();
    const next = [...left].find(({ job }) => job.state === "working")!;
    order.push(next.client);
    left.delete(next);
    next.job.end();
  }
  expect(order).toEqual(["a", "b", "c", "a", "b", "a"]);
});

describe("a queue that is full", () => {
  test("has room for another client, and sends away the last of who has more than half", async () => {
    const places = placesWith(new SlowLane(2), { atOnce: 1, waiting: 4 });
    const many = [1, 2, 3, 4, 5].map(() => begin(places, "a"));
    expect(() => places.enter({ client: "a" })).toThrow("busy");
    const another = begin(places, "b");
    await settle();
    expect(states(many)).toEqual(["working", "waiting", "waiting", "waiting", "refused"]);
    many[0]!.end();
    await settle();
    expect(another.state).toBe("working");
  });

  test("has none for a second of that client where all have their part", async () => {
    const places = placesWith(new SlowLane(2), { atOnce: 1, waiting: 4 });
    for (const client of ["a", "a", "a", "b", "b"]) begin(places, client);
    await settle();
    expect(() => places.enter({ client: "b" })).toThrow("busy");
    expect(() => places.enter({ client: "c" })).toThrow("busy");
  });
});

test("who was aside is late by its new turn alone", async () => {
  const lane = new SlowLane(2);
  const places = placesWith(lane);
  const job = begin(places, "a");
  await settle();
  const aside = job.entry.withoutPermit(() => new Promise((resolve) => setTimeout(resolve, 2 * AFTER_MS)), signal);
  await pass(2 * AFTER_MS);
  await aside;
  expect([job.state, places.counts.working]).toEqual(["working", 1]);
  await pass(AFTER_MS);
  expect(job.state).toBe("slow");
});

test("the lane has places by memory, and by how many work at a time", () => {
  const gib = 2 ** 30;
  expect([slowLaneCapacity(2, 64 * gib), slowLaneCapacity(2, 5 * gib), slowLaneCapacity(1, gib)]).toEqual([8, 5, 2]);
});
