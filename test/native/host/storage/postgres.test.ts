// Tests the host's records in PostgreSQL, over two pools, like two hosts.
// Contract: docs/api.md#limits-of-a-client

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PostgresClaims } from "../../../../host/storage/postgres/claims.ts";
import { PostgresLimiter } from "../../../../host/storage/postgres/client-limits.ts";
import { Database } from "../../../../host/storage/postgres/database.ts";
import { PostgresKeys } from "../../../../host/storage/postgres/keys.ts";
import { migrate } from "../../../../host/storage/postgres/migrations.ts";
import { PostgresUsage } from "../../../../host/storage/postgres/usage.ts";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { RecordsUnavailable } from "../../../../src/service/ports/records-unavailable.ts";
import { claimConformance } from "../../../support/claim-conformance.ts";
import { keyConformance } from "../../../support/key-conformance.ts";
import { limiterConformance } from "../../../support/limiter-conformance.ts";
import { missingPostgres, type PostgresServer, startPostgres } from "../../../support/postgres.ts";
import { usageConformance } from "../../../support/usage-conformance.ts";

const missing = missingPostgres();
if (missing) console.log(`The tests of PostgreSQL are skipped: ${missing}`);

const CONNECTIONS = 5;
let now = 1_700_000_000_000;
const clock = {
  now: () => now,
  passes(ms: number) {
    now += ms;
  },
};
let server: PostgresServer;
let url: string;
let databases: Database[];

/** Returns one of two pools, alternately. */
function open(): Database {
  databases.push(databases.shift()!);
  return databases[0]!;
}

describe.skipIf(missing !== undefined)("records in PostgreSQL", () => {
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    // Hosts that start at the same time.
    await Promise.all([1, 2, 3].map(() => migrate(url)));
    databases = [1, 2].map(() => new Database(url, CONNECTIONS));
  });
  afterAll(async () => {
    for (const database of databases) await database[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  describe("limits", () => limiterConformance({ ...clock, open: () => new PostgresLimiter(open(), clock.now) }));
  describe("usage", () => usageConformance(() => new PostgresUsage(open())));
  describe("claims", () =>
    claimConformance({ ...clock, claim: (name) => new PostgresClaims(open(), clock.now).getByName(name) }));
  describe("keys", () =>
    keyConformance({
      records: () => new PostgresKeys(open()),
      put: (hash, record) => new PostgresKeys(open()).put([{ hash, ...record }]),
    }));

  test("of 200 requests at once to two hosts, as many pass as the limit has, whatever the clocks of the hosts", async () => {
    const limiters = [1, 2].map(() => new PostgresLimiter(open()));
    const limits = { requestsPerMinute: 50, concurrentJobs: 60, megabytesPerDay: 100 };
    const acquire = (limiter: PostgresLimiter) => limiter.acquire("one", limits, { isJob: true, bytes: 2 ** 20 });
    const ask = () => Promise.all(Array.from({ length: 200 }, (_, number) => acquire(limiters[number % 2]!)));
    const passed = async () => (await ask()).filter(({ rejected }) => !rejected).length;
    expect(await passed()).toBe(50);
    const { now: own } = Date;
    try {
      Date.now = () => own() + 10 * 60_000;
      expect(await passed()).toBe(0);
    } finally {
      Date.now = own;
    }
  });

  test("a repeated batch of usage counts once", async () => {
    const counts = { requests: 1, errors: 0, bytesIn: 2, bytesOut: 3 };
    const rows = [{ key: "repeated", day: "2026-11-23", operation: "png", ...counts }];
    const batch = crypto.randomUUID();
    await Promise.all([1, 2, 3].map(() => new PostgresUsage(open()).add(rows, batch)));
    expect(await new PostgresUsage(open()).read("repeated", "2026-11-23")).toMatchObject([{ requests: 1 }]);
    await new PostgresUsage(open()).add(rows);
    expect(await new PostgresUsage(open()).readAll("2026-11-23")).toContainEqual({
      ...{ key: "repeated", day: "2026-11-23", operation: "png" },
      ...{ requests: 2, errors: 0, bytesIn: 4, bytesOut: 6 },
    });
  });

  test("what has expired is deleted, with the files that only replays need", async () => {
    const claims = new PostgresClaims(open(), clock.now);
    const keep = async (name: string, file: { id: string; isOwn: boolean }) => {
      await claims.getByName(name).acquire("a", "content");
      await claims.getByName(name).complete("a", "content", { status: 200, headers: [], text: "\u0000", file });
    };
    await keep("own", { id: "own file", isOwn: true });
    await keep("named", { id: "file of the client", isOwn: false });
    await claims.getByName("crashed").acquire("a", "content");
    const limiter = new PostgresLimiter(open(), clock.now);
    await limiter.acquire("idle", { requestsPerMinute: 1 }, { isJob: false, bytes: 0 });
    await limiter.store("keeper", 10, { bytes: 5 });
    const count = async (table: string) => (await open().read(`SELECT count(*) FROM pagewright.${table}`))[0]!.count;
    const [names, clients] = [await count("claims"), Number(await count("clients"))];
    expect(names).toBeGreaterThan(2);
    const removed: string[] = [];
    const sweep = async () => {
      await claims.sweep(async (ids) => void removed.push(...ids));
      await limiter.tidy();
    };
    await sweep();
    expect(removed).not.toContain("own file");
    expect(await limiter.peek("idle", { requestsPerMinute: 1 })).toMatchObject({ requestsPerMinute: { count: 0 } });
    clock.passes(LIMITS.storedResponseMs);
    await sweep();
    expect(removed).toContain("own file");
    expect(removed).not.toContain("file of the client");
    expect(await count("claims")).toBe(0);
    expect(await count("clients")).toBeLessThan(clients);
    expect(await limiter.peek("keeper", { storedMegabytes: 10 })).toMatchObject({
      storedMegabytes: { count: 10 * 2 ** 20 - 5 },
    });
  });
});
