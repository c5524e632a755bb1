// Tests the host's store of asynchronous jobs, in a real database.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { type JobDatabase, openJobDatabase } from "../../../../host/storage/sqlite/job-database.ts";
import { attemptConformance } from "../../../support/attempt-conformance.ts";
import { deliveryConformance } from "../../../support/delivery-conformance.ts";
import { jobConformance, MAX_QUEUED, newJob } from "../../../support/job-conformance.ts";

const folder = mkdtempSync(join(tmpdir(), "jobs-"));
const opened: JobDatabase[] = [];
let now = 1_700_000_000_000;
afterAll(() => {
  for (const database of opened) database[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const tested = {
  async open(name: string, expires?: "never") {
    const lifetimeMs = expires === "never" ? 0 : 24 * 3_600_000;
    const options = { lifetimeMs, maxQueued: MAX_QUEUED, now: () => now };
    const database = await openJobDatabase(join(folder, name), options);
    opened.push(database);
    return database;
  },
  now: () => now,
  passes: (ms: number) => {
    now += ms;
  },
};

jobConformance(tested);
attemptConformance(tested);
deliveryConformance(tested);

test("the database has nothing of a job that is gone", async () => {
  const store = await tested.open("left");
  const job = (id: string) => newJob(id, { token: "hash", webhook: { url: "https://a.net/", signer: "s" } });
  await store.record(job("expired"), "{}");
  await store.enqueue(job("canceled"));
  await store.cancel("canceled");
  tested.passes(24 * 3_600_000);
  await store.dequeue();
  for (let due = await store.nextDeletion(); due; due = await store.nextDeletion()) await store.deletionDone(due);
  const database = new DatabaseSync(join(folder, "left", "jobs.db"), { readOnly: true });
  for (const table of ["jobs", "texts", "tokens", "removals", "deliveries"]) {
    expect([table, database.prepare(`SELECT count(*) AS count FROM ${table}`).get()]).toEqual([table, { count: 0 }]);
  }
  database.close();
});
