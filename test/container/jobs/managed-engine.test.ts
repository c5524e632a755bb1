// Tests that the start of an engine is retried if it fails, and that no job waits for that engine in the meantime.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ManagedEngine } from "../../../container/engine-lifecycle/managed-engine.ts";
import { StartOrder } from "../../../container/engine-lifecycle/start-order.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const forever = new AbortController().signal;

/** Returns the only position of a start order, in which every engine can start. */
function place() {
  const order = new StartOrder();
  order.open();
  return order.register();
}

/** Supervises an engine that starts immediately, but only after the given number of failed starts. */
function failing(failures: number) {
  const engine = { state: "warm" as const, closed: 0, close: async () => void engine.closed++ };
  const starts: number[] = [];
  const logged: string[] = [];
  const start = async () => {
    starts.push(Date.now());
    if (starts.length <= failures) throw new Error("no room");
    return engine;
  };
  const watched = new ManagedEngine({
    name: "Engine",
    startHandle: place(),
    start,
    log: (message) => logged.push(message),
  });
  watched.start();
  return { engine, watched, starts, logged };
}

test("jobs are told at once that it did not start, until it has", async () => {
  const { engine, watched, logged } = failing(2);
  expect(watched.state).toBe("starting");
  await expect(watched.ready(forever)).rejects.toMatchObject({ reason: "busy" });
  expect(watched.state).toBe("failed");
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(watched.ready(forever)).rejects.toMatchObject({ reason: "busy" });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await watched.ready(forever)).toBe(engine);
  expect(await watched.running).toBe(engine);
  expect(watched.state).toBe("warm");
  // A repeated reason is not logged again.
  expect(logged).toEqual(["engine not started"]);
});

test("the pause between two starts grows to 30 s", async () => {
  const { starts } = failing(Number.POSITIVE_INFINITY);
  await vi.advanceTimersByTimeAsync(125_000);
  const pauses = starts.slice(1).map((start, index) => start - starts[index]!);
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

test("while it starts again, nobody waits", async () => {
  const { promise, resolve } = Promise.withResolvers<{ state: "warm"; close(): Promise<void> }>();
  const results = [Promise.reject(new Error("no room")), promise];
  const watched = new ManagedEngine({
    name: "Engine",
    startHandle: place(),
    start: () => results.shift()!,
    log: () => {},
  });
  watched.start();
  await vi.advanceTimersByTimeAsync(1_500);
  expect(results).toEqual([]);
  await expect(watched.ready(forever)).rejects.toMatchObject({ reason: "busy" });
  resolve({ state: "warm", close: async () => {} });
  await watched.running;
  expect((await watched.ready(forever)).state).toBe("warm");
});

test("a job that is ended does not wait for the first start", async () => {
  const ending = new AbortController();
  const watched = new ManagedEngine({
    name: "Engine",
    startHandle: place(),
    start: () => new Promise<never>(() => {}),
    log: () => {},
  });
  const ready = watched.ready(ending.signal);
  ending.abort(new Error("the client went away"));
  await expect(ready).rejects.toThrow("the client went away");
});

test("an engine that is not to start is off, until a job asks for it", async () => {
  const engine = { state: "warm" as const, close: async () => {} };
  const watched = new ManagedEngine({
    name: "Engine",
    startHandle: new StartOrder().register(),
    start: async () => engine,
    log: () => {},
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect([watched.state, watched.isRequested]).toEqual(["off", false]);
  expect(await watched.ready(forever)).toBe(engine);
  expect([watched.state, watched.isRequested]).toEqual(["warm", true]);
});

test("what is closed is not started again, and what starts nevertheless is closed", async () => {
  const failed = failing(Number.POSITIVE_INFINITY);
  await vi.advanceTimersByTimeAsync(500);
  await failed.watched.close();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(failed.starts).toHaveLength(1);
  const { engine } = failing(0);
  const { promise, resolve } = Promise.withResolvers<typeof engine>();
  const late = new ManagedEngine({ name: "Engine", startHandle: place(), start: () => promise, log: () => {} });
  late.start();
  await vi.advanceTimersByTimeAsync(0);
  await late.close();
  resolve(engine);
  await vi.advanceTimersByTimeAsync(0);
  expect(engine.closed).toBe(1);
});
