// Tests the queue that limits turns, places and zygotes. placement/turns.test.ts tests its limits.
import { expect, test } from "vitest";
import { BoundedQueue } from "../../../src/core/bounded-queue.ts";

const { signal } = new AbortController();
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("whom the order chooses goes first, and nobody goes whom it does not choose", async () => {
  const queue = new BoundedQueue<{ readonly name: string }>({
    atOnce: 2,
    // "heavy" works alone among its kind; others overtake it.
    next: (waiting, working) =>
      waiting.find(({ name }) => name !== "heavy" || working.every((other) => other.name !== "heavy")),
  });
  const first = await queue.take({ name: "heavy" }, signal);
  const second = queue.take({ name: "heavy" }, signal);
  await queue.take({ name: "light" }, signal);
  expect(queue.working.map(({ name }) => name)).toEqual(["heavy", "light"]);
  first[Symbol.dispose]();
  await second;
  expect([queue.waiting.length, queue.working.map(({ name }) => name)]).toEqual([0, ["light", "heavy"]]);
});

test("a ticket that is refused leaves the queue, and a change of the order lets others in", async () => {
  let isOpen = false;
  const queue = new BoundedQueue<object>({ atOnce: 2, next: ([one]) => (isOpen ? one : undefined) });
  const [refused, patient] = [{}, {}];
  const outcome = expect(queue.take(refused, signal)).rejects.toThrow("full");
  const turn = queue.take(patient, signal);
  queue.refuse(refused, new Error("full"));
  await outcome;
  await settle();
  expect(queue.waiting).toEqual([patient]);
  isOpen = true;
  queue.admit();
  await turn;
  expect(queue.working).toEqual([patient]);
});

test("who is let in as it goes away has the turn, and gives it back", async () => {
  const queue = new BoundedQueue({ atOnce: 1 });
  const ending = new AbortController();
  const first = await queue.take({}, signal);
  const second = queue.take({}, ending.signal);
  const third = queue.take({}, signal);
  first[Symbol.dispose]();
  ending.abort(new Error("gone"));
  (await second)[Symbol.dispose]();
  await third;
  expect(queue.working).toHaveLength(1);
});
