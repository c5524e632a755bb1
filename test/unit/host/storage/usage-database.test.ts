// Tests the usage database of the host: sums of many requests, and its size.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KeyDatabase } from "../../../../host/storage/key-database.ts";
import { UsageDatabase } from "../../../../host/storage/usage-database.ts";
import { dayOf, type KeyUsage, type UsageRecords } from "../../../../src/core/usage.ts";
import { UsageCollector } from "../../../../src/keys/usage-collector.ts";
import { NO_COUNTS, removeOldUsage, sumOf } from "../../../../src/keys/usage-table.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "usage-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const KEYS = Array.from({ length: 20 }, (_, at) => String(at).repeat(64).slice(0, 64));
const OPERATIONS = ["pdf", "png", "zip", "html", "merged-pdf"];
/** Keeps nothing at work: tests record by themselves. */
const quiet = (records: UsageRecords) => ({ records, waitUntil: () => {}, log: () => {} });

test("100,000 requests add up, and take less than 200 KB", async () => {
  using database = await UsageDatabase.open(folder);
  const collectors = [new UsageCollector(), new UsageCollector()];
  const expected = new Map<string, KeyUsage>();
  for (let at = 0; at < 100_000; at++) {
    const [key, operation] = [KEYS[at % 20]!, OPERATIONS[at % 5]!];
    const counts = { requests: 1, errors: at % 7 === 0 ? 1 : 0, bytesIn: at, bytesOut: 2 * at };
    collectors[at % 2]!.add(key, operation, counts, quiet(database));
    const name = key + operation;
    const before = expected.get(name);
    const row = { key, operation, day: dayOf(Date.now()), ...counts };
    expected.set(name, before ? { ...row, ...sumOf(before, row) } : row);
    if (at % 500 === 0) await collectors[at % 2]!.record({ records: database });
  }
  for (const collector of collectors) await collector.record({ records: database });
  const all = database.readAll("2000-01-01");
  expect(all.reduce(sumOf, NO_COUNTS)).toEqual([...expected.values()].reduce(sumOf, NO_COUNTS));
  expect(all.reduce(sumOf, NO_COUNTS)).toMatchObject({ requests: 100_000, bytesIn: 4_999_950_000 });
  const { key: _, ...first } = expected.get(KEYS[0]! + OPERATIONS[0]!)!;
  expect(await database.read(KEYS[0]!, dayOf(Date.now()))).toEqual([first]);
  expect(statSync(join(folder, "usage.db")).size).toBeLessThan(200_000);
});

test("usage that could not be recorded is recorded with the next, once", async () => {
  using database = await UsageDatabase.open(folder);
  const collector = new UsageCollector();
  const failing = { ...quiet(database), records: { add: () => Promise.reject(new Error("no database")) } as never };
  collector.add("a", "png", { requests: 1, errors: 0, bytesIn: 1, bytesOut: 2 }, failing);
  await expect(collector.record(failing)).rejects.toThrow("no database");
  collector.add("a", "png", { requests: 1, errors: 1, bytesIn: 1, bytesOut: 2 }, quiet(database));
  await collector.record({ records: database });
  await collector.record({ records: database });
  expect(database.readAll("2000-01-01")).toMatchObject([{ requests: 2, errors: 1, bytesIn: 2, bytesOut: 4 }]);
});

test("usage ends after 400 days", async () => {
  using database = await UsageDatabase.open(folder);
  const row = { key: "a", operation: "png", ...NO_COUNTS, requests: 1 };
  const days = [401, 400, 0].map((age) => dayOf(Date.now() - age * 86_400_000));
  await database.add(days.map((day) => ({ ...row, day })));
  await removeOldUsage(database);
  expect(database.readAll("2000-01-01").map(({ day }) => day)).toEqual(days.slice(1));
});

test("two databases of one file count together, and a key of an earlier version is still valid", async () => {
  using here = await UsageDatabase.open(folder);
  using there = await UsageDatabase.open(folder);
  const verdicts = [];
  for (let at = 0; at < 20; at++) {
    verdicts.push(await [here, there][at % 2]!.ask("a", { requestsPerMinute: 10 }, { isJob: false, bytes: 0 }));
  }
  expect(verdicts.map(({ refused }) => refused === undefined)).toEqual([
    ...Array(10).fill(true),
    ...Array(10).fill(false),
  ]);

  const { DatabaseSync } = await import("node:sqlite");
  using old = new DatabaseSync(join(folder, "keys.db"));
  old.exec("CREATE TABLE keys (hash TEXT PRIMARY KEY, owner TEXT NOT NULL, created TEXT NOT NULL, revoked TEXT)");
  old.exec("INSERT INTO keys VALUES ('a', 'Ada', '2026-01-01', NULL)");
  using keys = await KeyDatabase.open(folder);
  expect(await keys.get("a", "json")).toEqual({ hash: "a", owner: "Ada", created: "2026-01-01", revoked: null });
});
