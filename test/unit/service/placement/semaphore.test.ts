// Tests the semaphores for work at the edge.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { toServiceError } from "../../../../src/service/http/contract/errors.ts";
import { createSemaphore, lowPriority, type Semaphore } from "../../../../src/service/placement/semaphore.ts";

const never = new AbortController().signal;
/** Returns the error response for a failed wait. */
const answered = (waiting: Promise<unknown>) =>
  waiting.catch((error: unknown) => Promise.reject(toServiceError(error)));

describe("turns", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("so many at once, the others in their order", async () => {
    const turns = createSemaphore({ concurrency: 2, maxQueued: 2, maxWaitMs: 1000 });
    const order: string[] = [];
    const first = await turns.acquire(never);
    await turns.acquire(never);
    const third = turns.acquire(never).then((turn) => {
      order.push("third");
      return turn;
    });
    const fourth = turns.acquire(never).then(() => order.push("fourth"));
    await vi.advanceTimersByTimeAsync(10);
    expect(order).toEqual([]);
    first[Symbol.dispose]();
    await third;
    expect(order).toEqual(["third"]);
    (await third)[Symbol.dispose]();
    await fourth;
    expect(order).toEqual(["third", "fourth"]);
  });

  test("work that nobody waits for has its turn when no other wants one", async () => {
    const turns = createSemaphore({ concurrency: 1, maxQueued: 5, maxWaitMs: 1000 });
    const order: string[] = [];
    const work = async (name: string, from: Semaphore) => {
      using _turn = await from.acquire(never);
      order.push(name);
    };
    const first = await turns.acquire(never);
    const all = [work("patient", lowPriority(turns)), work("second", turns), work("third", turns)];
    first[Symbol.dispose]();
    await Promise.all(all);
    expect(order).toEqual(["second", "third", "patient"]);
  });

  test("a turn given back twice counts once", async () => {
    const turns = createSemaphore({ concurrency: 1, maxQueued: 5, maxWaitMs: 1000 });
    const turn = await turns.acquire(never);
    turn[Symbol.dispose]();
    turn[Symbol.dispose]();
    await turns.acquire(never);
    let got = false;
    turns.acquire(never).then(
      () => {
        got = true;
      },
      () => {},
    );
    await vi.advanceTimersByTimeAsync(10);
    expect(got).toBe(false);
  });

  test("503 with Retry-After when too many wait", async () => {
    const turns = createSemaphore({ concurrency: 1, maxQueued: 1, maxWaitMs: 1000 });
    await turns.acquire(never);
    void turns.acquire(never).catch(() => {});
    await expect(answered(turns.acquire(never))).rejects.toMatchObject({
      status: 503,
      headers: { "Retry-After": "5" },
    });
  });

  test("503 for one who waited too long, whose place is free again", async () => {
    const turns = createSemaphore({ concurrency: 1, maxQueued: 1, maxWaitMs: 1000 });
    const turn = await turns.acquire(never);
    const waiting = expect(answered(turns.acquire(never))).rejects.toMatchObject({ status: 503 });
    await vi.advanceTimersByTimeAsync(1001);
    await waiting;
    const next = turns.acquire(never);
    turn[Symbol.dispose]();
    await expect(next).resolves.toBeDefined();
  });

  test("who goes away leaves the queue", async () => {
    const turns = createSemaphore({ concurrency: 1, maxQueued: 1, maxWaitMs: 1000 });
    const turn = await turns.acquire(never);
    const leaving = new AbortController();
    const left = expect(turns.acquire(leaving.signal)).rejects.toThrow("gone");
    leaving.abort(new Error("gone"));
    await left;
    await expect(turns.acquire(leaving.signal)).rejects.toThrow("gone");
    const next = turns.acquire(never);
    turn[Symbol.dispose]();
    await expect(next).resolves.toBeDefined();
  });
});
