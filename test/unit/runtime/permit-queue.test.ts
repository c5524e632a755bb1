// Tests the queue that limits permits and zygotes. placement/semaphore.test.ts tests its limits.
import { expect, test } from "vitest";
import { PermitQueue } from "../../../src/runtime/permit-queue.ts";

const { signal } = new AbortController();
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("whom the order chooses goes first, and nobody goes whom it does not choose", async () => {
  const queue = new PermitQueue<{ readonly name: string }>({
    concurrency: 2,
    // Only one "heavy" job runs at a time; other jobs do not wait for it.
    next: (waiting, working) =>
      waiting.find(({ name }) => name !== "heavy" || working.every((other) => other.name !== "heavy")),
  });
  const first = await queue.acquire({ name: "heavy" }, signal);
  const second = queue.acquire({ name: "heavy" }, signal);
  await queue.acquire({ name: "light" }, signal);
  expect(queue.active.map(({ name }) => name)).toEqual(["heavy", "light"]);
  first[Symbol.dispose]();
  await second;
  expect([queue.queued.length, queue.active.map(({ name }) => name)]).toEqual([0, ["light", "heavy"]]);
});

test("a ticket that is refused leaves the queue, and a change of the order lets others in", async () => {
  let isOpen = false;
  const queue = new PermitQueue<object>({ concurrency: 2, next: ([one]) => (isOpen ? one : undefined) });
  const [refused, patient] = [{}, {}];
  const outcome = expect(queue.acquire(refused, signal)).rejects.toThrow("full");
  const turn = queue.acquire(patient, signal);
  queue.reject(refused, new Error("full"));
  await outcome;
  await settle();
  expect(queue.queued).toEqual([patient]);
  isOpen = true;
  queue.admit();
  await turn;
  expect(queue.active).toEqual([patient]);
});

test("who is let in as it goes away has the turn, and gives it back", async () => {
  const queue = new PermitQueue({ concurrency: 1 });
  const ending = new AbortController();
  const first = await queue.acquire({}, signal);
  const second = queue.acquire({}, ending.signal);
  const third = queue.acquire({}, signal);
  first[Symbol.dispose]();
  ending.abort(new Error("gone"));
  (await second)[Symbol.dispose]();
  await third;
  expect(queue.active).toHaveLength(1);
});
