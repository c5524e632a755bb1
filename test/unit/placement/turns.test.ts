// Tests the turns for work at the edge.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { toServiceError } from "../../../src/http/errors.ts";
import { createTurns, patient, type Turns } from "../../../src/placement/turns.ts";

const never = new AbortController().signal;
/** The response that a failed wait becomes. */
const answered = (waiting: Promise<unknown>) =>
  waiting.catch((error: unknown) => Promise.reject(toServiceError(error)));

describe("turns", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("so many at once, the others in their order", async () => {
    const turns = createTurns({ atOnce: 2, waiting: 2, maxWaitMs: 1000 });
    const order: string[] = [];
    const first = await turns.take(never);
    await turns.take(never);
    const third = turns.take(never).then((turn) => {
      order.push("third");
      return turn;
    });
    const fourth = turns.take(never).then(() => order.push("fourth"));
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
    const turns = createTurns({ atOnce: 1, waiting: 5, maxWaitMs: 1000 });
    const order: string[] = [];
    const work = async (name: string, from: Turns) => {
      using _turn = await from.take(never);
      order.push(name);
    };
    const first = await turns.take(never);
    const all = [work("patient", patient(turns)), work("second", turns), work("third", turns)];
    first[Symbol.dispose]();
    await Promise.all(all);
    expect(order).toEqual(["second", "third", "patient"]);
  });

  test("a turn given back twice counts once", async () => {
    const turns = createTurns({ atOnce: 1, waiting: 5, maxWaitMs: 1000 });
    const turn = await turns.take(never);
    turn[Symbol.dispose]();
    turn[Symbol.dispose]();
    await turns.take(never);
    let got = false;
    turns.take(never).then(
      () => {
        got = true;
      },
      () => {},
    );
    await vi.advanceTimersByTimeAsync(10);
    expect(got).toBe(false);
  });

  test("503 with Retry-After when too many wait", async () => {
    const turns = createTurns({ atOnce: 1, waiting: 1, maxWaitMs: 1000 });
    await turns.take(never);
    void turns.take(never).catch(() => {});
    await expect(answered(turns.take(never))).rejects.toMatchObject({ status: 503, headers: { "Retry-After": "5" } });
  });

  test("503 for one who waited too long, whose place is free again", async () => {
    const turns = createTurns({ atOnce: 1, waiting: 1, maxWaitMs: 1000 });
    const turn = await turns.take(never);
    const waiting = expect(answered(turns.take(never))).rejects.toMatchObject({ status: 503 });
    await vi.advanceTimersByTimeAsync(1001);
    await waiting;
    const next = turns.take(never);
    turn[Symbol.dispose]();
    await expect(next).resolves.toBeDefined();
  });

  test("who goes away leaves the queue", async () => {
    const turns = createTurns({ atOnce: 1, waiting: 1, maxWaitMs: 1000 });
    const turn = await turns.take(never);
    const leaving = new AbortController();
    const left = expect(turns.take(leaving.signal)).rejects.toThrow("gone");
    leaving.abort(new Error("gone"));
    await left;
    await expect(turns.take(leaving.signal)).rejects.toThrow("gone");
    const next = turns.take(never);
    turn[Symbol.dispose]();
    await expect(next).resolves.toBeDefined();
  });
});
