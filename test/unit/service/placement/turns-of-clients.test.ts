// Tests that no client takes all permits or all memory.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createSemaphore, type Semaphore } from "../../../../src/service/placement/semaphore.ts";
import { createMemoryQuota } from "../../../../src/service/storage/memory-quota.ts";

const never = new AbortController().signal;

/** Requests permits, and counts those that were granted. */
function ask(turns: Semaphore, count: number) {
  const asked = { taken: 0, refused: 0, ends: [] as (() => void)[] };
  for (let each = 0; each < count; each++) {
    turns.acquire(never).then(
      (turn) => {
        asked.taken++;
        asked.ends.push(() => turn[Symbol.dispose]());
      },
      () => asked.refused++,
    );
  }
  return asked;
}

describe("turns of clients", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test.each([
    [25, 12],
    [6, 3],
    [2, 1],
  ])("of %i turns, a client that keeps all it has keeps %i, and others have one at once", async (concurrency, most) => {
    const turns = createSemaphore({ concurrency, maxQueued: 50, maxWaitMs: 1000, leavesRoom: true });
    const greedy = ask(turns.for("greedy"), 2 * concurrency);
    await vi.advanceTimersByTimeAsync(0);
    expect(greedy.taken).toBe(most);
    const other = ask(turns.for("other"), 1);
    await vi.advanceTimersByTimeAsync(0);
    expect(other.taken).toBe(1);
  });

  test("a client alone has the only turn", async () => {
    const turns = createSemaphore({ concurrency: 1, maxQueued: 0, maxWaitMs: 1000, leavesRoom: true });
    expect(await turns.for("one").acquire(never)).toBeDefined();
  });

  test("the next turn is that of the client with the fewest, and then of the one that waits longest", async () => {
    const turns = createSemaphore({ concurrency: 2, maxQueued: 10, maxWaitMs: 1000 });
    const order: string[] = [];
    const work = async (client: string) => {
      const turn = await turns.for(client).acquire(never);
      order.push(client);
      return turn;
    };
    const first = await work("a");
    const second = await work("a");
    const waiting = [work("a"), work("a"), work("b"), work("c")];
    first[Symbol.dispose]();
    (await waiting[2]!)[Symbol.dispose]();
    (await waiting[3]!)[Symbol.dispose]();
    second[Symbol.dispose]();
    await Promise.all(waiting.slice(0, 2));
    expect(order).toEqual(["a", "a", "b", "c", "a", "a"]);
  });

  test("a client that fills the waiting room gives way to another", async () => {
    const turns = createSemaphore({ concurrency: 1, maxQueued: 4, maxWaitMs: 1000 });
    const greedy = ask(turns.for("greedy"), 20);
    await vi.advanceTimersByTimeAsync(0);
    expect(greedy).toMatchObject({ taken: 1, refused: 15 });
    const other = ask(turns.for("other"), 2);
    await vi.advanceTimersByTimeAsync(0);
    expect(greedy.refused).toBe(17);
    expect(other.refused).toBe(0);
    greedy.ends.shift()!();
    await vi.advanceTimersByTimeAsync(0);
    expect(other.taken).toBe(1);
  });

  test("a client that was refused or left is forgotten", async () => {
    const turns = createSemaphore({ concurrency: 1, maxQueued: 1, maxWaitMs: 1000, leavesRoom: true });
    const turn = await turns.for("one").acquire(never);
    const refused = expect(turns.for("other").acquire(never)).rejects.toMatchObject({ reason: "busy" });
    await vi.advanceTimersByTimeAsync(1001);
    await refused;
    turn[Symbol.dispose]();
    expect(await turns.for("other").acquire(never)).toBeDefined();
  });
});

test("a client leaves as much memory as it holds, and the first bytes of each client fit", () => {
  const memory = createMemoryQuota({ perRequest: 100, total: 100 });
  const [one, other] = [memory.for("one"), memory.for("other")];
  const keepings = Array.from({ length: 10 }, () => one.openReservation());
  expect(keepings.filter((keeping) => keeping.tryReserve(10)).length).toBe(5);
  using others = other.openReservation();
  expect(others.tryReserve(50)).toBe(true);
  expect(others.tryReserve(1)).toBe(false);
  for (const keeping of keepings) keeping[Symbol.dispose]();
  // If no other client reserves memory, one client can reserve all of it.
  others[Symbol.dispose]();
  using whole = one.openReservation();
  expect(whole.tryReserve(100)).toBe(true);
});
