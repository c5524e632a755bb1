// Tests the host's store of asynchronous jobs in PostgreSQL, over one pool of connections for each host.
// Contract: docs/api.md#asynchronous-jobs

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Database } from "../../../../host/storage/postgres/database.ts";
import { openPostgresJobs } from "../../../../host/storage/postgres/job-database.ts";
import { JobSignals } from "../../../../host/storage/postgres/job-signals.ts";
import { migrate } from "../../../../host/storage/postgres/migrations.ts";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import type { JobStore } from "../../../../src/service/ports/job-store.ts";
import { attemptConformance } from "../../../support/attempt-conformance.ts";
import { deliveryConformance } from "../../../support/delivery-conformance.ts";
import { eventually } from "../../../support/eventually.ts";
import { all, jobConformance, MAX_QUEUED, newJob } from "../../../support/job-conformance.ts";
import { missingPostgres, type PostgresServer, startPostgres } from "../../../support/postgres.ts";

const missing = missingPostgres();
if (missing) console.log(`The tests of jobs in PostgreSQL are skipped: ${missing}`);

const BUSY = { error: "The service is busy, please try again later.", errorStatus: 503 };
const TABLES = ["jobs", "texts", "tokens", "steps", "removals", "deliveries"];
let server: PostgresServer;
let url: string;
let pools: Database[];
let now = 1_700_000_000_000;
let current = "";

const tested = {
  /** Returns a store of one of two pools, alternately. Deletes the jobs of the test before. */
  async open(name: string, expires?: "never"): Promise<JobStore> {
    pools.push(pools.shift()!);
    if (name !== current) {
      await pools[0]!.run(`TRUNCATE ${TABLES.map((table) => `pagewright.${table}`).join()} RESTART IDENTITY`);
    }
    current = name;
    const lifetimeMs = expires === "never" ? 0 : 24 * 3_600_000;
    return openPostgresJobs(pools[0]!, {
      ...{ lifetimeMs, maxQueued: MAX_QUEUED, clock: () => String(now), now: () => now },
    });
  },
  now: () => now,
  passes: (ms: number) => {
    now += ms;
  },
  isShared: true,
} as const;

describe.skipIf(missing !== undefined)("jobs in PostgreSQL", () => {
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    await migrate(url);
    pools = [1, 2].map(() => new Database(url, 5));
  });
  afterAll(async () => {
    for (const pool of pools) await pool[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  jobConformance(tested);
  attemptConformance(tested);
  deliveryConformance(tested);
  testHosts();
});

function testHosts(): void {
  test("a host that had no capacity for a job leaves it to others, and a full host wakes them", async () => {
    const name = randomUUID();
    const [full, other] = [await tested.open(name), await tested.open(name)];
    let wakes = 0;
    await using _ = new JobSignals(url, () => wakes++);
    await eventually(() => expect(wakes).toBe(1));
    await full.enqueue(newJob("a"));
    await full.postpone((await full.dequeue())!, BUSY);
    expect(await full.dequeue()).toBeUndefined();
    await eventually(() => expect(wakes).toBe(2));
    tested.passes(LIMITS.asyncRetryMs);
    expect(await full.dequeue()).toBeUndefined();
    expect(await other.dequeue()).toMatchObject({ id: "a", attempt: 2 });
  });

  test("a host that could not post a message leaves it to others first", async () => {
    const name = randomUUID();
    const [unable, other] = [await tested.open(name), await tested.open(name)];
    const webhook = { url: "https://a.net/", signer: "s" };
    await unable.record(newJob("a", { webhook }), "{}");
    await unable.deliveries.recordOutcome((await unable.deliveries.dequeue())!, "postponed");
    tested.passes((await other.nextWakeup())! - now);
    expect(await unable.deliveries.dequeue()).toBeUndefined();
    const message = await other.deliveries.dequeue();
    expect(message).toMatchObject({ id: "a", attempt: 1 });
    await other.deliveries.recordOutcome(message!, "postponed");
    tested.passes((await other.nextWakeup())! - now + LIMITS.asyncRetryMs);
    expect(await other.deliveries.dequeue()).toMatchObject({ id: "a", attempt: 1 });
  });

  test("the queue holds no more than its limit, and each client its share, over two hosts at once", async () => {
    const name = randomUUID();
    const hosts = [await tested.open(name), await tested.open(name)] as const;
    const ask = (client: string, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, at) => hosts[at % 2]!.enqueue(newJob(`${client}${at}`, { client }))),
      );
    expect((await ask("a", 150)).filter((isAccepted) => isAccepted)).toHaveLength(MAX_QUEUED / 2);
    const answers = await Promise.all(["b", "c", "d"].map((client) => ask(client, 60)));
    expect(answers.flat().filter((isAccepted) => isAccepted).length).toBeLessThanOrEqual(MAX_QUEUED / 2);
    const positions = await pools[0]!.run(
      "SELECT turn, count(DISTINCT client) AS clients, count(*) FROM pagewright.jobs GROUP BY turn",
    );
    for (const { clients, count } of positions) expect(count).toBe(clients);
  });

  test("signals arrive again after a restart of the database, and each lease has still one holder", async () => {
    const name = randomUUID();
    const [before, other] = [await tested.open(name), await tested.open(name)];
    let wakes = 0;
    await using _ = new JobSignals(url, () => wakes++);
    await eventually(() => expect(wakes).toBe(1));
    for (let count = 0; count <= LIMITS.asyncJobs; count++) await before.enqueue(newJob(`${count}`));
    const leased = await all(() => before.dequeue());
    await eventually(() => expect(wakes).toBe(2));
    await server.stop();
    await expect(before.renew(leased[0]!)).rejects.toThrow("database");
    await server.start();
    await eventually(() => expect(wakes).toBe(3));
    expect(await other.dequeue()).toMatchObject({ id: `${LIMITS.asyncJobs}`, attempt: 1 });
    tested.passes(LIMITS.asyncLeaseMs);
    const again = await all(() => other.dequeue());
    expect(again.map(({ attempt }) => attempt)).toEqual(leased.map(() => 2));
    expect(await Promise.all(leased.map((job) => before.complete(job, "{}")))).toEqual(leased.map(() => false));
  });
}
