// Tests that every job store must pass, about messages to webhooks.
// Contract: docs/api.md#webhooks

import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/document/contract/limits.ts";
import type { JobStore } from "../../src/service/ports/job-store.ts";
import type { WebhookMessage } from "../../src/service/ports/webhooks.ts";
import { all, deletions, newJob, type TestedJobs } from "./job-conformance.ts";

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
/** Delays that the contract states. Jitter shortens each by up to a tenth. */
const DELAYS_MS = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 25_200, 32_400].map((seconds) => seconds * SECOND_MS);

const withWebhook = (id: string, { url = `https://${id}.net/`, client = id } = {}) =>
  newJob(id, { client, webhook: { url, signer: "s" } });

/** Stores a completed job. */
const ended = (store: JobStore, id: string, receiver?: { readonly url?: string; readonly client?: string }) =>
  store.record(withWebhook(id, receiver), `{"of":"${id}"}`);

async function taken({ deliveries }: JobStore): Promise<WebhookMessage> {
  const message = await deliveries.dequeue();
  expect(message).toBeDefined();
  return message!;
}

const takeAll = async ({ deliveries }: JobStore) => (await all(() => deliveries.dequeue())).map(({ id }) => id);

export function deliveryConformance(tested: TestedJobs): void {
  testMessages(tested);
  describe("a receiver that fails", () => testFailures(tested));
  describe("the number of attempts at a time is limited", () => testLimits(tested));
  describe("an attempt that ends without an outcome", () => testLostAttempts(tested));
}

/** Advances the clock until the next change of a job or message. */
async function passUntilWakeup(store: JobStore, { now, passes }: TestedJobs): Promise<void> {
  passes((await store.nextWakeup())! - now());
}

function testMessages({ open, now, passes }: TestedJobs): void {
  test.each(["completed", "failed"] as const)(
    "a message waits until its job has %s, and is posted once",
    async (end) => {
      const store = await open(randomUUID(), "never");
      await store.enqueue(withWebhook("a", { url: "https://a.net/b", client: "c" }));
      await store.enqueue(newJob("without"));
      const [job, without] = await all(() => store.dequeue());
      expect(await store.deliveries.dequeue()).toBeUndefined();
      passes(5);
      const error = { error: "No.", errorStatus: 422 };
      const status = end === "failed" ? { status: end, ...error } : { status: end, answer: "{}" };
      if (end === "failed") await store.fail(job!, error);
      else await store.complete(job!, "{}");
      await store.complete(without!, "{}");
      const message = await taken(store);
      const about = { id: "a", url: "https://a.net/b", signer: "s", client: "c", endedAt: now(), attempt: 1 };
      expect(message).toEqual({ ...about, status });
      expect(await takeAll(store)).toEqual([]);
      for (let count = 0; count < 2; count++) {
        expect(await store.deliveries.recordOutcome(message, "taken")).toBe(true);
      }
      await deletions(store);
      passes(48 * HOUR_MS);
      expect([await takeAll(store), await store.nextWakeup()]).toEqual([[], undefined]);
    },
  );

  test("one message has one sender, however many ask at the same moment", async () => {
    const name = randomUUID();
    const stores = [await open(name), await open(name)] as const;
    await ended(stores[0], "a");
    const found = await Promise.all(Array.from({ length: 10 }, (_, at) => stores[at % 2]!.deliveries.dequeue()));
    expect(found.filter((message) => message !== undefined)).toHaveLength(1);
  });

  test("a job that is canceled or deleted has no message", async () => {
    const store = await open(randomUUID());
    await store.enqueue(withWebhook("canceled"));
    await store.cancel("canceled");
    await ended(store, "completed");
    await ended(store, "canceled-later");
    expect(await takeAll(store)).toEqual(["completed", "canceled-later"]);
    await store.cancel("canceled-later");
    for (const id of ["completed", "canceled-later"]) {
      expect(await store.deliveries.recordOutcome({ id, attempt: 1 }, "failed")).toBe(true);
    }
    passes(24 * HOUR_MS);
    expect(await store.dequeue()).toBeUndefined();
    expect([await takeAll(store), await store.status("completed")]).toEqual([[], undefined]);
  });
}

function testFailures(tested: TestedJobs): void {
  const { open, now, passes } = tested;

  test("is asked again for a day, after the delays of the contract", async () => {
    const store = await open(randomUUID(), "never");
    await ended(store, "a");
    const begun = now();
    for (const [at, delayMs] of DELAYS_MS.entries()) {
      const message = await taken(store);
      expect(message.attempt).toBe(at + 1);
      passes(15 * SECOND_MS);
      expect(await store.deliveries.recordOutcome(message, "failed")).toBe(true);
      expect(await store.deliveries.dequeue()).toBeUndefined();
      const failed = now();
      await passUntilWakeup(store, tested);
      expect(now() - failed).toBeLessThanOrEqual(delayMs);
      expect(now() - failed).toBeGreaterThanOrEqual(0.9 * delayMs);
    }
    expect(await store.deliveries.recordOutcome(await taken(store), "failed")).toBe(false);
    expect(now() - begun).toBeLessThan(LIMITS.webhookDayMs);
    expect(await store.nextWakeup()).toBeUndefined();
  });

  test("and wants no message any more is not asked again", async () => {
    const store = await open(randomUUID(), "never");
    await ended(store, "a");
    expect(await store.deliveries.recordOutcome(await taken(store), "gone")).toBe(true);
    expect(await store.nextWakeup()).toBeUndefined();
  });

  test("comes after those that were not asked yet, once for each outcome", async () => {
    const store = await open(randomUUID());
    await ended(store, "failing");
    const message = await taken(store);
    for (let count = 0; count < 2; count++) await store.deliveries.recordOutcome(message, "failed");
    passes(DELAYS_MS[0]!);
    await ended(store, "new");
    expect(await takeAll(store)).toEqual(["new", "failing"]);
  });

  test("for want of capacity is asked again for a day, and that does not count", async () => {
    const store = await open(randomUUID(), "never");
    await ended(store, "a");
    const begun = now();
    while (now() < begun + LIMITS.webhookDayMs - HOUR_MS) {
      const message = await taken(store);
      expect(message.attempt).toBe(1);
      expect(await store.deliveries.recordOutcome(message, "postponed")).toBe(true);
      await passUntilWakeup(store, tested);
      passes(HOUR_MS / 2);
    }
    passes(begun + LIMITS.webhookDayMs - now());
    expect(await store.deliveries.recordOutcome(await taken(store), "postponed")).toBe(false);
  });
}

function testLimits({ open }: TestedJobs): void {
  test("for each receiver, each client and all together", async () => {
    const store = await open(randomUUID());
    for (let count = 0; count < 10; count++) {
      await ended(store, `slow${count}`, { url: `https://slow.net/${count}`, client: "one" });
      await ended(store, `quick${count}`, { client: "one" });
    }
    expect(await takeAll(store)).toEqual(["slow0", "quick0", "slow1", "quick1"]);
    for (let count = 0; count < 10; count++) await ended(store, `other${count}`, { url: "https://slow.net/" });
    expect(await takeAll(store)).toEqual(["other0", "other1", "other2", "other3"]);
  });

  test("and those that had to wait follow", async () => {
    const store = await open(randomUUID());
    for (let count = 0; count < 3; count++) {
      await ended(store, `a${count}`, { url: "https://slow.net/", client: "one" });
    }
    const first = await taken(store);
    expect(await takeAll(store)).toEqual(["a1"]);
    await store.deliveries.recordOutcome(first, "taken");
    expect(await takeAll(store)).toEqual(["a2"]);
  });
}

function testLostAttempts(tested: TestedJobs): void {
  const { open, now, isShared } = tested;

  test("has failed when its lease expires, and has no effect any more", async () => {
    const store = await open(randomUUID(), "never");
    await ended(store, "a");
    const lost = await taken(store);
    expect(await store.nextWakeup()).toBe(now() + LIMITS.webhookLeaseMs);
    await passUntilWakeup(store, tested);
    expect(await store.deliveries.dequeue()).toBeUndefined();
    await passUntilWakeup(store, tested);
    const next = await taken(store);
    expect(next.attempt).toBe(2);
    expect(await store.deliveries.recordOutcome(lost, "gone")).toBe(true);
    expect(await store.deliveries.recordOutcome(next, "failed")).toBe(true);
    expect(await store.nextWakeup()).toBeGreaterThan(now());
  });

  test("has failed when the queue restarts", async () => {
    const name = randomUUID();
    const before = await open(name, "never");
    await ended(before, "a");
    await taken(before);
    const store = await open(name, "never");
    const restarted = now();
    for (let count = 0; count < 2; count++) {
      expect(await store.deliveries.dequeue()).toBeUndefined();
      await passUntilWakeup(store, tested);
    }
    expect((await taken(store)).attempt).toBe(2);
    const leaseMs = isShared ? LIMITS.webhookLeaseMs : LIMITS.asyncLeaseMs;
    expect(now() - restarted).toBeLessThanOrEqual(leaseMs + DELAYS_MS[0]!);
  });
}
