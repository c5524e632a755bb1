// Tests which instance gets a job, which instance starts, and which job is rejected, with fake time.
import { beforeEach, describe, expect, test } from "vitest";
import { CONTAINER_LIMITS } from "../../../../container/limits.ts";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import {
  type InstanceFault,
  type SlotLimits,
  SlotScheduler,
} from "../../../../src/service/placement/instances/slots.ts";

const limits: SlotLimits = {
  instances: 2,
  jobs: 2,
  slowJobs: 2,
  slowAfterMs: 3_000,
  waiting: 8,
  leaseMs: 20_000,
  awakeMs: 300_000,
  troubleMs: { gone: 2_000, full: 2_000, "not-started": 10_000, "other-version": 10_000 },
};

let now = 0;
let slots: SlotScheduler;

/** Creates the scheduler, with instances in the given states. */
function pool(conditions: readonly ("ready" | "asleep" | "unknown")[], changed: Partial<SlotLimits> = {}): void {
  slots = new SlotScheduler({ ...limits, instances: conditions.length, ...changed }, () => now);
  if (!conditions.includes("unknown")) slots.takeUnknown();
  for (const [instance, condition] of conditions.entries()) {
    if (condition === "ready") slots.markReady(instance);
    if (condition === "asleep") slots.markAsleep(instance);
  }
}

const ask = (id: string, client = "one", avoid: readonly number[] = []) => slots.request({ id, client, avoid });
/** Returns the decisions in short form: `id@instance`, `+instance` for a start, `-id` for a rejection. */
function decided(): string[] {
  const { granted, start, refused } = slots.decide();
  return [
    ...granted.map(({ id, instance }) => `${id}@${instance}`),
    ...start.map((instance) => `+${instance}`),
    ...refused.map(({ id }) => `-${id}`),
  ];
}

beforeEach(() => {
  now = 1_000_000;
});

describe("a job goes to", () => {
  test("the first awake instance, although the other sleeps or has more room", () => {
    pool(["ready", "asleep"]);
    ask("a");
    ask("b");
    expect(decided()).toEqual(["a@0", "b@0"]);
    pool(["ready", "ready"]);
    ask("a");
    ask("b");
    expect(decided()).toEqual(["a@0", "b@0"]);
  });

  test("an awake instance with a higher number rather than a sleeping one", () => {
    pool(["asleep", "ready"]);
    ask("a");
    expect(decided()).toEqual(["a@1"]);
  });

  test("the next instance once the first has a job for each processor", () => {
    pool(["ready", "ready"]);
    for (const id of ["a", "b", "c", "d", "e"]) ask(id);
    expect(decided()).toEqual(["a@0", "b@0", "c@1", "d@1"]);
    slots.release("c");
    expect(decided()).toEqual(["e@1"]);
  });

  test("a sleeping instance once that has started, and only as many start as jobs need", () => {
    pool(["asleep", "asleep"]);
    ask("a");
    ask("b");
    expect(decided()).toEqual(["+0"]);
    ask("c");
    expect(decided()).toEqual(["+1"]);
    expect(decided()).toEqual([]);
    slots.markReady(1);
    expect(decided()).toEqual(["a@1", "b@1"]);
    slots.markReady(0);
    expect(decided()).toEqual(["c@0"]);
  });

  test("an instance whose jobs have become slow, while another one starts for the next", () => {
    pool(["ready", "asleep"]);
    ask("slow 1");
    ask("slow 2");
    decided();
    ask("small");
    expect(decided()).toEqual(["+1"]);
    expect(slots.msToNextChange()).toBe(limits.slowAfterMs + 1);
    now += limits.slowAfterMs + 1;
    expect(decided()).toEqual(["small@0"]);
  });

  test("no instance beyond its slow jobs", () => {
    pool(["ready"]);
    for (const id of ["a", "b", "c", "d", "e"]) {
      ask(id, id);
      expect(decided()).toEqual(id === "e" ? [] : [`${id}@0`]);
      now += limits.slowAfterMs + 1;
    }
    slots.release("a");
    expect(decided()).toEqual(["e@0"]);
  });
});

test.each([1, 2, 5])("endless jobs of one client leave half of the slots of %i instances to others", (instances) => {
  pool(
    Array.from({ length: instances }, () => "ready"),
    { waiting: 1_000 },
  );
  for (let job = 0; job < 100; job++) ask(`endless${job}`);
  let granted = 0;
  for (let round = 0; round < 20; round++) {
    granted += decided().length;
    now += limits.slowAfterMs;
    for (let job = 0; job < 100; job++) ask(`endless${job}`);
  }
  const half = (instances * (limits.jobs + limits.slowJobs)) / 2;
  expect(granted).toBe(half);
  for (let job = 0; job < limits.jobs; job++) ask(`other${job}`, "other");
  expect(decided()).toHaveLength(limits.jobs);
});

describe("what is not known of an instance is asked", () => {
  test("at the beginning, once, and no instance starts before the answers", () => {
    pool(["unknown", "unknown"]);
    ask("a");
    expect(slots.takeUnknown()).toEqual([0, 1]);
    expect(slots.takeUnknown()).toEqual([]);
    expect(decided()).toEqual([]);
    slots.markAsleep(0);
    expect(decided()).toEqual([]);
    slots.markReady(1);
    expect(decided()).toEqual(["a@1"]);
  });

  test("when it may have gone to sleep, which jobs put off", () => {
    pool(["ready"]);
    ask("a");
    decided();
    for (let renewed = 0; renewed < 100; renewed++) {
      now += 5_000;
      slots.renew({ id: "a", client: "one", instance: 0 });
      expect(slots.takeUnknown()).toEqual([]);
    }
    now += limits.awakeMs;
    expect(slots.takeUnknown()).toEqual([0]);
  });
});

describe("a lease", () => {
  test("ends when its job leaves, once", () => {
    pool(["ready"], { slowJobs: 0, jobs: 1 });
    ask("a");
    ask("b");
    expect(decided()).toEqual(["a@0"]);
    slots.release("a");
    slots.release("a");
    expect(decided()).toEqual(["b@0"]);
  });

  test("ends when nobody has renewed it for a while, and that time is known", () => {
    pool(["ready"], { slowJobs: 0, jobs: 1 });
    ask("lost");
    decided();
    now += 15_000;
    ask("b");
    expect(decided()).toEqual([]);
    expect(slots.msToNextChange()).toBe(5_001);
    now += 5_001;
    expect(decided()).toEqual(["b@0"]);
  });

  test("that is renewed stays, and is known again after all memory is lost", () => {
    pool(["ready"], { slowJobs: 0, jobs: 1 });
    slots.renew({ id: "running", client: "one", instance: 0 });
    ask("b");
    for (let renewed = 0; renewed < 10; renewed++) {
      now += 5_000;
      slots.renew({ id: "running", client: "one", instance: 0 });
      ask("b");
      expect(decided()).toEqual([]);
    }
    slots.release("running");
    expect(decided()).toEqual(["b@0"]);
  });

  test("of an instance that no longer exists is ignored", () => {
    pool(["ready"]);
    slots.renew({ id: "of another configuration", client: "one", instance: 7 });
    slots.markFaulted(7, "gone");
    expect(slots.summary).toMatchObject({ instances: ["ready"], jobs: 0 });
  });
});

describe("the queue", () => {
  test("forgets whoever no longer asks", () => {
    pool(["ready"], { slowJobs: 0, jobs: 1 });
    for (const id of ["a", "left", "waits"]) ask(id);
    decided();
    now += 19_000;
    slots.renew({ id: "a", client: "one", instance: 0 });
    ask("waits");
    now += 1_000;
    expect(decided()).toEqual([]);
    slots.release("a");
    expect(decided()).toEqual(["waits@0"]);
  });

  test("gives clients turns", () => {
    pool(["ready"], { slowJobs: 0, jobs: 2 });
    for (const id of ["a1", "a2", "a3"]) ask(id, "a");
    ask("b1", "b");
    expect(decided()).toEqual(["a1@0", "b1@0"]);
    slots.release("a1");
    expect(decided()).toEqual(["a2@0"]);
  });

  test("refuses what is too much, a crowd's last job first", () => {
    pool(["asleep"], { waiting: 3 });
    for (const id of ["a1", "a2", "a3"]) ask(id, "a");
    ask("a4", "a");
    expect(decided()).toEqual(["+0", "-a4"]);
    ask("b1", "b");
    expect(decided()).toEqual(["-a3"]);
    ask("b2", "b");
    expect(decided()).toEqual(["-b2"]);
    expect(slots.summary.waiting).toBe(3);
  });
});

describe("an instance in trouble", () => {
  test.each<[InstanceFault, number]>([
    ["gone", 2_000],
    ["full", 2_000],
    ["not-started", 10_000],
    ["other-version", 10_000],
  ])("%s gets no job for %i ms, and is then asked", (why, ms) => {
    pool(["ready", "ready"]);
    slots.markFaulted(0, why);
    ask("a");
    expect(decided()).toEqual(["a@1"]);
    now += ms - 1;
    expect(slots.takeUnknown()).toEqual([]);
    now += 1;
    expect(slots.takeUnknown()).toEqual([0]);
  });

  test("is replaced by a sleeping one", () => {
    pool(["ready", "asleep"]);
    slots.markFaulted(0, "gone");
    ask("a");
    expect(decided()).toEqual(["+1"]);
  });

  test("that will soon be back is waited for", () => {
    pool(["ready"]);
    slots.markFaulted(0, "gone");
    ask("a");
    expect(decided()).toEqual([]);
    expect(slots.msToNextChange()).toBe(2_001);
    now += 2_001;
    expect(slots.takeUnknown()).toEqual([0]);
    slots.markReady(0);
    expect(decided()).toEqual(["a@0"]);
  });

  test("is not waited for when none can start or be understood", () => {
    pool(["asleep", "ready"]);
    slots.markFaulted(1, "other-version");
    ask("a");
    expect(decided()).toEqual(["+0"]);
    slots.markFaulted(0, "not-started");
    expect(decided()).toEqual(["-a"]);
    ask("b");
    expect(decided()).toEqual(["-b"]);
  });

  test("with a job on it is avoided by that job, unless there is no other", () => {
    pool(["ready", "asleep"]);
    ask("again", "one", [0]);
    expect(decided()).toEqual(["+1"]);
    slots.markFaulted(1, "not-started");
    expect(decided()).toEqual(["again@0"]);
    pool(["ready"]);
    ask("again", "one", [0]);
    expect(decided()).toEqual(["again@0"]);
  });
});

describe("ahead of a job", () => {
  test("one instance starts, unless one is awake, starting or being asked", () => {
    pool(["asleep", "asleep"]);
    expect(slots.prewarm()).toBe(0);
    expect(slots.prewarm()).toBeUndefined();
    slots.markReady(0);
    expect(slots.prewarm()).toBeUndefined();
    pool(["unknown", "unknown"]);
    slots.takeUnknown();
    expect(slots.prewarm()).toBeUndefined();
  });

  test("the job that comes starts no other", () => {
    pool(["asleep", "asleep"]);
    slots.prewarm();
    ask("a");
    expect(decided()).toEqual([]);
  });
});

test("the limits that the container has too are the same", () => {
  expect(LIMITS.instanceSlowAfterMs).toBe(CONTAINER_LIMITS.slowAfterMs);
  expect(LIMITS.instanceSlowJobs).toBe(CONTAINER_LIMITS.slowJobsPerPlace * LIMITS.instanceJobs);
});
