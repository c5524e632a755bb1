// Tests the scheduler with a store that responds late, like a store in another process.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type JobDatabase, openJobDatabase } from "../../../../host/storage/sqlite/job-database.ts";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { JobScheduler, type SchedulerServices } from "../../../../src/service/jobs/scheduler.ts";
import type { LeasedJob } from "../../../../src/service/ports/jobs.ts";
import { eventually } from "../../../support/eventually.ts";
import { newJob } from "../../../support/job-conformance.ts";

let folder: string;
let database: JobDatabase;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "scheduler-"));
  database = await openJobDatabase(folder, { lifetimeMs: 3_600_000 });
});
afterEach(() => {
  database[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const nextTask = () => new Promise((resolve) => setImmediate(resolve));

/** Returns the same functions, which start and end one task later. */
const late = <T extends object>(part: T): T =>
  Object.fromEntries(
    Object.entries(part).map(([name, member]) => [
      name,
      typeof member === "object"
        ? late(member)
        : async (...args: readonly unknown[]) => {
            await nextTask();
            const result = await member(...args);
            await nextTask();
            return result;
          },
    ]),
  ) as T;

function open(services: Partial<SchedulerServices> = {}) {
  const [ran, delivered, logged, alarms] = [[], [], [], []] as [string[], string[], string[], (number | undefined)[]];
  let running = 0;
  let mostRunning = 0;
  const scheduler: JobScheduler = new JobScheduler({
    store: late(database),
    async run(job: LeasedJob) {
      mostRunning = Math.max(mostRunning, ++running);
      await nextTask();
      ran.push(job.id);
      expect(await scheduler.complete(job, "{}")).toBe(true);
      running--;
    },
    async deliver({ id, status }) {
      delivered.push(`${id} ${status.status}`);
      return "taken";
    },
    remove: async () => {},
    setAlarm: (time) => void alarms.push(time),
    log: (message) => void logged.push(message),
    ...services,
  });
  return { scheduler, ran, delivered, logged, alarms, mostRunning: () => mostRunning };
}

test("jobs that arrive together run in order, as many at a time as allowed, and their messages are posted", async () => {
  const { scheduler, ran, delivered, alarms, mostRunning } = open();
  const ids = Array.from({ length: 20 }, (_, at) => `job-${String(at).padStart(2, "0")}`);
  const jobs = ids.map((id) => newJob(id, { webhook: { url: `https://${id}.net/`, signer: "s" } }));
  expect(await Promise.all(jobs.map((job) => scheduler.enqueue(job)))).toEqual(Array(20).fill(true));
  await eventually(async () => expect(delivered).toHaveLength(20));
  expect(ran.toSorted()).toEqual(ids);
  expect(delivered.toSorted()).toEqual(ids.map((id) => `${id} completed`));
  expect(mostRunning()).toBe(LIMITS.asyncJobs);
  await scheduler.runDue();
  expect(alarms.at(-1)).toBe(await database.nextWakeup());
});

test("deletions that become due during a deletion follow it, one at a time, and a failed one does not stop others", async () => {
  const deleted: string[] = [];
  const { scheduler, logged } = open({
    run: () => new Promise(() => {}),
    async remove({ ids }) {
      await nextTask();
      if (ids.includes("input of 3")) throw new Error("no storage");
      deleted.push(...ids);
    },
  });
  for (let count = 0; count < 8; count++) await scheduler.enqueue(newJob(`${count}`));
  await Promise.all([2, 3, 4, 5, 6, 7].map((id) => scheduler.cancel(`${id}`)));
  await eventually(async () => expect(deleted).toHaveLength(5));
  expect(new Set(deleted)).toEqual(new Set([2, 4, 5, 6, 7].map((id) => `input of ${id}`)));
  await eventually(async () => expect(logged).toEqual(["files not removed"]));
});

test("a job whose runner fails is lost, and a store that fails is asked again", async () => {
  const store = late(database);
  let failures = 1;
  const nextWakeup = async () => {
    if (failures-- > 0) throw new Error("no connection");
    return store.nextWakeup();
  };
  const { scheduler, logged, alarms } = open({
    store: { ...store, nextWakeup },
    run: () => Promise.reject(new Error("the isolate is gone")),
  });
  await expect(scheduler.runDue()).rejects.toThrow("no connection");
  expect(alarms.at(-1)).toBeGreaterThan(Date.now());
  await scheduler.enqueue(newJob("a"));
  // After the first loss, the job is retried immediately, after the second one with a delay.
  await eventually(() => expect(logged).toEqual(["asynchronous job lost", "asynchronous job lost"]));
  await eventually(async () => expect(await scheduler.status("a")).toMatchObject({ phase: "waiting" }));
});

test("after it is closed, it leases nothing", async () => {
  const { scheduler, ran } = open();
  scheduler.close();
  expect(await scheduler.enqueue(newJob("a"))).toBe(true);
  await nextTask();
  expect(ran).toEqual([]);
  expect(await scheduler.status("a")).toMatchObject({ phase: "waiting" });
});
