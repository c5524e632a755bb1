// Tests the host's records in PostgreSQL, over two pools, like two hosts.
// Contract: docs/api.md#limits-of-a-client

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PostgresClaims } from "../../../../host/storage/postgres/claims.ts";
import { PostgresLimiter } from "../../../../host/storage/postgres/client-limits.ts";
import { Database } from "../../../../host/storage/postgres/database.ts";
import { PostgresKeys } from "../../../../host/storage/postgres/keys.ts";
import { migrate } from "../../../../host/storage/postgres/migrations.ts";
import { openDatabase } from "../../../../host/storage/postgres/open.ts";
import { PostgresUsage } from "../../../../host/storage/postgres/usage.ts";
import type { KeyEntry } from "../../../../host/storage/sqlite/key-database.ts";
import { UsageDatabase } from "../../../../host/storage/sqlite/usage-database.ts";
import { runKeys } from "../../../../scripts/keys/command.ts";
import { listKeys, putKeys } from "../../../../scripts/keys/key-records.ts";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { hashKey } from "../../../../src/service/ports/api-key.ts";
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

  describe("limits of two hosts", () => {
    const limiters = new Map<Database, PostgresLimiter>();
    limiterConformance({
      ...clock,
      open() {
        const database = open();
        const limiter = limiters.get(database) ?? new PostgresLimiter(database, clock.now);
        limiters.set(database, limiter);
        return limiter;
      },
    });
  });
  describe("limits of one host", () => {
    let limiter: PostgresLimiter | undefined;
    limiterConformance({
      ...clock,
      open() {
        limiter ??= new PostgresLimiter(open(), clock.now);
        return limiter;
      },
    });
  });
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

  test("a host is not ready if the database is read-only, or rejects its statements", async () => {
    const name = new URL(url).pathname.slice(1);
    const failure = async (change: string) => {
      await open().run(change);
      await using records = await openDatabase({ url, connections: 1 });
      return records.failure?.();
    };
    expect(await failure("SELECT")).toBeUndefined();
    expect(await failure(`ALTER DATABASE ${name} SET default_transaction_read_only TO on`)).toMatch(/is read-only/);
    expect(await failure(`ALTER DATABASE ${name} RESET ALL`)).toBeUndefined();
    await using records = await openDatabase({ url, connections: 1 });
    await open().run("ALTER TABLE pagewright.keys RENAME TO hidden");
    expect(await records.failure?.()).toMatch(/rejects statements/);
    await open().run("ALTER TABLE pagewright.hidden RENAME TO keys");
  });

  test("a user without rights counts as a database that is away", async () => {
    await open().run("CREATE ROLE weak LOGIN");
    await using weak = new Database(Object.assign(new URL(url), { username: "weak" }).href, 1);
    await expect(weak.read("SELECT * FROM pagewright.keys")).rejects.toThrow(RecordsUnavailable);
  });

  test("a host with other files is refused, until the others have stopped for some time", async () => {
    const withStore = (store: string) => openDatabase({ url, connections: 1, store });
    const refusal = "DATABASE_URL: Hosts with the same database have their files in another store.";
    await using _first = await withStore("one");
    await using _second = await withStore("one");
    await expect(withStore("other")).rejects.toThrow(refusal);
    await open().run("UPDATE pagewright.stores SET seen = now() - interval '2 minutes'");
    await using _other = await withStore("other");
    await expect(withStore("one")).rejects.toThrow(refusal);
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

  test("a host starts with the tables of a later release, unless it is too old for them", async () => {
    const url = await server.createDatabase();
    await migrate(url);
    await using database = new Database(url, 1);
    const add = "INSERT INTO pagewright.migrations (number, needs) VALUES ($1, $2)";
    await database.run(add, 98, 1);
    await migrate(url);
    await database.run(add, 99, 98);
    await expect(migrate(url)).rejects.toThrow(/^DATABASE_URL: a later release has changed the database/);
  });

  test("keys, usage and counts move to PostgreSQL and back, and a repetition changes nothing", async () => {
    const data = await mkdtemp(join(tmpdir(), "move-"));
    const database = await server.createDatabase();
    const entries = Array.from({ length: 10_000 }, (_, number) => ({
      ...{ hash: hashKey(`key ${number}`), owner: `Owner ✓ ${number}`, created: `2026-01-01T00:00:00.000Z ${number}` },
      ...{ revoked: number % 7 === 0 ? "2026-02-01T00:00:00.000Z" : null, limits: { concurrentJobs: number + 1 } },
    }));
    const counts = { requests: 1, errors: 0, bytesIn: Number.MAX_SAFE_INTEGER, bytesOut: 3 };
    const rows = entries
      .slice(0, 3000)
      .map(({ hash: key }) => ({ key, day: "2026-11-23", operation: "png", ...counts }));
    const limits = { megabytesPerDay: 2 };
    const printed: string[] = [];
    const keys = (...args: string[]) => runKeys(args, (line) => printed.push(line));
    const sorted = (entries: readonly KeyEntry[]) => [...entries].sort((a, b) => (a.hash < b.hash ? -1 : 1));
    try {
      await putKeys({ data }, entries);
      {
        using usage = await UsageDatabase.open(data);
        await usage.add(rows);
        await usage.acquire("client", limits, { isJob: false, bytes: 2 ** 20 });
      }
      const toPostgres = ["move", "--to", "postgres", "--data", data, "--database", database];
      for (let count = 0; count < 2; count++) await keys(...toPostgres);
      expect(printed.splice(0)).toEqual([
        "Moved: 10000 keys, 3000 rows of usage, counts of clients: 1.",
        "Moved: 0 keys, 0 rows of usage, counts of clients: 0.",
      ]);
      expect(sorted(await listKeys({ database }))).toEqual(sorted(entries));
      expect(await listKeys({ data })).toEqual([]);
      const moved = await openDatabase({ url: database, connections: 2 });
      expect(await moved.limiter.peek("client", limits)).toMatchObject({ megabytesPerDay: { count: 2 ** 20 } });
      await moved[Symbol.asyncDispose]();
      await keys("create", "--key", "new", "--owner", "Late", "--database", database);
      await keys("revoke", "key 1", "--database", database);
      await keys("usage", "--key", "key 1", "--days", "400", "--database", database);
      expect(printed.splice(0).join("\n")).toContain(
        `Owner ✓ 1  2026-11-23  png        1         0       ${counts.bytesIn}`,
      );
      await keys("move", "--to", "sqlite", "--data", data, "--database", database);
      const back = await listKeys({ data });
      expect(back).toHaveLength(10_001);
      expect(back.find(({ owner }) => owner === "Owner ✓ 1")?.revoked).not.toBeNull();
      expect(await listKeys({ database })).toEqual([]);
      using usage = await UsageDatabase.open(data);
      expect(await usage.readAll("2026-11-23")).toHaveLength(3000);
      expect(await usage.peek("client", limits)).toMatchObject({ megabytesPerDay: { count: 2 ** 20 } });
    } finally {
      await rm(data, { recursive: true });
    }
  });
});
