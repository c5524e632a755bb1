// The order and times of messages about ended jobs, in a real SQLite database. Only time and chance are faked.
// Contract: docs/api.md#webhooks
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { RETRY_DELAYS_MS, WebhookDeliveries } from "../../../../src/service/jobs/deliveries.ts";
import { Queue } from "../../../../src/service/jobs/queue.ts";
import type { DueDelivery } from "../../../../src/service/ports/webhooks.ts";

const HOUR_MS = 3_600_000;
const START = 1_700_000_000_000;

let database: DatabaseSync;
let now: number;
let chance: number;
let deliveries: WebhookDeliveries;

const sql = (statement: string, ...values: readonly (string | number | null)[]) =>
  database.prepare(statement).all(...values);
/** Opens the deliveries as a process that starts does. */
const open = () => new WebhookDeliveries({ sql, now: () => now, random: () => chance });

beforeEach(() => {
  database = new DatabaseSync(":memory:");
  now = START;
  chance = 0;
  deliveries = open();
});

/** Notes a job that has ended. */
function ended(id: string, { url = `https://${id}.net/`, client = id } = {}): void {
  deliveries.add({ id, client, webhook: { url, signer: "s" } });
  deliveries.schedule(id);
}
const takeAll = (): string[] => {
  const ids: string[] = [];
  for (let one = deliveries.dequeue(); one; one = deliveries.dequeue()) ids.push(one.id);
  return ids;
};
function taken(): DueDelivery {
  const one = deliveries.dequeue();
  expect(one).toBeDefined();
  return one!;
}

test("a message waits for the end of its job, and is posted once", () => {
  deliveries.add({ id: "a", client: "c", webhook: { url: "https://a.net/b", signer: "s" } });
  deliveries.add({ id: "without", client: "c" });
  expect(deliveries.dequeue()).toBeUndefined();
  expect(deliveries.nextWakeup()).toBeUndefined();
  now += 5;
  deliveries.schedule("a");
  deliveries.schedule("without");
  const one = taken();
  expect(one).toEqual({ id: "a", url: "https://a.net/b", signer: "s", client: "c", endedAt: START + 5, attempt: 1 });
  expect(takeAll()).toEqual([]);
  expect(deliveries.recordOutcome(one, "taken")).toBe(true);
  now += 48 * HOUR_MS;
  deliveries.expireLeases();
  expect(takeAll()).toEqual([]);
  expect(deliveries.nextWakeup()).toBeUndefined();
});

describe("a receiver that fails", () => {
  test.each([0, 1])("is asked again for a day, after growing pauses (chance %d)", (always) => {
    chance = always;
    ended("a");
    const times: number[] = [];
    for (let attempt = 1; ; attempt++) {
      const one = taken();
      expect(one.attempt).toBe(attempt);
      times.push(now - START);
      now += 15_000;
      if (!deliveries.recordOutcome(one, "failed")) break;
      expect(deliveries.dequeue()).toBeUndefined();
      now = deliveries.nextWakeup()!;
    }
    expect(times).toHaveLength(RETRY_DELAYS_MS.length + 1);
    expect(times.at(-1)).toBeGreaterThan(20 * HOUR_MS);
    expect(times.at(-1)).toBeLessThan(LIMITS.webhookDayMs);
    const pauses = times.slice(1).map((time, at) => time - times[at]!);
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(deliveries.nextWakeup()).toBeUndefined();
  });

  test("and wants no message any more is not asked again", () => {
    ended("a");
    expect(deliveries.recordOutcome(taken(), "gone")).toBe(true);
    expect(deliveries.nextWakeup()).toBeUndefined();
  });

  test("comes after those that were not asked yet", () => {
    ended("failing");
    deliveries.recordOutcome(taken(), "failed");
    now += RETRY_DELAYS_MS[0]!;
    ended("new");
    expect(takeAll()).toEqual(["new", "failing"]);
  });
});

test("an attempt for which there was no capacity does not count, for a day", () => {
  ended("a");
  for (; now < START + LIMITS.webhookDayMs - HOUR_MS; now = deliveries.nextWakeup()!) {
    const one = taken();
    expect(one.attempt).toBe(1);
    expect(deliveries.recordOutcome(one, "postponed")).toBe(true);
    now += HOUR_MS / 2;
  }
  now = START + LIMITS.webhookDayMs;
  expect(deliveries.recordOutcome(taken(), "postponed")).toBe(false);
});

describe("the number of attempts at a time is limited", () => {
  test("for each receiver, each client and all together", () => {
    for (let count = 0; count < 10; count++) {
      ended(`slow${count}`, { url: `https://slow.net/${count}`, client: "one" });
      ended(`quick${count}`, { client: "one" });
    }
    expect(takeAll()).toEqual(["slow0", "quick0", "slow1", "quick1"]);
    for (let count = 0; count < 10; count++) ended(`other${count}`, { url: "https://slow.net/" });
    expect(takeAll()).toEqual(["other0", "other1", "other2", "other3"]);
  });

  test("and those that had to wait follow", () => {
    for (let count = 0; count < 3; count++) ended(`a${count}`, { url: "https://slow.net/", client: "one" });
    const first = taken();
    expect(takeAll()).toEqual(["a1"]);
    deliveries.recordOutcome(first, "taken");
    expect(takeAll()).toEqual(["a2"]);
  });
});

describe("an attempt that is not heard of", () => {
  test("has failed when its lease ends", () => {
    ended("a");
    const lost = taken();
    expect(deliveries.nextWakeup()).toBe(now + LIMITS.webhookLeaseMs);
    now = deliveries.nextWakeup()!;
    deliveries.expireLeases();
    now = deliveries.nextWakeup()!;
    const next = taken();
    expect(next.attempt).toBe(2);
    // What comes of the lost one later has no effect.
    expect(deliveries.recordOutcome(lost, "gone")).toBe(true);
    expect(deliveries.recordOutcome(next, "taken")).toBe(true);
    expect(deliveries.nextWakeup()).toBeUndefined();
  });

  test("has failed when the queue starts again", () => {
    ended("a");
    taken();
    deliveries = open();
    expect(deliveries.dequeue()).toBeUndefined();
    now = deliveries.nextWakeup()!;
    expect(now).toBe(START + RETRY_DELAYS_MS[0]!);
    expect(taken().attempt).toBe(2);
  });
});

test("a job that is canceled or forgotten has no message", () => {
  const queue = new Queue({ sql, now: () => now, lifetimeMs: HOUR_MS, deliveries });
  const job = (id: string) => ({
    ...{ id, path: "/png", form: "{}", baseUrl: "", client: "c", inputs: [], isTransient: false },
    webhook: { url: "https://a.net/", signer: "s" },
  });
  queue.enqueue(job("canceled"));
  expect(queue.cancel("canceled")).toBe(true);
  queue.record(job("completed"), "{}");
  expect(deliveries.recordOutcome(taken(), "failed")).toBe(true);
  now += 2 * HOUR_MS;
  queue.expireLeases();
  expect(queue.status("completed")).toBeUndefined();
  deliveries.expireLeases();
  expect([takeAll(), deliveries.nextWakeup()]).toEqual([[], undefined]);
});
