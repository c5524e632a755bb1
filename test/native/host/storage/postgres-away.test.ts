// Tests hosts whose PostgreSQL restarts, is away, or freezes.
// Contract: docs/api.md#health

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PostgresLimiter } from "../../../../host/storage/postgres/client-limits.ts";
import { Database } from "../../../../host/storage/postgres/database.ts";
import { migrate } from "../../../../host/storage/postgres/migrations.ts";
import { PostgresUsage } from "../../../../host/storage/postgres/usage.ts";
import { putKeys } from "../../../../scripts/keys/key-records.ts";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { UsageCollector } from "../../../../src/service/keys/usage-collector.ts";
import { hashKey } from "../../../../src/service/ports/api-key.ts";
import { RecordsUnavailable } from "../../../../src/service/ports/records-unavailable.ts";
import { type HostServer, startHost } from "../../../support/host-server.ts";
import { postHtml } from "../../../support/keyed-service.ts";
import { missingPostgres, type PostgresServer, startPostgres } from "../../../support/postgres.ts";

const missing = missingPostgres();
if (missing) console.log(`The tests of hosts with PostgreSQL are skipped: ${missing}`);

const PASSWORD = "a-secret-password";
/** Limits of time of the database, twice, on a busy machine. */
const ANSWERS_WITHIN_MS = 20_000;
const folder = mkdtempSync(join(tmpdir(), "postgres-away-"));
let server: PostgresServer;
let url: string;

describe.skipIf(missing !== undefined)("PostgreSQL that does not answer", () => {
  beforeAll(async () => {
    server = await startPostgres();
    url = (await server.createDatabase()).replace("tests@", `tests:${PASSWORD}@`);
    await migrate(url);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  test("hosts: what needs no database goes on, the rest is 503, and all of it is back afterwards", async () => {
    await testHosts();
  });

  test("frozen: calls end within their limits, and limits are exact afterwards", async () => {
    await using database = new Database(url, 5);
    const limiter = new PostgresLimiter(database);
    const limits = { requestsPerMinute: 100 };
    const acquire = () => limiter.acquire("frozen", limits, { isJob: false, bytes: 0 });
    const passed = async () => (await Promise.all(Array.from({ length: 60 }, acquire))).filter((one) => !one.rejected);
    expect(await passed()).toHaveLength(60);
    server.signal("SIGSTOP");
    const started = performance.now();
    const calls = Array.from({ length: 20 }, (_, at) => (at % 2 ? acquire() : database.read("SELECT")));
    const results = await Promise.allSettled(calls);
    expect(performance.now() - started).toBeLessThan(LIMITS.claimRpcMs);
    const reasons = results.map((result) => result.status === "rejected" && result.reason);
    for (const reason of reasons) expect(reason).toBeInstanceOf(RecordsUnavailable);
    server.signal("SIGCONT");
    await vi.waitFor(() => database.read("SELECT"), 20_000);
    expect(await passed()).toHaveLength(40);
  });

  test("a host that froze within a transaction: the database is away, and the transaction had no effect", async () => {
    await using database = new Database(url, 1);
    const frozen = database.transaction(async (run) => {
      await run("SET idle_in_transaction_session_timeout = 50");
      await run("CREATE TABLE IF NOT EXISTS unfinished ()");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      return run("SELECT");
    });
    await expect(frozen).rejects.toThrow(RecordsUnavailable);
    await expect(database.read("SELECT FROM unfinished")).rejects.toThrow("does not exist");
  });

  test("usage and bytes are kept until the database is back, and a batch whose answer was lost counts once", async () => {
    await using database = new Database(url, 2);
    const limiter = new PostgresLimiter(database);
    const usage = new PostgresUsage(database);
    const collector = new UsageCollector();
    let isLost = true;
    const records = {
      ...{ read: usage.read, removeBefore: usage.removeBefore },
      async add(...batch: Parameters<PostgresUsage["add"]>) {
        await usage.add(...batch);
        if (isLost) throw new RecordsUnavailable("the answer was lost");
      },
    };
    const add = () =>
      collector.add(
        "collected",
        "png",
        { requests: 1, errors: 0, bytesIn: 1, bytesOut: 1 },
        {
          ...{ records, waitUntil: () => {}, log: () => {} },
        },
      );
    add();
    await expect(collector.record({ records })).rejects.toThrow("the answer was lost");
    add();
    await server.stop();
    await expect(collector.record({ records })).rejects.toThrow(RecordsUnavailable);
    await expect(limiter.release("owing", undefined, 2 ** 20)).rejects.toThrow(RecordsUnavailable);
    add();
    isLost = false;
    await server.start();
    await collector.record({ records });
    expect(await usage.read("collected", "2026-01-01")).toMatchObject([{ requests: 3, bytesOut: 3 }]);
    const { left } = await limiter.acquire("owing", { megabytesPerDay: 3 }, { isJob: false, bytes: 2 ** 20 });
    expect(left.megabytesPerDay?.count).toBe(2 ** 20);
  });
});

async function testHosts(): Promise<void> {
  const databaseOfOpen = (await server.createDatabase()).replace("tests@", `tests:${PASSWORD}@`);
  const start = (variant: string, database: string) => {
    const settings = { ENGINES: "off", VARIANT: variant, DATABASE_URL: database };
    return startHost({ dataFolder: join(folder, variant), logFile: join(folder, `${variant}.log`), settings });
  };
  const keyed = await start("keyed", url);
  const open = await start("private", databaseOfOpen);
  try {
    await putKeys({ database: url }, [keyOf("free", {}), keyOf("limited", { limits: { requestsPerMinute: 10_000 } })]);
    const withKey = (key: string, headers?: Record<string, string>) => postHtml(keyed.url, key, headers);
    const without = (headers?: Record<string, string>) => postHtml(open.url, "", headers);
    const ready = async ({ url }: HostServer) =>
      (await fetch(`${url}/ready`)).json() as Promise<Record<string, unknown>>;
    expect([(await withKey("free")).status, (await withKey("limited")).status]).toEqual([200, 200]);
    expect((await without({ "Idempotency-Key": "one" })).status).toBe(200);
    expect((await without({ "Idempotency-Key": "one" })).headers.get("Idempotent-Replayed")).toBe("true");
    expect(await ready(keyed)).toMatchObject({ status: "OK", reasons: [] });

    let isOver = false;
    const load = Promise.all(
      [1, 2, 3, 4].map(async () => {
        const statuses: number[] = [];
        while (!isOver) statuses.push((await withKey("limited", { "Idempotency-Key": crypto.randomUUID() })).status);
        return statuses;
      }),
    );
    await server.stop();
    await server.start();
    await vi.waitFor(async () => expect((await withKey("limited")).status).toBe(200), 20_000);
    isOver = true;
    expect(new Set((await load).flat().filter((status) => status !== 503))).toEqual(new Set([200]));

    const ways: readonly (readonly [away: () => unknown, back: () => unknown])[] = [
      [() => server.stop(), () => server.start()],
      [() => server.signal("SIGSTOP"), () => server.signal("SIGCONT")],
    ];
    const accepted = await waitForJob(open, databaseOfOpen);
    for (const [goAway, comeBack] of ways) {
      await goAway();
      expect([(await withKey("free")).status, (await without()).status]).toEqual([200, 200]);
      const started = performance.now();
      const isAsync = { Prefer: "respond-async" };
      const needing = [withKey("limited"), withKey("unknown"), withKey("free", isAsync), without(isAsync)];
      for (const refused of [...needing, without({ "Idempotency-Key": crypto.randomUUID() })]) {
        const { status, headers } = await refused;
        expect([status, headers.get("Retry-After")]).toEqual([503, "5"]);
      }
      expect(performance.now() - started).toBeLessThan(ANSWERS_WITHIN_MS);
      await vi.waitFor(async () => {
        const reason = "The database does not answer.";
        expect(await ready(keyed)).toMatchObject({ status: "unavailable", reasons: [reason] });
        expect(await ready(open)).toMatchObject({ status: "OK", notes: expect.arrayContaining([reason]) });
      }, 10_000);
      expect((await accepted.response).status).toBe(202);
      await comeBack();
      await vi.waitFor(async () => expect((await withKey("limited")).status).toBe(200), 20_000);
      expect((await withKey("free")).status).toBe(200);
    }
    const usage = await fetch(`${keyed.url}/usage`, { headers: { "Api-Key": "free" } });
    expect(await usage.json()).toMatchObject({ total: { requests: 7, errors: 2 } });
    for (const variant of ["keyed", "private"]) {
      expect(readFileSync(join(folder, `${variant}.log`), "utf8")).not.toContain(PASSWORD);
    }
  } finally {
    await keyed.stop();
    await open.stop();
  }
}

/** Sends a request that waits for its job, which no engine can run. Resolves when the job has been accepted. */
async function waitForJob({ url: host }: HostServer, database: string) {
  const body = new FormData();
  body.set("file", new Blob(["<p>A page"]), "page.html");
  body.set("output", "page");
  const headers = { Prefer: "respond-async, wait=3" };
  const response = fetch(`${host}/pdf`, { method: "POST", headers, body });
  await using records = new Database(database, 1);
  await vi.waitFor(async () => expect(await records.read("SELECT FROM pagewright.jobs")).toHaveLength(1), 10_000);
  return { response };
}

const keyOf = (key: string, settings: object) => ({
  ...{ hash: hashKey(key), owner: "tests", created: "2026-01-01T00:00:00.000Z", revoked: null },
  ...settings,
});
